/** What one envelope of about 1 kB costs at a hop's door and on its way out: `node bench/envelope.ts`. */
import { canonicalJson, createIds, parseCanonical, parseEnvelope, toAee } from "../src/envelope/index.ts";

const ROUNDS = 20_000;
const REPEATS = 7;

/** Microseconds for each of the steps: the median of several runs over fresh values. */
export function benchEnvelope(): Record<string, number> {
  const ids = createIds(Date.now);
  const [id, corr] = [ids.next(), ids.next()];
  const text = canonicalJson({
    v: "1",
    id,
    ts: "2026-03-01T10:00:00.000Z",
    type: "task",
    from: `agent.${corr}`,
    to: `agent.${id}`,
    intent: "web.http",
    corr,
    reply_to: corr,
    trace: { trace_id: "4bf92f3577b34da6a3ce929d0e0e4736", span_id: "00f067aa0ba902b7" },
    priority: "normal",
    requires: { timeout_ms: 54_000 },
    sig: null,
    message_source: "ops",
    message_type: "command_request",
    payload: {
      command: "http",
      params: {
        url: "https://example.com/a/long/path?x=1",
        expect: 200,
        tags: ["a", "b", "c"],
        note: "Grüße",
      },
      summary: "x".repeat(250),
      rows: [{ a: 1, b: true, c: null }, { a: 2.5, b: false, c: 'q"uote' }], // prettier-ignore
    },
  });
  const door = () => parseEnvelope(parseCanonical(text)?.value);
  const parsed = door();
  if (typeof parsed === "string") throw new Error(parsed);
  const values = Array.from({ length: ROUNDS }, () => JSON.parse(text) as unknown);
  let next = 0;
  return {
    bytes: Buffer.byteLength(text),
    jsonParse: microseconds(() => JSON.parse(text)),
    canonicalJson: microseconds(() => canonicalJson(parsed.envelope)),
    parseCanonical: microseconds(() => parseCanonical(text)),
    parseEnvelope: microseconds(() => parseEnvelope(values[next++ % ROUNDS])),
    door: microseconds(door),
    send: microseconds(() => canonicalJson(toAee(parsed.message))),
    nextId: microseconds(() => ids.next()),
  };
}

function microseconds(step: () => unknown): number {
  const runs = Array.from({ length: REPEATS }, () => {
    const began = performance.now();
    for (let i = 0; i < ROUNDS; i++) step();
    return ((performance.now() - began) / ROUNDS) * 1000;
  });
  return Number((runs.toSorted((a, b) => a - b)[REPEATS >> 1] ?? 0).toFixed(2));
}

if (import.meta.main) console.table(benchEnvelope());
