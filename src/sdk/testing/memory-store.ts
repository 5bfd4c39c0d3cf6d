import { canonicalJson } from "../../envelope/index.ts";
import type { OwnStore } from "../capability.ts";

/** The memory of a role, or of a capability, for a test. It keeps JSON, as an agent's ledger does: what JSON cannot hold is refused. */
export function createMemoryStore(initial: Readonly<Record<string, unknown>> = {}): OwnStore {
  const texts = new Map(Object.entries(initial).map(([key, value]) => [key, canonicalJson(value)]));
  const list: OwnStore["list"] = (prefix = "") =>
    [...texts]
      .filter(([key]) => key.startsWith(prefix))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, text]) => [key, JSON.parse(text)] as const);
  return {
    get(key) {
      const text = texts.get(key);
      return text === undefined ? undefined : JSON.parse(text);
    },
    list,
    first: (prefix) => list(prefix)[0],
    set: (key, value) => void texts.set(key, canonicalJson(value)),
    delete: (key) => void texts.delete(key),
  };
}
