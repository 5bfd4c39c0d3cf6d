import { canonicalJson } from "../../envelope/index.ts";
import type { Store } from "../capability.ts";

/** A role's memory for a test. It keeps JSON, as an agent's ledger does: what JSON cannot hold is refused. */
export function createMemoryStore(initial: Readonly<Record<string, unknown>> = {}): Store {
  const texts = new Map(Object.entries(initial).map(([key, value]) => [key, canonicalJson(value)]));
  return {
    get(key) {
      const text = texts.get(key);
      return text === undefined ? undefined : JSON.parse(text);
    },
    set: (key, value) => void texts.set(key, canonicalJson(value)),
    delete: (key) => void texts.delete(key),
    list: (prefix = "") =>
      [...texts]
        .filter(([key]) => key.startsWith(prefix))
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, text]) => [key, JSON.parse(text)] as const),
  };
}
