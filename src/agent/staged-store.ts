import { canonicalJson } from "../envelope/index.ts";
import type { Ledger } from "../ledger/index.ts";
import type { OwnStore, Store } from "../sdk/capability.ts";
import type { Run } from "./run.ts";

/** The name under which a capability's own memory stands: no role can have it. */
export function ownRole(capability: string): string {
  return `@${capability}`;
}

/** A role's types may be left behind at run time; a ledger takes text alone. */
function assertText(key: unknown): void {
  if (typeof key !== "string") throw new TypeError(`a key of the store is text, not ${typeof key}`);
}

/** A role's memory as one call sees it: what it sets is staged until the call's outcome. */
export function createStagedStore(
  ledger: Ledger,
  run: Run,
  { role, assertOpen }: { readonly role: string; readonly assertOpen: () => void },
): Store {
  const stage = (key: string, value: string | undefined): void => {
    assertOpen();
    assertText(key);
    run.staged.push({ role, key, value });
  };
  return {
    get(key) {
      assertText(key);
      const staged = run.staged.findLast((write) => write.role === role && write.key === key);
      if (!staged) return ledger.values.get(role, key);
      return staged.value === undefined ? undefined : JSON.parse(staged.value);
    },
    set: (key, value) => stage(key, canonicalJson(value)),
    delete: (key) => stage(key, undefined),
    list(prefix = "") {
      assertText(prefix);
      const found = new Map(ledger.values.list(role, prefix));
      for (const { role: owner, key, value } of run.staged) {
        if (owner !== role || !key.startsWith(prefix)) continue;
        if (value === undefined) found.delete(key);
        else found.set(key, JSON.parse(value));
      }
      return [...found].sort(([a], [b]) => (a < b ? -1 : 1));
    },
  };
}

/** A capability's own memory outside of a call: what it sets is durable with the turn of the event loop. */
export function createOwnStore(values: Ledger["values"], capability: string): OwnStore {
  const role = ownRole(capability);
  return {
    get: (key) => values.get(role, key),
    first: (prefix) => values.first(role, prefix),
    list: (prefix = "") => values.list(role, prefix),
    set: (key, value) => values.write([{ role, key, value: canonicalJson(value) }]),
    delete: (key) => values.write([{ role, key, value: undefined }]),
  };
}
