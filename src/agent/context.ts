import { canonicalJson, isFailure } from "../envelope/index.ts";
import type { Ledger } from "../ledger/index.ts";
import { Alert as AlertSchema } from "../sdk/alert.ts";
import type { CallScope, MountedCapability } from "../sdk/capability.ts";
import { handleName } from "../sdk/capability.ts";
import type { Answer, BaseContext, Log } from "../sdk/context.ts";
import { AgentGoneError } from "../sdk/gone.ts";
import { plainText } from "../sdk/markup.ts";
import type { Failure, ReplyShape } from "../sdk/reply.ts";
import { ReplyShape as ReplySchema } from "../sdk/reply.ts";
import type { Delegation } from "./delegation.ts";
import type { Addressee, Letters, Notice } from "./letters.ts";
import { letterTo } from "./notices.ts";
import type { FollowedRequest } from "./notices.ts";
import { createStagedStore, ownRole } from "./staged-store.ts";
import type { Step } from "./progress.ts";
import type { AgentRole } from "./roles.ts";
import type { Run } from "./run.ts";
import { PEOPLE, SELF } from "./run.ts";

export interface ContextParts {
  readonly ledger: Ledger;
  readonly delegation: Delegation;
  readonly letters: Letters;
  readonly self: { readonly id: string; readonly name: string; readonly vantage?: string };
  /** The addressee of a lane that leads to a neighbour. */
  readonly addressees: ReadonlyMap<string, Addressee>;
  readonly capabilities: ReadonlyMap<string, MountedCapability>;
  readonly log: Log;
  readonly progress: (run: Run, step: Step) => void;
  /** The code of a role is about to go on. */
  readonly onTurn: (run: Run) => void;
}

/** Makes the context that a role's handler is given: the base, and a fresh handle for each capability it declares. */
export function createContexts(parts: ContextParts): (run: Run, role: AgentRole) => BaseContext {
  const { ledger, delegation, letters, self, capabilities, log } = parts;

  /** A request on which more will come, by its id. */
  const followed = (run: Run, requestId: string): FollowedRequest | undefined => {
    if (requestId === run.request.id) return run.isFollowed || ledger.followed.has(run.n) ? run : undefined;
    const n = ledger.followed.find(requestId);
    return n === undefined || run.letGo.includes(n) ? undefined : ledger.inbox.read(n);
  };

  /** Puts what comes later beside the outcome, on its way to whoever asked. */
  const tell = (run: Run, request: FollowedRequest, notice: Notice): void => {
    const letter = letterTo(request, notice, { letters, addressees: parts.addressees });
    if (letter) run.also.push(letter);
  };

  return (run, role) => {
    const assertOpen = (): void => {
      if (run.isOver)
        throw new AgentGoneError(`${self.name} no longer works on the request that this was given to`);
    };
    const code = codeOf(role);
    parts.onTurn(run);
    const store = createStagedStore(ledger, run, { role: role.name, assertOpen });

    const step: BaseContext["step"] = async (name, fn) => {
      assertOpen();
      const { key, ordinal } = run.replay.keyOf("step", name);
      const entry = run.replay.find(key, code);
      if (entry) {
        if (entry.kind !== "step")
          throw new Error(`the journal holds a question under the key of a step: ${key}`);
        return JSON.parse(entry.value);
      }
      const position = run.replay.nextPosition();
      // That the task is in work must be durable before anything is done in the world.
      await ledger.committed();
      run.abort.signal.throwIfAborted();
      const begun = fn({ key: `${run.message.message_id}/${name}/${ordinal}` });
      const value = begun instanceof Promise ? await begun : begun;
      assertOpen();
      const text = canonicalJson(value ?? null);
      ledger.waits.completeStep({
        task: run.n,
        position,
        key,
        roleHash: code,
        value: text,
        writes: run.staged,
      });
      run.staged = [];
      await ledger.committed();
      parts.onTurn(run);
      return JSON.parse(text);
    };

    const delegate = async (
      command: string,
      params: Readonly<Record<string, unknown>>,
      schema?: Parameters<BaseContext["delegate"]>[2],
    ): Promise<Failure | Answer> => {
      assertOpen();
      const reply = await delegation.ask(run, { command, params, roleHash: code });
      parts.onTurn(run);
      if (isFailure(reply)) return reply;
      return toAnswer(reply, schema);
    };

    const base: BaseContext = {
      signal: run.abort.signal,
      request: run.request,
      log,
      step,
      delegate: delegate as BaseContext["delegate"],
      progress: (text, fraction) => parts.progress(run, { text, fraction }),
      emit(event, payload) {
        assertOpen();
        const { message, behalf } = run;
        run.also.push({ ...letters.toSelf({ event, payload, conversation: message, behalf }), peer: SELF });
      },
      follow() {
        assertOpen();
        run.isFollowed = true;
      },
      notify(requestId, reply) {
        assertOpen();
        const request = followed(run, requestId);
        if (request) tell(run, request, { reply: ReplySchema.parse(reply), isLast: false });
      },
      letGo(requestId) {
        assertOpen();
        const request = followed(run, requestId);
        if (!request) return;
        run.letGo.push(request.n);
        tell(run, request, { isLast: true });
      },
      alert(alert) {
        assertOpen();
        run.alerts.push(letters.raise(AlertSchema.parse(alert), self.vantage));
      },
    };
    if (role.requires.length === 0) return base;

    const scope: Omit<CallScope, "own"> = {
      role: role.name,
      request: run.request,
      signal: run.abort.signal,
      store,
      answer(reply) {
        assertOpen();
        if (run.answer) throw new Error("these words have already been replied to");
        run.answer = ReplySchema.parse(reply);
      },
      say(chat, reply) {
        assertOpen();
        const letter = letters.say({ address: run.message.source, name: PEOPLE }, run.message, {
          chat,
          reply,
        });
        run.also.push({ ...letter, peer: PEOPLE });
      },
    };
    const handles: Record<string, unknown> = {};
    for (const id of role.requires) {
      const own = createStagedStore(ledger, run, { role: ownRole(id), assertOpen });
      const handle: unknown = capabilities.get(id)?.handle({ ...scope, own });
      if (typeof handle === "object" && handle !== null) handles[handleName(id)] = guard(handle, assertOpen);
    }
    return { ...base, ...handles };
  };
}

/** Tells a role and the state of its code. */
function codeOf({ name, hash }: AgentRole): string {
  return `${name}@${hash}`;
}

function toAnswer(reply: ReplyShape, schema: Parameters<BaseContext["delegate"]>[2]): Failure | Answer {
  const data = schema
    ? schema.safeParse(reply.data ?? {})
    : { success: true as const, data: reply.data ?? {} };
  if (!data.success) {
    const [issue] = data.error.issues;
    const where = issue?.path.join(".") ?? "";
    return {
      failure: "E_BAD_REPLY",
      text: `The answer's data do not fit: ${where}: ${issue?.message}`,
      retryable: false,
    };
  }
  return {
    text: plainText(reply.text),
    data: data.data,
    reply,
    ...(reply.verdict === undefined ? {} : { verdict: reply.verdict }),
  };
}

/** A handle outlives neither its call nor its agent: whoever kept it is told so. */
function guard(handle: object, assertOpen: () => void): object {
  return new Proxy(handle, {
    get(target, property, receiver) {
      const member: unknown = Reflect.get(target, property, receiver);
      if (typeof member !== "function") return member;
      return (...args: readonly unknown[]): unknown => {
        assertOpen();
        return Reflect.apply(member, target, args);
      };
    },
  });
}
