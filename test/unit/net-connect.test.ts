import { createServer } from "node:net";
import { expect, test } from "vitest";
import { openDeafListener } from "../support/deaf-listener.ts";
import { listen, openNet } from "../support/net.ts";

test("an open port says its banner's first line, printable and cut", async () => {
  await using server = await listen(
    createServer((socket) => socket.end(`SSH-2.0-\u001b[31mTest ${"x".repeat(200)}\r\nsecond line\r\n`)),
  );
  await using open = await openNet({});
  const attempts = await open.net.connect("127.0.0.1", server.port);
  expect(attempts).toEqual([
    {
      address: "127.0.0.1",
      state: "open",
      ms: expect.any(Number),
      banner: `SSH-2.0-[31mTest ${"x".repeat(103)}`,
    },
  ]);
});

test("an open port that waits to be spoken to has no banner", async () => {
  await using server = await listen(createServer());
  await using open = await openNet({});
  expect(await open.net.connect("127.0.0.1", server.port)).toEqual([
    { address: "127.0.0.1", state: "open", ms: expect.any(Number) },
  ]);
});

test("every address of a host is tried, and each has its own state", async () => {
  await using server = await listen(createServer());
  await using open = await openNet({
    allow: ["127.0.0.0/8", "::1"],
    names: { "dual.example": [["::1", "127.0.0.1"]] },
  });
  expect(await open.net.connect("dual.example", server.port)).toMatchObject([
    { address: "::1", state: "refused" },
    { address: "127.0.0.1", state: "open" },
  ]);
  expect(open.lookedUp).toEqual(["dual.example"]);
});

test("a port at which nothing comes back is filtered", async () => {
  await using deaf = await openDeafListener();
  await using open = await openNet({});
  expect(await open.net.connect("127.0.0.1", deaf.port, { timeoutMs: 200 })).toMatchObject([
    { address: "127.0.0.1", state: "filtered" },
  ]);
});

test("a page at a port where nothing comes back ends at the deadline, in the target's name", async () => {
  await using deaf = await openDeafListener();
  await using open = await openNet({});
  expect(await open.net.fetch(`http://127.0.0.1:${deaf.port}/`, { timeoutMs: 200 })).toMatchObject({
    phase: "deadline",
    reason: `127.0.0.1 did not react on port ${deaf.port} within 200 ms`,
    fault: "target",
  });
});

test("an address that is filtered does not keep a page from being reached by the next", async () => {
  await using deaf = await openDeafListener();
  await using server = await listen(
    createServer((socket) => socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\n\r\n"))),
    { host: "::1", port: deaf.port },
  );
  await using open = await openNet({
    allow: ["127.0.0.1", "::1"],
    names: { "half.example": [["127.0.0.1", "::1"]] },
  });
  expect(await open.net.fetch(`http://half.example:${server.port}/`)).toMatchObject({
    reached: true,
    address: "::1",
    deadAddresses: ["127.0.0.1"],
  });
});

test.each([
  ["10.0.0.1", "policy", "NET_ALLOW=127.0.0.0/8,10.0.0.1"],
  ["0xa9fea9fe", "policy", "169.254.169.254"],
  ["nowhere.example", "dns", "the name nowhere.example has no address"],
  ["a b", "policy", "that is not a host name or an address"],
])("the policy for a port is the same as for a page: %s", async (host, phase, words) => {
  await using open = await openNet({});
  const outcome = await open.net.connect(host, 22);
  expect(outcome).toMatchObject({ reached: false, phase });
  expect("reason" in outcome ? outcome.reason : "").toContain(words);
});

test("a cancelled probe throws the reason", async () => {
  const asked = new AbortController();
  await using open = await openNet({ names: { "slow.example": ["never"] } });
  const outcome = open.net.connect("slow.example", 22, { signal: asked.signal });
  asked.abort(new Error("not wanted"));
  await expect(outcome).rejects.toThrow("not wanted");
});
