/** What crosses the wire, as far as a bot or a test reads it; anything else travels along unread. */

export interface User {
  readonly id: number;
  readonly is_bot: boolean;
  readonly first_name: string;
  readonly username?: string;
  readonly language_code?: string;
}

/** `offset` and `length` count UTF-16 code units. */
export interface Entity {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
  readonly language?: string;
  readonly user?: User;
  readonly custom_emoji_id?: string;
}

export interface Button {
  readonly text: string;
  readonly callback_data?: string;
  readonly url?: string;
}

/** A message's text with what is drawn on it. */
export interface Formatted {
  readonly text: string;
  readonly entities: readonly Entity[];
}

/** An update: its number and one more field, named after its kind. */
export type Update = { readonly update_id: number } & Readonly<Record<string, unknown>>;

export type Arguments = Readonly<Record<string, unknown>>;

/** How a call ends: with a result, or with an error as the Bot API words it. */
export type Outcome =
  | { readonly ok: true; readonly result: unknown }
  | {
      readonly ok: false;
      readonly error_code: number;
      readonly description: string;
      readonly parameters?: Readonly<Record<string, number>>;
    };

export type Failed = Extract<Outcome, { ok: false }>;

export function done(result: unknown): Outcome {
  return { ok: true, result };
}

/** A 400; its description begins with "Bad Request: " by itself. */
export function badRequest(what: string, parameters?: Readonly<Record<string, number>>): Failed {
  return {
    ok: false,
    error_code: 400,
    description: `Bad Request: ${what}`,
    ...(parameters && { parameters }),
  };
}

/** A 403; its description begins with "Forbidden: " by itself. */
export function forbidden(what: string): Failed {
  return { ok: false, error_code: 403, description: `Forbidden: ${what}` };
}

export function isFailed(value: unknown): value is Failed {
  return typeof value === "object" && value !== null && "ok" in value && value.ok === false;
}
