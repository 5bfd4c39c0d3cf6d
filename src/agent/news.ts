import { z } from "zod";
import type { VoxMessage } from "../envelope/index.ts";
import type { Ledger } from "../ledger/index.ts";

/**
 * What a child says of itself counts until it says something newer. Lanes may bring an older word late or once more; taken
 * for news, it would bring back what was true before.
 */
export interface News {
  /** Whether a child has said this after all of its kind that was heard of it before: one kind may pass the other. */
  isNew(child: string, message: VoxMessage): boolean;
  /** Remembers this across a restart. */
  keep(child: string, message: VoxMessage): void;
}

/** When something was said, by the clock of the lanes; of what was said in the same millisecond, the later has the greater id. */
const Said = z.strictObject({ id: z.string(), at: z.number() });
type Said = z.output<typeof Said>;

/** Where the agent keeps what is its own; no role's file can have this name. */
const OWN_VALUES = ":agent";
/** The clock of the lanes is measured by each end for itself, to so much. */
const CLOCK_ERROR_MS = 2000;

export function createNews(parts: {
  readonly ledger: Pick<Ledger, "values">;
  /** Unix ms by the clock of the lanes, where they have one. */
  readonly sharedNow: () => number | undefined;
}): News {
  const { ledger, sharedNow } = parts;
  const newest = new Map<string, Said>();

  const keyOf = (child: string, { type }: VoxMessage): string => `news/${child}/${type}`;

  const lastOf = (key: string): Said | undefined => {
    const last = newest.get(key) ?? Said.safeParse(ledger.values.get(OWN_VALUES, key)).data;
    const now = sharedNow();
    // Said in the future: the clock of the lanes has been set back since.
    return last && now !== undefined && last.at > now + CLOCK_ERROR_MS ? undefined : last;
  };

  return {
    isNew(child, message) {
      const { message_id: id, requires } = message;
      const at = requires?.asked_at;
      // Without a clock of their own, lanes are in memory and bring all in its order, once.
      if (at === undefined) return true;
      const key = keyOf(child, message);
      const last = lastOf(key);
      if (last && (at < last.at || (at === last.at && id <= last.id))) return false;
      newest.set(key, { id, at });
      return true;
    },
    keep(child, message) {
      const key = keyOf(child, message);
      const said = newest.get(key);
      if (said) ledger.values.write([{ role: OWN_VALUES, key, value: JSON.stringify(said) }]);
    },
  };
}
