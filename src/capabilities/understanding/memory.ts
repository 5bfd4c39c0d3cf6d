import { DialogueState, MEMORY_MS, OpenQuestion } from "../../dialogue/index.ts";
import type { Store } from "../../sdk/capability.ts";
import type { Request } from "../../sdk/context.ts";

/** What is known of one chat before the words of one request. */
interface Recollection {
  readonly state: DialogueState;
  /** Keeps what is to be remembered after those words. */
  keep(after: DialogueState): void;
}

export interface Memory {
  /** What is known of a chat to one request, by what its calling role has stored. */
  recall(chat: string, request: Pick<Request, "id" | "deadline">, store: Store): Recollection;
}

/** Chats whose latest words are kept in memory. */
const CHATS = 1000;

/**
 * Remembers chats across several requests that are in work at once. What a request stages becomes durable only with its own
 * outcome, perhaps long after later words were understood; until then it is known here.
 *
 * Each question has a key of its own, named by the request that asked it, so that requests may finish in any order:
 * a late one never takes back what a later one has asked. A request that runs again after a crash sees only the questions
 * that were asked before it.
 */
export function createMemory(): Memory {
  const recent = new Map<string, Recent>();

  const recentOf = (chat: string): Recent => {
    const known = recent.get(chat) ?? { asked: new Map(), closed: new Set(), last: undefined };
    recent.delete(chat);
    recent.set(chat, known);
    const [oldest] = recent.keys();
    if (recent.size > CHATS && oldest !== undefined) recent.delete(oldest);
    return known;
  };

  return {
    recall(chat, { id, deadline }, store) {
      const known = recentOf(chat);
      const prefix = `question/${encodeURIComponent(chat)}/`;
      const lastKey = `last/${encodeURIComponent(chat)}`;
      const stored = store
        .list(prefix)
        .map(([key, value]) => [key, OpenQuestion.safeParse(value).data] as const);
      // Deadlines grow in the order of arrival, and are the same when a request runs again.
      const ownKey = `${prefix}${String(deadline).padStart(15, "0")}-${id}`;
      const questions = [...stored, ...known.asked]
        .filter(([key, question]) => question && !known.closed.has(key) && key < ownKey)
        .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
      const question = questions.at(-1)?.[1];
      const last = known.last ?? DialogueState.shape.last.safeParse(store.get(lastKey)).data;
      const state: DialogueState = { ...(question && { question }), ...(last && { last }) };

      return {
        state,
        keep(after) {
          if (after.question !== question) {
            for (const [key] of questions) {
              store.delete(key);
              known.closed.add(key);
              known.asked.delete(key);
            }
            if (after.question) {
              store.set(ownKey, after.question);
              known.asked.set(ownKey, after.question);
            }
          }
          if (after.last && after.last !== last) {
            store.set(lastKey, after.last);
            known.last = after.last;
          }
          forgetOld(known, after.question?.askedAt ?? after.last?.at);
        },
      };
    },
  };
}

interface Recent {
  readonly asked: Map<string, OpenQuestion>;
  /** Keys of questions that are answered, although that may not be durable yet. */
  readonly closed: Set<string>;
  last: DialogueState["last"];
}

const CLOSED = 100;

function forgetOld(known: Recent, now: number | undefined): void {
  for (const [key, { askedAt }] of known.asked) {
    if (now !== undefined && now - askedAt > 2 * MEMORY_MS) known.asked.delete(key);
  }
  for (const key of known.closed) {
    if (known.closed.size <= CLOSED) break;
    known.closed.delete(key);
  }
}
