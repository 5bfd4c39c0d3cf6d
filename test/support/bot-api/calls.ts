import type { Happenings } from "./happenings.ts";
import type { Arguments } from "./shapes.ts";

/**
 * A call as it came. `status` is the HTTP status of its answer; "open": not answered yet; "lost": carried out but not
 * answered; "cut": neither; "hung": held by a fault; "gone": whoever called hung up first.
 */
export interface Call {
  readonly method: string;
  readonly arguments: Arguments;
  readonly status: number | "open" | "lost" | "cut" | "hung" | "gone";
  /** What was answered, when it was JSON. */
  readonly answer: unknown;
  /** Unix ms by the server's clock. */
  readonly at: number;
}

export interface CallBook {
  readonly all: readonly Call[];
  /** Notes a call that has come; the function returned notes how it ended, which only its first use does. */
  open(
    method: string,
    given: Arguments,
  ): { readonly call: Call; close(status: Call["status"], answer?: unknown): void };
  /** The first call of a method that suits, at once when it has come already; asked again when a call is answered. */
  called(
    method: string,
    suits?: (call: Call) => boolean,
    options?: { readonly timeoutMs?: number },
  ): Promise<Call>;
}

export function createCalls(happenings: Happenings, now: () => number): CallBook {
  const all: Call[] = [];
  return {
    all,
    open(method, given) {
      const call: { -readonly [Field in keyof Call]: Call[Field] } = {
        method,
        arguments: given,
        status: "open",
        answer: undefined,
        at: now(),
      };
      all.push(call);
      happenings.tell();
      return {
        call,
        close(status, answer) {
          if (call.status !== "open") return;
          call.status = status;
          call.answer = answer;
          happenings.tell();
        },
      };
    },
    called: (method, suits = () => true, options = {}) =>
      happenings.until(
        () => all.find((call) => call.method.toLowerCase() === method.toLowerCase() && suits(call)),
        { ...options, what: `a call of ${method} that suits`, there: () => all.map(describeCall) },
      ),
  };
}

function describeCall({ method, arguments: given, status }: Call): string {
  return `${method} ${JSON.stringify(given)} → ${status}`;
}
