import { expect, test } from "vitest";
import { once } from "node:events";
import { createServer } from "node:net";
import { createNetCapability } from "../../src/capabilities/net/index.ts";
import { listen } from "../support/net.ts";
import { SILENT } from "../support/silent-log.ts";
import { createMemoryStore } from "../../src/sdk/testing/index.ts";

test("a page that did not answer in time is not called down when this process itself stood still meanwhile", async () => {
  // Takes the connection and says nothing.
  const server = createServer(() => undefined);
  await using site = await listen(server);
  const definition = createNetCapability({ allow: ["127.0.0.1"] });
  const mounted = await definition.mount({
    agent: { id: "x", name: "web" },
    settings: definition.settings.parse(undefined),
    log: SILENT,
    own: createMemoryStore(),
  });
  const net = mounted.handle({ signal: new AbortController().signal } as Parameters<
    typeof mounted.handle
  >[0]);
  const isConnected = once(server, "connection");
  const page = net.fetch(`http://127.0.0.1:${site.port}/`, { timeoutMs: 300 });
  await isConnected;
  // Nothing in this process moves for longer than the whole call may take, as when a lid is shut.
  const until = performance.now() + 1600;
  while (performance.now() < until);
  expect(await page).toMatchObject({ reached: false, phase: "deadline", fault: "prober" });
  await mounted.close();
});
