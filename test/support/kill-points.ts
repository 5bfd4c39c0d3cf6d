import type { Ledger } from "../../src/ledger/index.ts";
import type { Transport } from "../../src/transport/port.ts";

/** Ends this process as the kernel would, at one point. */
export interface Killer {
  /** `at` is `<agent>:<point>:<n>`: the process ends the n-th time from now that the point is passed. */
  arm(at: string): void;
  readonly pass: Pass;
}

/** Called at every point that the wrapped ports pass. */
type Pass = (agent: string, point: string) => void;

export function createKiller(): Killer {
  let armed = "";
  let left = 0;
  return {
    arm(at) {
      const end = at.lastIndexOf(":");
      armed = at.slice(0, end);
      left = Number(at.slice(end + 1));
    },
    pass(agent, point) {
      if (armed !== `${agent}:${point}`) return;
      left -= 1;
      if (left === 0) process.kill(process.pid, "SIGKILL");
    },
  };
}

/**
 * A ledger that tells of every write, before it, after it, and when it has become durable:
 * `before accept`, `after accept`, `committed accept`.
 */
export function wrapLedger(ledger: Ledger, agent: string, pass: Pass): Ledger {
  let uncommitted: string[] = [];
  const tell = <A extends readonly unknown[], R>(
    name: string,
    write: (...args: A) => R,
  ): ((...args: A) => R) => {
    return (...args) => {
      pass(agent, `before ${name}`);
      const result = write(...args);
      pass(agent, `after ${name}`);
      uncommitted.push(name);
      return result;
    };
  };
  const { inbox, waits, outbox } = ledger;
  return {
    ...ledger,
    inbox: { ...inbox, accept: tell("accept", inbox.accept), settle: tell("settle", inbox.settle) },
    waits: {
      ...waits,
      open: tell("question", waits.open),
      applyAnswer: tell("answer", waits.applyAnswer),
      completeStep: tell("step", waits.completeStep),
    },
    outbox: {
      ...outbox,
      close: tell("shown", outbox.close),
      markSending: tell("showing", outbox.markSending),
    },
    async committed() {
      const names = uncommitted;
      uncommitted = [];
      await ledger.committed();
      for (const name of names) pass(agent, `committed ${name}`);
    },
  };
}

/** A transport that tells of every envelope that is put on a lane: `before send`, `after send`. */
export function wrapTransport(transport: Transport, pass: Pass): Transport {
  return {
    isShared: transport.isShared,
    readAlerts: () => transport.readAlerts(),
    async join(end) {
      const connection = await transport.join(end);
      return {
        ...connection,
        async send(to, parcel) {
          pass(end.name, "before send");
          await connection.send(to, parcel);
          pass(end.name, "after send");
        },
      };
    },
  };
}
