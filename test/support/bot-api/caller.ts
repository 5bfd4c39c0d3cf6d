import type { BotApi } from "./index.ts";
import type { Outcome } from "./shapes.ts";

/** An answer as it came. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly outcome: Outcome;
  /** The result of a call that went well; anything else is a mistake of the test. */
  readonly result: unknown;
}

/** Calls a method with arguments in JSON by plain fetch, as the simplest bot would. Rejects when the connection breaks. */
export async function callBot(
  api: Pick<BotApi, "url" | "token">,
  method: string,
  given: Readonly<Record<string, unknown>> = {},
): Promise<Answer> {
  return readAnswer(
    await fetch(`${api.url}/bot${api.token}/${method}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(given),
    }),
  );
}

export async function readAnswer(response: Response): Promise<Answer> {
  const outcome = (await response.json()) as Outcome;
  return {
    status: response.status,
    headers: response.headers,
    outcome,
    get result() {
      if (!outcome.ok) throw new Error(`${outcome.error_code}: ${outcome.description}`);
      return outcome.result;
    },
  };
}
