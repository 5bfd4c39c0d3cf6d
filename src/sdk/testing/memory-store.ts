import type { Store } from "../capability.ts";

/** A role's memory for a test; what is put in is copied, as an agent's ledger would. */
export function createMemoryStore(initial: Readonly<Record<string, unknown>> = {}): Store {
  const values = new Map<string, unknown>(Object.entries(structuredClone(initial)));
  return {
    get: (key) => structuredClone(values.get(key)),
    set: (key, value) => void values.set(key, structuredClone(value)),
    delete: (key) => void values.delete(key),
    list: (prefix = "") =>
      [...values]
        .filter(([key]) => key.startsWith(prefix))
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, value]) => [key, structuredClone(value)] as const),
  };
}
