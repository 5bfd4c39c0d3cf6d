import type { Log } from "../../../sdk/context.ts";
import type { TelegramClient } from "./client.ts";
import type { Pressed } from "./updates.ts";

/** Ends the waiting that Telegram shows on a pressed button. */
export interface PressAnswers {
  /** Answers once for as long as this process lives, with a toast if there is one. Does not wait for Telegram. */
  answer(press: Pressed, toast?: string): void;
  close(): Promise<void>;
}

export function createPressAnswers(parts: {
  readonly client: Pick<TelegramClient, "call">;
  readonly log: Log;
}): PressAnswers {
  const { client, log } = parts;
  const closed = new AbortController();
  /** Presses that are answered and may be looked at again. */
  const answered = new Set<string>();
  const underWay = new Set<Promise<void>>();

  async function send({ callbackId }: Pressed, toast?: string): Promise<void> {
    const args = { callback_query_id: callbackId, ...(toast === undefined ? {} : { text: toast }) };
    const outcome = await client.call("answerCallbackQuery", args, closed.signal);
    // Too late, most often; the button's work is done all the same.
    if (outcome.kind === "failed") log.debug("a button press was not answered", { why: outcome.why.text });
  }

  return {
    answer(press, toast) {
      if (closed.signal.aborted || answered.has(press.id)) return;
      answered.add(press.id);
      if (answered.size > 1_000) answered.delete(answered.values().next().value ?? "");
      const sending = send(press, toast).finally(() => underWay.delete(sending));
      underWay.add(sending);
    },
    async close() {
      closed.abort();
      await Promise.all(underWay);
    },
  };
}
