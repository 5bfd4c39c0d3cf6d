import type { AlertReader, AlertStream, StreamedAlert } from "./port.ts";

/** The alerts of the agents of one process, in memory: each agent's own ledger keeps them until they are confirmed. */
export interface LocalAlerts {
  /** An agent's end; it takes nothing while nobody reads. */
  streamOf(agent: string): AlertStream;
  read(): AlertReader;
}

export function createLocalAlerts(): LocalAlerts {
  const streams = new Map<string, Map<number, string>>();
  const confirmed = new Map<string, number>();
  let readers = 0;

  const streamed = (agent: string): Map<number, string> => {
    const stream = streams.get(agent) ?? new Map<number, string>();
    streams.set(agent, stream);
    return stream;
  };

  return {
    streamOf: (agent) => ({
      add(seq, text) {
        if (seq > (confirmed.get(agent) ?? 0)) streamed(agent).set(seq, text);
        return Promise.resolve();
      },
      newest: (most) => Promise.resolve([...streamed(agent).keys()].slice(-most)),
      confirmed: () =>
        readers === 0
          ? Promise.reject(new Error("nobody reads alerts in this process"))
          : Promise.resolve(confirmed.get(agent) ?? 0),
    }),
    read() {
      readers += 1;
      return {
        agents: () => Promise.resolve([...streams.keys()]),
        read: (agent, after, limit) =>
          Promise.resolve(
            [...streamed(agent)]
              .filter(([seq]) => seq > after)
              .sort(([one], [other]) => one - other)
              .slice(0, limit)
              .map(([seq, text]): StreamedAlert => ({ seq, text })),
          ),
        confirm(agent, upTo) {
          confirmed.set(agent, upTo);
          for (const seq of streamed(agent).keys()) if (seq <= upTo) streamed(agent).delete(seq);
          return Promise.resolve();
        },
        close() {
          readers -= 1;
          return Promise.resolve();
        },
      };
    },
  };
}
