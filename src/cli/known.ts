/** The capabilities of this installation, as far as reading role files needs them. */
export const KNOWN_CAPABILITIES: ReadonlyMap<string, { readonly rootOnly: boolean }> = new Map([
  ["comm.gateway", { rootOnly: true }],
  ["commands", { rootOnly: true }],
  ["understanding", { rootOnly: true }],
  ["host", { rootOnly: false }],
  ["incidents", { rootOnly: false }],
  ["net", { rootOnly: false }],
  ["store", { rootOnly: false }],
  ["schedule", { rootOnly: false }],
]);
