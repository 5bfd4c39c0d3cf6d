import { createMemoryStore, tryCommand } from "#sdk/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import web from "./http.ts";

// Time stands still, so that answers say when they were given.
beforeEach(
  () => void vi.useFakeTimers({ toFake: ["Date", "performance"], now: Date.UTC(2031, 1, 3, 4, 5, 6) }),
);
afterEach(() => void vi.useRealTimers());

const ANSWER = {
  reached: true,
  url: "https://shop.example",
  host: "shop.example",
  status: 200,
  totalMs: 184.2,
  phases: { dnsMs: 1.5, tcpMs: 20.4, tlsMs: 41.6, ttfbMs: 90 },
  hops: [{ url: "https://shop.example/", status: 200 }],
  address: "192.0.2.7",
  finalUrl: "https://shop.example/",
  bodyText: "Welcome to the shop",
  isBodyCut: false,
  certificateDaysLeft: 63,
  deadAddresses: [],
} as const;
const TIMES = "dns 1.5 ms, tcp 20 ms, tls 42 ms, first byte 90 ms";
const SILENCE = {
  reached: false,
  url: "https://shop.example",
  phase: "connect",
  reason: "shop.example refuses connections on port 443",
  code: "ECONNREFUSED",
  fault: "target",
  totalMs: 3.1,
  hops: [],
} as const;
const URL_ASKED = "https://shop.example";

type Page = Omit<Partial<typeof ANSWER>, keyof typeof ANSWER> & Record<string, unknown>;
const ask = (page: Page, params: Record<string, unknown> = {}, store = createMemoryStore()) =>
  tryCommand(
    web,
    "http",
    { url: URL_ASKED, ...params },
    {
      net: { fetch: () => page as never },
      store,
    },
  );

describe("http", () => {
  test("says that a page answers, how fast, from where, and how long its certificate lasts", async () => {
    expect(await ask(ANSWER)).toMatchObject({
      verdict: "ok",
      text: [
        "https://shop.example answers 200 in 184 ms",
        "dns 1.5 ms, tcp 20 ms, tls 42 ms, first byte 90 ms",
        "address 192.0.2.7",
        "certificate good for 63 days",
        "Mon 3 Feb 2031, 04:05:06 UTC, took 184 ms",
      ].join("\n"),
      data: { status: 200, totalMs: 184.2, address: "192.0.2.7", certificateDaysLeft: 63 },
    });
  });

  test.each([
    [204, undefined, "ok", "https://shop.example answers 204 in 184 ms"],
    [301, undefined, "ok", "https://shop.example answers 301 in 184 ms"],
    [404, undefined, "fail", "https://shop.example answers 404 in 184 ms, an error"],
    [503, undefined, "fail", "https://shop.example answers 503 in 184 ms, an error"],
    [404, 404, "ok", "https://shop.example answers 404 in 184 ms"],
    [200, 201, "fail", "https://shop.example answers 200 in 184 ms, not 201"],
  ])("judges status %i where %o is expected", async (...[status, expected, verdict, sentence]) => {
    const reply = await ask({ ...ANSWER, status }, expected === undefined ? {} : { expect: expected });
    expect(reply).toMatchObject({
      verdict,
      text: expect.stringContaining(`${sentence}\n${TIMES}`),
      data: { status },
    });
  });

  test.each([
    ["Welcome", false, "ok"],
    ["Goodbye", false, "fail"],
    ["Goodbye", true, "inconclusive"],
  ])("looks for %o in a body of which a part is unread: %o", async (contains, isBodyCut, verdict) => {
    expect(await ask({ ...ANSWER, isBodyCut }, { contains })).toMatchObject({ verdict });
  });

  test.each([
    [14, "https://shop.example answers 200 in 184 ms"],
    [13, "https://shop.example answers 200 in 184 ms; its certificate ends in 13 days"],
    [1, "https://shop.example answers 200 in 184 ms; its certificate ends in 1 day"],
    [0, "https://shop.example answers 200 in 184 ms; its certificate ends within a day"],
  ])("speaks up when a certificate has %i days left", async (certificateDaysLeft, sentence) => {
    const reply = await ask({ ...ANSWER, certificateDaysLeft });
    expect(reply).toMatchObject({ text: expect.stringContaining(`${sentence}\n${TIMES}`) });
  });

  test("tells the way by redirects, an international name, and addresses that are dead", async () => {
    const reply = await ask({
      ...ANSWER,
      host: "bücher.example (xn--bcher-kva.example)",
      hops: [
        { url: "http://shop.example/", status: 301 },
        { url: "https://shop.example/", status: 200 },
      ],
      deadAddresses: ["2001:db8::7"],
    });
    expect(reply).toMatchObject({
      text: expect.stringContaining(
        [
          "address 192.0.2.7 of bücher.example (xn--bcher-kva.example)",
          "certificate good for 63 days",
          "way: http://shop.example/ (301) → https://shop.example/ (200)",
          "no connection to 2001:db8::7",
        ].join("\n"),
      ),
    });
  });

  test("of a page that is down gives the reason and how far it came, as a reply", async () => {
    expect(await ask(SILENCE)).toMatchObject({
      verdict: "fail",
      text: "https://shop.example is not up: shop.example refuses connections on port 443\nconnect, ECONNREFUSED\nMon 3 Feb 2031, 04:05:06 UTC, took 3.1 ms",
      data: { phase: "connect", code: "ECONNREFUSED", hops: [] },
    });
  });

  test("does not blame the page for the prober's own trouble", async () => {
    const reason = "shop.example could not be looked up within 10 s";
    expect(
      await ask({ ...SILENCE, phase: "deadline", reason, code: "E_TIMEOUT", fault: "prober" }),
    ).toMatchObject({
      verdict: "inconclusive",
      text: `https://shop.example could not be checked: ${reason}\ndeadline, E_TIMEOUT\nMon 3 Feb 2031, 04:05:06 UTC, took 3.1 ms`,
    });
  });

  test("shows the line that would allow a refused address", async () => {
    const reason =
      "127.0.0.1 is this machine itself. If checks may reach it, set NET_ALLOW=127.0.0.1 and start again.";
    const reply = await ask({
      ...SILENCE,
      phase: "policy",
      reason,
      code: "E_ADDRESS_REFUSED",
      fault: "prober",
    });
    expect(reply).toMatchObject({
      verdict: "inconclusive",
      text: expect.stringContaining("set NET_ALLOW=127.0.0.1 and start again"),
    });
  });

  test("passes on what was asked for, and follows redirects unless one is expected", async () => {
    const seen: unknown[] = [];
    const fetch = (url: string, { signal, ...options }: object & { signal?: AbortSignal } = {}) => {
      expect(signal).toBeInstanceOf(AbortSignal);
      seen.push({ url, ...options });
      return ANSWER as never;
    };
    const handles = { net: { fetch }, store: createMemoryStore() };
    await tryCommand(web, "http", { url: URL_ASKED }, handles);
    await tryCommand(web, "http", { url: URL_ASKED, expect: 301, timeoutMs: 2000, family: 6 }, handles);
    expect(seen).toEqual([
      { url: URL_ASKED, follow: true },
      { url: URL_ASKED, follow: false, timeoutMs: 2000, family: 6 },
    ]);
  });

  test.each([
    [{ url: "no url" }],
    [{ expect: 99 }],
    [{ timeoutMs: 30_001 }],
    [{ family: 5 }],
    [{ contains: "" }],
  ])("refuses %o", async (params) => {
    expect(await ask(ANSWER, params)).toMatchObject({ failure: "E_BAD_PARAMS" });
  });
});

describe("pages", () => {
  const recheck = (store: ReturnType<typeof createMemoryStore>, fetch: (url: string) => unknown) =>
    tryCommand(web, "pages", {}, { net: { fetch: (url: string) => fetch(url) as never }, store });
  const at = (url: string) => ({ ...ANSWER, url });

  test("says honestly that no page has been asked about", async () => {
    const reply = await recheck(createMemoryStore(), () => ANSWER);
    expect(reply).toMatchObject({
      text: "No page has been asked about yet. Ask for one first: is https://example.com up?",
      data: { pages: [] },
    });
    expect(reply.verdict).toBeUndefined();
  });

  test("checks the last five distinct pages again side by side, as they were asked for", async () => {
    const store = createMemoryStore();
    for (const name of ["a", "b", "c", "a", "d", "e", "f"]) {
      const url = `https://${name}.example`;
      await ask(at(url), { url, ...(name === "a" && { expect: 200, contains: "Welcome" }) }, store);
    }
    const waiting: string[] = [];
    const all = Promise.withResolvers<void>();
    const reply = await recheck(store, async (url) => {
      if (waiting.push(url) === 5) all.resolve();
      await all.promise;
      return url.includes("//a.") ? { ...at(url), bodyText: "Sorry" } : at(url);
    });
    expect(waiting).toEqual(["f", "e", "d", "a", "c"].map((name) => `https://${name}.example`));
    expect(reply).toMatchObject({
      verdict: "fail",
      text: [
        "4 of 5 pages fine; not fine: https://a.example",
        "✅ https://f.example answers 200 in 184 ms",
        "✅ https://e.example answers 200 in 184 ms",
        "✅ https://d.example answers 200 in 184 ms",
        '❌ https://a.example answers 200 in 184 ms, but does not contain "Welcome"',
        "✅ https://c.example answers 200 in 184 ms",
        "Mon 3 Feb 2031, 04:05:06 UTC, took 184 ms",
      ].join("\n"),
    });
  });

  test("keeps their order, however often it is asked", async () => {
    const store = createMemoryStore();
    for (const url of ["https://a.example", "https://b.example"]) await ask(at(url), { url }, store);
    const orders: string[] = [];
    for (let i = 0; i < 3; i++) {
      const seen: string[] = [];
      await recheck(store, (url) => {
        seen.push(url);
        return at(url);
      });
      orders.push(seen.join(" "));
    }
    expect(new Set(orders)).toEqual(new Set(["https://b.example https://a.example"]));
  });

  test("gives the worst of their verdicts", async () => {
    const store = createMemoryStore();
    for (const url of ["https://a.example", "https://b.example"]) await ask(at(url), { url }, store);
    const unclear = { ...SILENCE, url: "https://a.example", fault: "prober" };
    const reply = await recheck(store, (url) => (url.includes("//a.") ? unclear : at(url)));
    expect(reply).toMatchObject({
      verdict: "inconclusive",
      text: [
        "1 of 2 pages fine; not clear: https://a.example",
        "✅ https://b.example answers 200 in 184 ms",
        "❔ https://a.example could not be checked: shop.example refuses connections on port 443",
        "Mon 3 Feb 2031, 04:05:06 UTC, took 184 ms",
      ].join("\n"),
      data: { pages: [{ verdict: "ok" }, { verdict: "inconclusive" }] },
    });
  });

  test("does not keep what holds a password or was refused, and forgets the oldest of many", async () => {
    const store = createMemoryStore();
    await ask(ANSWER, { url: "https://user:secret@shop.example" }, store);
    await ask({ ...SILENCE, phase: "policy", fault: "prober" }, {}, store);
    expect(store.list()).toEqual([]);
    for (let i = 1; i <= 25; i++)
      await ask(at(`https://${i}.example`), { url: `https://${i}.example` }, store);
    const kept = store.list().map(([key]) => key);
    expect(kept).toHaveLength(20);
    expect(kept).toContain("page https://25.example");
    expect(kept).not.toContain("page https://5.example");
  });

  test("leaves aside what it cannot read in its memory", async () => {
    const store = createMemoryStore({ "page https://a.example": { url: 7 }, "page x": "old" });
    expect(await recheck(store, () => ANSWER)).toMatchObject({ data: { pages: [] } });
  });
});
