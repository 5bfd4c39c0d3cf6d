import type { Ids, Requires, VoxMessage } from "../envelope/index.ts";
import { canonicalJson, toAee } from "../envelope/index.ts";
import type { Letter } from "../ledger/index.ts";
import type { Failure, ReplyShape } from "../sdk/reply.ts";
import type { Alert } from "../sdk/alert.ts";
import type { CommandAnnouncement } from "../sdk/announcement.ts";

/** Who an envelope goes to. */
export interface Addressee {
  /** `agent.<uuid>` or `human.<pseudonym>`. */
  readonly address: string;
  readonly name: string;
}

/** On whose behalf a request travels; nobody below the root can tell who it is. */
export interface OnBehalfOf {
  readonly asked_by: string;
  readonly language: string;
  readonly zone: string;
}

/** A question to a child. */
export interface RequestFacts {
  readonly to: Addressee;
  readonly command: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly cause: VoxMessage;
  readonly behalf: OnBehalfOf;
  readonly timeoutMs: number;
}

/** Writes the envelopes of one agent. Each gets a fresh id and the time of its making. */
export interface Letters {
  request(facts: RequestFacts): Letter;
  /** `isFollowed`: more will come on the request, later. */
  result(to: Addressee, request: VoxMessage, answer: { reply: ReplyShape; isFollowed: boolean }): Letter;
  /** What comes later than the answer; without a reply it says only that nothing more will come. */
  notice(to: Addressee, request: VoxMessage, notice: Notice): Letter;
  error(to: Addressee, request: VoxMessage, failure: Failure): Letter;
  progress(
    to: Addressee,
    request: VoxMessage,
    step: { readonly text: string; readonly fraction?: number },
  ): Letter;
  cancel(to: Addressee, request: Pick<VoxMessage, "message_id" | "corr" | "priority">): Letter;
  acknowledge(to: Addressee, ids: readonly string[]): Letter;
  /** Says which state of a child's commands is held here: a digest, or "" for none. */
  hold(to: Addressee, commands: string): Letter;
  /** A sign of life, with the digest of what is offered here. */
  heartbeat(to: Addressee, beat: { readonly commands: string; readonly state: "up" | "stopping" }): Letter;
  announce(to: Addressee, commands: readonly CommandAnnouncement[]): Letter;
  /** What the war room is to hear; `more`: how often the same happened since it was last told. */
  alert(facts: {
    readonly code: string;
    readonly text: string;
    readonly about: string;
    readonly isOver: boolean;
    readonly more: number;
  }): Letter;
  /** What a role has the war room told. */
  raise(alert: Alert, vantage: string | undefined): Letter;
  /** Words that a person is told without having asked. */
  say(to: Addressee, cause: VoxMessage, said: { readonly chat: string; readonly reply: ReplyShape }): Letter;
  /** A task that the agent gives itself. */
  toSelf(event: OwnEvent): Letter;
  /** Puts a message of somebody outside the tree (a person) into an envelope. */
  seal(message: VoxMessage): Letter;
}

/** What comes later than an answer. */
export interface Notice {
  readonly reply?: ReplyShape;
  /** Nothing more will come. */
  readonly isLast: boolean;
}

/** An event that an agent's own roles hear. */
export interface OwnEvent {
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** The one role that hears it; all that know it when left out. */
  readonly role?: string;
  /** The same id is taken once. */
  readonly id?: string;
  /** The request that caused it. */
  readonly cause?: string;
  /** The conversation that it belongs to; one of its own when left out. */
  readonly conversation?: Pick<VoxMessage, "message_id" | "corr" | "priority">;
  readonly behalf?: OnBehalfOf;
}

export interface LettersParts {
  readonly self: { readonly id: string; readonly name: string };
  readonly ids: Ids;
  readonly now: () => number;
  /** Unix ms by the clock that all agents can ask, where there is one: what waits on a lane costs time. */
  readonly sharedNow?: () => number | undefined;
}

/** Nobody but who reads the alerts has this name, and no agent knows more of it. */
const WAR_ROOM = "warroom";
const MOST_FAILURE_CHARACTERS = 2000;

export function createLetters({ self, ids, now, sharedNow = () => undefined }: LettersParts): Letters {
  const address = `agent.${self.id}`;

  const seal = (message: VoxMessage): Letter => ({ message, text: canonicalJson(toAee(message)) });

  const write = (
    message: Pick<VoxMessage, "target" | "type" | "intent" | "details" | "reply_to"> & Partial<VoxMessage>,
  ): Letter =>
    seal({
      message_id: ids.next(),
      emitted_at: new Date(now()).toISOString(),
      source: address,
      message_source: self.name,
      ...message,
    });

  /** What an envelope takes over from the one that caused it. */
  const inherit = (cause: Pick<VoxMessage, "message_id" | "corr" | "priority">) => ({
    corr: cause.corr ?? cause.message_id,
    priority: cause.priority ?? ("normal" as const),
  });

  const answer = (to: Addressee, request: VoxMessage, body: Pick<VoxMessage, "type" | "details">): Letter =>
    write({
      ...inherit(request),
      ...body,
      target: to.address,
      intent: isWords(request) ? "quox.chat.response" : request.intent,
      reply_to: request.message_id,
    });

  const acknowledge = (to: Addressee, details: VoxMessage["details"]): Letter =>
    write({
      target: to.address,
      type: "message_acknowledged",
      intent: "mha.message.acknowledged",
      details,
      reply_to: null,
    });

  return {
    seal,
    request: ({ to, command, params, cause, behalf, timeoutMs }) =>
      write({
        ...inherit(cause),
        target: to.address,
        type: "command_request",
        intent: `${to.name}.${command}`,
        details: { command, params, ...behalf },
        reply_to: cause.message_id,
        requires: requirementsOf(timeoutMs, sharedNow()),
      }),
    result(to, request, { reply, isFollowed }) {
      const details = { ...subjectOf(request), ...replyDetails(reply), ...(isFollowed && { follows: true }) };
      return answer(to, request, { type: "command_result", details });
    },
    notice: (to, request, { reply, isLast }) =>
      answer(to, request, {
        type: "notice",
        details: {
          ...subjectOf(request),
          ...(reply && replyDetails(reply)),
          ...(isLast && { is_last: true }),
        },
      }),
    error(to, request, { failure, text, retryable = false }) {
      const details = {
        ...subjectOf(request),
        code: failure,
        message: shorten(text, MOST_FAILURE_CHARACTERS),
        retryable,
      };
      return answer(to, request, { type: "command_error", details });
    },
    progress: (to, request, step) => answer(to, request, { type: "progress", details: { ...step } }),
    cancel: (to, request) =>
      write({
        ...inherit(request),
        target: to.address,
        type: "cancel",
        intent: "mha.request.cancel",
        details: {},
        reply_to: request.message_id,
      }),
    acknowledge: (to, acknowledged) => acknowledge(to, { ids: acknowledged }),
    hold: (to, commands) => acknowledge(to, { ids: [], commands }),
    heartbeat: (to, beat) =>
      write({
        target: to.address,
        type: "heartbeat",
        intent: "mha.heartbeat.report",
        details: { ...beat },
        reply_to: null,
        ...saidAt(sharedNow()),
      }),
    announce: (to, commands) =>
      write({
        target: to.address,
        type: "announcement",
        intent: "mha.commands.announce",
        details: { commands },
        reply_to: null,
        ...saidAt(sharedNow()),
      }),
    alert: ({ isOver, ...facts }) =>
      write({
        target: WAR_ROOM,
        type: "system_failure",
        intent: "mha.system.alert",
        details: { ...facts, is_over: isOver },
        reply_to: null,
      }),
    raise: (alert, vantage) =>
      write({
        target: WAR_ROOM,
        type: "alert",
        intent: "mha.alert.raise",
        details: { ...alert, ...(vantage === undefined ? {} : { vantage }) },
        reply_to: null,
      }),
    say: (to, cause, { chat, reply }) =>
      write({
        ...inherit(cause),
        target: to.address,
        type: "notice",
        intent: "quox.chat.response",
        details: { chat, ...replyDetails(reply) },
        reply_to: cause.message_id,
      }),
    toSelf: ({ event, payload, role, id, cause, conversation, behalf }) =>
      write({
        ...(id === undefined ? {} : { message_id: id }),
        ...(conversation ? inherit(conversation) : {}),
        target: address,
        type: "command_request",
        intent: `${self.name}.${event}`,
        details: { event, payload, ...(role === undefined ? {} : { role }), ...behalf },
        reply_to: cause ?? conversation?.message_id ?? null,
      }),
  };
}

function replyDetails({ text, data, ...rest }: ReplyShape): VoxMessage["details"] {
  return { summary: text, result: data ?? null, ...rest };
}

function requirementsOf(timeoutMs: number, askedAt: number | undefined): Requires {
  return askedAt === undefined ? { timeout_ms: timeoutMs } : { timeout_ms: timeoutMs, asked_at: askedAt };
}

/** What is said of oneself holds until something newer is said. */
function saidAt(at: number | undefined): Pick<VoxMessage, "requires"> {
  return at === undefined ? {} : { requires: { asked_at: at } };
}

/** What goes into an error: it must never be too large to be sent. */
function shorten(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}

function isWords({ intent }: VoxMessage): boolean {
  return intent === "quox.chat.query";
}

/** What an answer repeats of its request: the command, or the chat in which a person asked. */
function subjectOf(request: VoxMessage): Readonly<Record<string, unknown>> {
  const { command, params } = request.details;
  if (!isWords(request)) return typeof command === "string" ? { command: shorten(command, 200) } : {};
  return typeof params === "object" && params !== null && "chat" in params ? { chat: params.chat } : {};
}
