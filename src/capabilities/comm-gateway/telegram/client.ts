import { Api, GrammyError, HttpError, type RawApi } from "grammy";
import { z } from "zod";
import type { Clock } from "../../../envelope/clock.ts";
import { createPoster, ExchangeError } from "./post-json.ts";

/** What became of a call. */
export type Outcome<T> =
  | { readonly kind: "done"; readonly result: T }
  | { readonly kind: "failed"; readonly why: Why };

/** Why a call brought no result. `text` is in words and never holds the token. */
export type Why =
  /** 429: nothing was done; not again before `retryAfterMs` have passed. */
  | { readonly kind: "flood"; readonly retryAfterMs: number; readonly text: string }
  /** 403: this chat cannot be written to: blocked, kicked, deactivated or never begun. */
  | { readonly kind: "closed"; readonly text: string }
  /** The group has become a supergroup, which has this id. */
  | { readonly kind: "migrated"; readonly chatId: number; readonly text: string }
  /** Any other 400 or 404: the same call will never work. */
  | { readonly kind: "refused"; readonly text: string }
  /** 401: the token is not, or no longer, valid. */
  | { readonly kind: "unauthorised"; readonly text: string }
  /** 409: another program polls with the same token, or a webhook is set. */
  | { readonly kind: "conflict"; readonly text: string }
  /** Certainly not applied: no connection, or the server said that it could not. */
  | { readonly kind: "unreached"; readonly text: string }
  /** May have been applied: the connection was lost, or something in between answered in the server's stead. */
  | { readonly kind: "unknown"; readonly text: string };

export type Method = keyof RawApi & string;
type First<M extends Method> = Exclude<Parameters<RawApi[M]>[0], undefined>;
/** What a method takes; `{}` where it takes nothing, and grammY has the signal in the first place. */
export type Arguments<M extends Method> =
  First<M> extends { readonly aborted: boolean } ? Readonly<Record<string, never>> : First<M>;
export type Result<M extends Method> = Awaited<ReturnType<RawApi[M]>>;

/** The Bot API of one bot. Expected failures are values; a call never throws. */
export interface TelegramClient {
  /** Once `signal` is aborted the call comes back at once, as `unknown` if it was out already. */
  call<M extends Method>(method: M, args: Arguments<M>, signal?: AbortSignal): Promise<Outcome<Result<M>>>;
  /** The text without the token in any of its forms, in the same length. */
  redact(text: string): string;
  /** Lets go of idle connections. */
  close(): void;
}

export interface ClientParts {
  readonly token: string;
  /** Without a slash at its end: `https://api.telegram.org`. */
  readonly apiRoot: string;
  readonly clock: Pick<Clock, "after">;
}

/** Methods to which grammY gives no room for arguments. */
const WITHOUT_ARGUMENTS: ReadonlySet<string> = new Set<Method>([
  "getMe",
  "getWebhookInfo",
  "logOut",
  "close",
  "getForumTopicIconStickers",
  "getAvailableGifts",
  "getMyStarBalance",
  "removeMyProfilePhoto",
]);

/** How long a call may take; one that waits on purpose (`timeout` in seconds) gets this much on top. */
const CALL_MS = 30_000;
const POLL_GRACE_MS = 15_000;
/** What a flood without a number counts as. */
const FLOOD_MS = 5_000;

/** What a Bot API server answers; anything else comes from something in between. */
const ApiAnswer = z.union([
  z.looseObject({ ok: z.literal(true), result: z.unknown() }),
  z.looseObject({
    ok: z.literal(false),
    error_code: z.int(),
    description: z.string(),
    parameters: z
      .looseObject({
        retry_after: z.number().min(0).optional().catch(undefined),
        migrate_to_chat_id: z.int().optional().catch(undefined),
      })
      .optional()
      .catch(undefined),
  }),
]);

/** Something that does not speak the Bot API answered. */
class ForeignAnswerError extends Error {
  override readonly name = "ForeignAnswerError";
  readonly status: number;
  constructor(status: number, host: string) {
    super(`${host}: HTTP ${status} without an answer of the Bot API`);
    this.status = status;
  }
}

/** Makes the client of one bot: the one place where grammY is called and where the token is known. */
export function createTelegramClient({ token, apiRoot, clock }: ClientParts): TelegramClient {
  const poster = createPoster();
  const redact = createRedaction(token);

  /** What grammY takes for fetch: a POST whose answer is known to be the Bot API's, and holds no token either. */
  async function ask(address: unknown, options: unknown): Promise<{ json(): Promise<unknown> }> {
    const url = new URL(String(address));
    const answer = await poster.post(url, options as Parameters<typeof poster.post>[1]);
    const parsed = ApiAnswer.safeParse(parseJson(redact(answer.text)));
    if (!parsed.success) throw new ForeignAnswerError(answer.status, url.host);
    return { json: async () => parsed.data };
  }

  const { raw } = new Api(token, {
    apiRoot,
    fetch: ask,
  });

  return {
    redact,
    close: () => poster.close(),
    async call(method, args, signal) {
      const late = new AbortController();
      const stop = clock.after(patienceMs(args), () => late.abort());
      const either = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
      try {
        const send = raw[method] as (...given: unknown[]) => Promise<Result<typeof method>>;
        const result = WITHOUT_ARGUMENTS.has(method) ? await send(either) : await send(args, either);
        return { kind: "done", result };
      } catch (error) {
        const why = reasonOf(error);
        const text = late.signal.aborted ? `${method}: no answer in time` : why.text;
        return { kind: "failed", why: { ...why, text: redact(text) } };
      } finally {
        stop();
      }
    },
  };
}

function patienceMs(args: object): number {
  const seconds = "timeout" in args && typeof args.timeout === "number" ? args.timeout : undefined;
  return seconds === undefined ? CALL_MS : seconds * 1000 + POLL_GRACE_MS;
}

function reasonOf(error: unknown): Why {
  if (error instanceof GrammyError) return refusalOf(error);
  const cause: unknown = error instanceof HttpError ? error.error : error;
  const text = cause instanceof Error ? cause.message : String(cause);
  if (cause instanceof ExchangeError) return { kind: cause.mayHaveArrived ? "unknown" : "unreached", text };
  // A gateway in front (5xx) or a broken success may hide a call that was applied; a 3xx or 4xx never got there.
  if (cause instanceof ForeignAnswerError && cause.status >= 300 && cause.status < 500) {
    return { kind: "unreached", text };
  }
  return { kind: "unknown", text };
}

function refusalOf({ error_code: code, description, parameters }: GrammyError): Why {
  const text = `${code} ${description}`;
  if (parameters.migrate_to_chat_id !== undefined) {
    return { kind: "migrated", chatId: parameters.migrate_to_chat_id, text };
  }
  switch (code) {
    case 401:
      return { kind: "unauthorised", text };
    case 403:
      return { kind: "closed", text };
    case 409:
      return { kind: "conflict", text };
    case 429: {
      const { retry_after: seconds } = parameters;
      return { kind: "flood", retryAfterMs: seconds === undefined ? FLOOD_MS : seconds * 1000, text };
    }
    default:
      return { kind: code >= 500 ? "unreached" : "refused", text };
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The shortest secret half of a token that is looked for by itself; the real ones have 35 characters. */
const SECRET_LENGTH = 16;

/** Blots out the token, as it stands and as it stands in addresses, and its secret half by itself. */
function createRedaction(token: string): (text: string) => string {
  const secret = token.slice(token.indexOf(":") + 1);
  const forms = [token, encodeURIComponent(token), ...(secret.length >= SECRET_LENGTH ? [secret] : [])];
  const pattern = new RegExp(forms.map((form) => form.replace(/[^\w]/g, "\\$&")).join("|"), "gi");
  // In the same length: entities of a message point into its text by offsets.
  return (text) =>
    text.replace(pattern, (found) => "[token]".padEnd(found.length, "·").slice(0, found.length));
}
