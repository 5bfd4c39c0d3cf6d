import { canonicalJson, failure, isFailure } from "../../envelope/index.ts";
import { Alert } from "../alert.ts";
import type { Answer, BaseContext, Request } from "../context.ts";
import { plainText } from "../markup.ts";
import { FailureShape, ReplyShape, type Failure } from "../reply.ts";
import { complainWhereIncomplete, type ChildAnswer, type Overrides, type Traces } from "./stand-in.ts";

/** Who asks in a test, unless it says otherwise. */
const REQUEST: Request = {
  id: "01900000-0000-7000-8000-000000000001",
  corr: "01900000-0000-7000-8000-0000000000c0",
  deadline: Date.UTC(2030, 0, 1),
  askedBy: "human.test",
  language: "en",
  zone: "UTC",
};

/** A context that works as an agent's does, without an agent, and keeps what the handler did. */
export function createTestContext(given: Overrides & Readonly<Record<string, unknown>>): {
  readonly context: BaseContext;
  readonly traces: Traces;
} {
  const { delegate: answerFor, request: overrides, signal, ...handles } = given;
  const progress: Traces["progress"][number][] = [];
  const emitted: Traces["emitted"][number][] = [];
  const followed: string[] = [];
  const notices: Traces["notices"][number][] = [];
  const letGo: string[] = [];
  const alerts: Alert[] = [];
  const request = { ...REQUEST, ...overrides };
  const timesNamed = new Map<string, number>();
  const base: BaseContext = {
    request,
    signal: signal ?? new AbortController().signal,
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    progress: (text, fraction) => void progress.push(fraction === undefined ? { text } : { text, fraction }),
    emit: (event, payload) => void emitted.push({ event, payload }),
    follow: () => void followed.push(request.id),
    notify: (requestId, reply) => void notices.push({ requestId, ...ReplyShape.parse(reply) }),
    letGo: (requestId) => void letGo.push(requestId),
    alert: (alert) => void alerts.push(Alert.parse(alert)),
    async step(name, fn) {
      const n = (timesNamed.get(name) ?? 0) + 1;
      timesNamed.set(name, n);
      // What a step gives is remembered as JSON, so that is what the role goes on with.
      return JSON.parse(canonicalJson((await fn({ key: `${request.id}/${name}/${n}` })) ?? null));
    },
    async delegate(command, params, schema) {
      if (answerFor === undefined) {
        return failure(
          "E_UNKNOWN_COMMAND",
          `No child offers ${command}: pass \`delegate\` in the test's handles.`,
        );
      }
      const answer = readAnswer(await answerFor(command, params));
      if ("failure" in answer) return answer;
      if (schema === undefined) return answer as Answer<never>;
      const data = schema.safeParse(answer.data);
      if (!data.success) return failure("E_BAD_REPLY", `The answer to ${command}: ${data.error.message}`);
      return { ...answer, data: data.data };
    },
  };
  const wrapped = Object.entries(handles).map(([name, handle]) => [
    name,
    complainWhereIncomplete(name, handle),
  ]);
  return {
    context: { ...base, ...Object.fromEntries(wrapped) },
    traces: { progress, emitted, followed, notices, letGo, alerts },
  };
}

function readAnswer(answer: ChildAnswer): Failure | Answer {
  if (isFailure(answer)) return FailureShape.parse(answer);
  const reply = ReplyShape.parse(answer);
  return {
    text: plainText(reply.text),
    ...(reply.verdict && { verdict: reply.verdict }),
    data: reply.data ?? {},
    reply,
  };
}

function ignore(): void {
  // A test looks at what a role answers, not at its log.
}
