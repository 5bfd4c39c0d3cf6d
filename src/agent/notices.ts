import type { VoxMessage } from "../envelope/index.ts";
import type { Ledger, Letter } from "../ledger/index.ts";
import type { Addressee, Letters, Notice } from "./letters.ts";
import { readReply } from "./read-answer.ts";
import { PEOPLE } from "./run.ts";
import type { Sender } from "./sender.ts";
import { firstRepeatAt } from "./sender.ts";

/** A request on which more will come. */
export interface FollowedRequest {
  readonly n: number;
  /** Who asked. */
  readonly peer: string;
  readonly message: VoxMessage;
}

/** Where letters to those who asked go. */
interface Ways {
  readonly letters: Letters;
  readonly addressees: ReadonlyMap<string, Addressee>;
}

/**
 * What comes later than an answer, on its way to whoever asked: to a master as a notice, to a person as words in the chat
 * where they asked. Nothing goes to the agent itself, nor to a person who would be told only that nothing more comes.
 */
export function letterTo(
  { peer, message }: FollowedRequest,
  notice: Notice,
  { letters, addressees }: Ways,
): (Letter & { readonly peer: string }) | undefined {
  if (peer === PEOPLE) {
    const chat = chatOf(message);
    if (notice.reply === undefined || chat === undefined) return undefined;
    return {
      ...letters.say({ address: message.source, name: PEOPLE }, message, { chat, reply: notice.reply }),
      peer,
    };
  }
  const to = addressees.get(peer);
  return to?.address === message.source ? { ...letters.notice(to, message, notice), peer } : undefined;
}

/** The chat in which a person wrote. */
function chatOf({ details: { params } }: VoxMessage): string | undefined {
  const chat: unknown =
    typeof params === "object" && params !== null && "chat" in params ? params.chat : undefined;
  return typeof chat === "string" ? chat : undefined;
}

/** Passes on what children tell later than their answers. */
export interface Notices {
  /** Takes in a child's notice and owes it to whoever asked, in one commit; false for one that nobody asked for. */
  take(child: string, letter: Letter): boolean;
}

export interface NoticesParts extends Ways {
  readonly ledger: Ledger;
  readonly sender: Pick<Sender, "dispatch">;
  readonly now: () => number;
  readonly whenDurable: (then: () => void) => void;
}

export function createNotices(parts: NoticesParts): Notices {
  const { ledger, sender, now } = parts;
  return {
    take(child, letter) {
      const fate = ledger.followed.takeNotice(child, letter);
      if (fate.kind !== "new") return fate.kind === "duplicate";
      const { cause } = fate;
      const isLast = letter.message.details["is_last"] === true;
      const reply = readReply(letter.message);
      if (isLast) ledger.followed.letGo(cause.n);
      const further = letterTo(cause, { isLast, ...(reply && { reply }) }, parts);
      if (!further) return true;
      const outgoing = ledger.outbox.add(further.peer, further, firstRepeatAt(now()));
      parts.whenDurable(() => sender.dispatch([outgoing]));
      return true;
    },
  };
}
