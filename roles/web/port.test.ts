import { tryCommand } from "#sdk/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import web from "./port.ts";

// Time stands still, so that answers say when they were given.
beforeEach(
  () => void vi.useFakeTimers({ toFake: ["Date", "performance"], now: Date.UTC(2031, 1, 3, 4, 5, 6) }),
);
afterEach(() => void vi.useRealTimers());

const FOOTER = "Mon 3 Feb 2031, 04:05:06 UTC, took 0 ms";

type Attempts = readonly { address: string; state: string; ms: number; banner?: string }[];
const ask = (
  answers: Readonly<Record<number, Attempts | object>>,
  ports = Object.keys(answers).map(Number),
) =>
  tryCommand(
    web,
    "port",
    { host: "db.example", ports },
    {
      net: { connect: (_host: string, port: number) => answers[port] as never },
    },
  );

test("says that a port is open, where, how fast and what it says", async () => {
  expect(
    await ask({ 22: [{ address: "192.0.2.7", state: "open", ms: 12.4, banner: "SSH-2.0-Test" }] }),
  ).toMatchObject({
    verdict: "ok",
    text: `db.example port 22 is open\n192.0.2.7: open, 12 ms, says "SSH-2.0-Test"\n${FOOTER}`,
    data: {
      host: "db.example",
      ports: [
        {
          port: 22,
          state: "open",
          attempts: [{ address: "192.0.2.7", state: "open", ms: 12.4, banner: "SSH-2.0-Test" }],
        },
      ],
    },
  });
});

test.each([
  ["refused", "fail", "db.example port 22 is closed: it refuses connections"],
  ["filtered", "fail", "db.example port 22 does not react: a firewall drops what comes, or the host is down"],
  [
    "unreachable",
    "inconclusive",
    "db.example port 22 cannot be reached from here: there is no way to that network",
  ],
])("a port that is %s gives %s", async (state, verdict, sentence) => {
  expect(await ask({ 22: [{ address: "192.0.2.7", state, ms: 1 }] })).toMatchObject({
    verdict,
    text: `${sentence}\n192.0.2.7: ${state}, 1 ms\n${FOOTER}`,
  });
});

test("one open address is enough, and the dead one is told", async () => {
  const attempts = [
    { address: "2001:db8::7", state: "unreachable", ms: 0.3 },
    { address: "192.0.2.7", state: "open", ms: 9 },
  ];
  expect(await ask({ 443: attempts })).toMatchObject({
    verdict: "ok",
    text: `db.example port 443 is open\n2001:db8::7: unreachable, 0.3 ms\n192.0.2.7: open, 9 ms\n${FOOTER}`,
  });
});

test("of several ports each is told once", async () => {
  const answers = {
    80: [{ address: "192.0.2.7", state: "open", ms: 2 }],
    443: [{ address: "192.0.2.7", state: "refused", ms: 3 }],
  };
  expect(await ask(answers, [80, 443, 80])).toMatchObject({
    verdict: "fail",
    text: [
      "db.example: 1 of 2 ports open",
      "port 80 at 192.0.2.7: open, 2 ms",
      "port 443 at 192.0.2.7: refused, 3 ms",
      FOOTER,
    ].join("\n"),
  });
});

test.each([
  ["target", "dns", "the name db.example has no address", "fail", "is not there"],
  ["prober", "dns", "the name db.example cannot be looked up", "inconclusive", "could not be checked"],
  [
    "prober",
    "policy",
    "10.0.0.1 is in a private network. … NET_ALLOW=10.0.0.1 …",
    "inconclusive",
    "could not be checked",
  ],
])(
  "a host that cannot be tried by fault of the %s (%s)",
  async (...[fault, phase, reason, verdict, words]) => {
    const unreached = {
      reached: false,
      url: "db.example",
      phase,
      reason,
      code: "E_X",
      fault,
      totalMs: 1,
      hops: [],
    };
    expect(await ask({ 22: unreached, 80: unreached })).toMatchObject({
      verdict,
      text: `db.example ${words}: ${reason}\n${FOOTER}`,
      data: { host: "db.example", ports: [], phase, code: "E_X" },
    });
  },
);

test.each([[[]], [[0]], [[65_536]], [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]]])(
  "refuses the ports %o",
  async (ports) => {
    expect(await ask({}, ports)).toMatchObject({ failure: "E_BAD_PARAMS" });
  },
);
