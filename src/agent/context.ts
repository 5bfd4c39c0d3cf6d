import { canonicalJson, isFailure } from "../envelope/index.ts";
import type { Ledger } from "../ledger/index.ts";
import type { CallScope, MountedCapability, Store } from "../sdk/capability.ts";
import { handleName } from "../sdk/capability.ts";
import type { Answer, BaseContext, Log } from "../sdk/context.ts";
import { AgentGoneError } from "../sdk/gone.ts";
import { plainText } from "../sdk/markup.ts";
import type { Failure, ReplyShape } from "../sdk/reply.ts";
import { ReplyShape as ReplySchema } from "../sdk/reply.ts";
import type { Delegation } from "./delegation.ts";
import type { Letters } from "./letters.ts";
import type { Step } from "./progress.ts";
import type { AgentRole } from "./roles.ts";
import type { Run } from "./run.ts";
import { PEOPLE, SELF } from "./run.ts";

export interface ContextParts {
  readonly ledger: Ledger;
  readonly delegation: Delegation;
  readonly letters: Letters;
  readonly self: { readonly id: string; readonly name: string };
  readonly capabilities: ReadonlyMap<string, MountedCapability>;
  readonly log: Log;
  readonly progress: (run: Run, step: Step) => void;
  /** The code of a role is about to go on. */
  readonly onTurn: (run: Run) => void;
}

/** Makes the context that a role's handler is given: the base, and a fresh handle for each capability it declares. */
export function createContexts(parts: ContextParts): (run: Run, role: AgentRole) => BaseContext {
  const { ledger, delegation, letters, self, capabilities, log } = parts;

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
        run.also.push({ ...letters.toSelf(event, payload, run.message), peer: SELF });
      },
    };
    if (role.requires.length === 0) return base;

    const scope: CallScope = {
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
      const handle: unknown = capabilities.get(id)?.handle(scope);
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

/** A role's types may be left behind at run time; a ledger takes text alone. */
function assertText(key: unknown): void {
  if (typeof key !== "string") throw new TypeError(`a key of the store is text, not ${typeof key}`);
}

function createStagedStore(
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
