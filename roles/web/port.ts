import { defineRole, param, show, type Capabilities, type Verdict } from "#sdk";
import { z } from "zod";

type Outcome = Awaited<ReturnType<Capabilities["net"]["connect"]>>;
type NotReached = Extract<Outcome, { reached: false }>;
type Attempt = Exclude<Outcome, NotReached>[number];
type State = Attempt["state"];
/** A port, and how the best of the host's addresses took it. */
type Port = { readonly port: number; readonly state: State; readonly attempts: Attempt[] };

const State = z.enum(["open", "refused", "filtered", "unreachable"]);
/** From what a host can best be to what says least. */
const BEST_FIRST: readonly State[] = State.options;

const IN_WORDS: Readonly<Record<State, string>> = {
  open: "is open",
  refused: "is closed: it refuses connections",
  filtered: "does not react: a firewall drops what comes, or the host is down",
  unreachable: "cannot be reached from here: there is no way to that network",
};

/** Says whether TCP ports of a host are open. */
export default defineRole({
  requires: ["net"],
  commands: {
    port: {
      description: {
        en: "Check whether a TCP port of a host is open",
        de: "Prüfen, ob ein TCP-Port eines Rechners offen ist",
      },
      prompts: {
        en: [
          "is port 22 open on example.com?",
          "check port 443 on example.com",
          "is example.com listening on port 25?",
          "can you connect to port 5432 of 192.0.2.10?",
          "is port 3306 closed on db.example.com?",
          "are ports 80 and 443 of example.com open?",
          "test tcp port 8080 on 192.0.2.10",
        ],
        de: [
          "ist Port 22 auf example.com offen?",
          "prüfe Port 443 auf example.com",
          "lauscht example.com auf Port 25?",
          "kommst du auf Port 5432 von 192.0.2.10?",
          "ist Port 3306 auf db.example.com zu?",
          "sind die Ports 80 und 443 von example.com offen?",
        ],
      },
      params: z.object({
        host: param.host().describe("the host's name or address"),
        ports: z.array(param.port()).min(1).max(10).describe("the port, or up to ten"),
        timeoutMs: param
          .durationMs()
          .min(100)
          .max(30_000)
          .default(5000)
          .describe("how long to wait, at most 30 s"),
      }),
      data: z.object({
        host: z.string(),
        ports: z.array(
          z.object({
            port: z.int(),
            state: State,
            attempts: z.array(
              z.object({ address: z.string(), state: State, ms: z.number(), banner: z.string().optional() }),
            ),
          }),
        ),
        phase: z.string().optional(),
        code: z.string().optional(),
      }),
      async run({ net, signal, progress, request: { zone } }, { host, ports, timeoutMs }) {
        progress(`trying to connect to ${host}`);
        const [at, begun] = [Date.now(), performance.now()];
        const wanted = [...new Set(ports)];
        const outcomes = await Promise.all(
          wanted.map(async (port) => ({
            port,
            outcome: await net.connect(host, port, { signal, timeoutMs }),
          })),
        );
        const footer = show.footer({ at, tookMs: performance.now() - begun, zone });
        const tried: Port[] = [];
        for (const { port, outcome } of outcomes) {
          // The same host is looked up for each port, so what keeps one from being tried keeps all.
          if ("reached" in outcome) return unreached(host, outcome, footer);
          tried.push({ port, state: bestOf(outcome), attempts: outcome });
        }
        return {
          verdict: judge(tried),
          text: [
            headline(host, tried),
            ...tried.flatMap((each) => evidence(each, tried.length > 1)),
            footer,
          ].join("\n"),
          data: { host, ports: tried },
        };
      },
    },
  },
});

function unreached(host: string, { fault, reason, phase, code }: NotReached, footer: string) {
  const verdict: Verdict = fault === "target" ? "fail" : "inconclusive";
  return {
    verdict,
    text: `${host} ${fault === "target" ? "is not there" : "could not be checked"}: ${reason}\n${footer}`,
    data: { host, ports: [], phase, ...(code !== undefined && { code }) },
  };
}

function bestOf(attempts: readonly Attempt[]): State {
  return BEST_FIRST.find((state) => attempts.some((attempt) => attempt.state === state)) ?? "unreachable";
}

function judge(ports: readonly Port[]): Verdict {
  if (ports.every(({ state }) => state === "open")) return "ok";
  // "Unreachable" is what this machine's own network says, so it says nothing about the host.
  return ports.some(({ state }) => state === "refused" || state === "filtered") ? "fail" : "inconclusive";
}

function headline(host: string, ports: readonly Port[]): string {
  const [only] = ports;
  if (only !== undefined && ports.length === 1) return `${host} port ${only.port} ${IN_WORDS[only.state]}`;
  const open = ports.filter(({ state }) => state === "open").length;
  return `${host}: ${open} of ${ports.length} ports open`;
}

function evidence({ port, attempts }: Port, isNamed: boolean): string[] {
  return attempts.map(({ address, state, ms, banner }) => {
    const said = banner === undefined ? "" : `, says "${banner}"`;
    return `${isNamed ? `port ${port} at ` : ""}${address}: ${state}, ${show.duration(ms)}${said}`;
  });
}
