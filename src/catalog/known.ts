/** The capabilities of this installation by id, as far as the catalog must know them. */
export type Known = ReadonlyMap<string, { readonly rootOnly: boolean }>;
