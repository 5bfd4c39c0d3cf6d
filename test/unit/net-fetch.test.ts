import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTcpServer, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { listen, openNet } from "../support/net.ts";

const serve = (listener: RequestListener) => listen(createServer(listener));
/** A server that speaks raw bytes as soon as it is asked. */
const serveRaw = (answer: (socket: Socket) => void) =>
  listen(
    createTcpServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => answer(socket));
    }),
  );

/** A port of the loopback that nobody listens on. */
async function closedPort(): Promise<number> {
  await using gone = await listen(createTcpServer());
  return gone.port;
}

describe("a page that answers", () => {
  test("gives its status, its body, the address and where the time went", async () => {
    await using server = await serve((_, response) => response.end("hello"));
    await using open = await openNet({ names: { "shop.example": [["127.0.0.1"]] } });
    const page = await open.net.fetch(`http://shop.example:${server.port}/a?b=1#c`);
    expect(page).toEqual({
      reached: true,
      url: `http://shop.example:${server.port}/a?b=1`,
      host: "shop.example",
      status: 200,
      totalMs: expect.any(Number),
      phases: {
        dnsMs: expect.any(Number),
        tcpMs: expect.any(Number),
        tlsMs: 0,
        ttfbMs: expect.any(Number),
      },
      hops: [{ url: `http://shop.example:${server.port}/a?b=1`, status: 200 }],
      address: "127.0.0.1",
      finalUrl: `http://shop.example:${server.port}/a?b=1`,
      bodyText: "hello",
      isBodyCut: false,
      deadAddresses: [],
    });
    if (!page.reached) return;
    const { dnsMs, tcpMs, ttfbMs } = page.phases;
    expect(tcpMs).toBeGreaterThan(0);
    expect(ttfbMs).toBeGreaterThan(0);
    expect(page.totalMs).toBeGreaterThanOrEqual(Math.floor(dnsMs + tcpMs + ttfbMs));
  });

  test("is an answer also with an error status", async () => {
    await using server = await serve((_, response) => response.writeHead(503).end("busy"));
    await using open = await openNet({});
    expect(await open.net.fetch(`http://127.0.0.1:${server.port}`)).toMatchObject({
      reached: true,
      status: 503,
      phases: { dnsMs: 0, tlsMs: 0 },
      bodyText: "busy",
    });
  });

  test("is asked as people expect: its own host name, GET, no compression, by HEAD where wanted", async () => {
    const seen: unknown[] = [];
    await using server = await serve(({ method, headers }, response) => {
      seen.push({ method, host: headers.host, encoding: headers["accept-encoding"] });
      response.end("body");
    });
    await using open = await openNet({ names: { "xn--bcher-kva.example": [["127.0.0.1"]] } });
    const url = `http://bücher.example:${server.port}/`;
    await open.net.fetch(url);
    const head = await open.net.fetch(url, { method: "HEAD" });
    expect(head).toMatchObject({ bodyText: "", host: "bücher.example (xn--bcher-kva.example)" });
    const host = `xn--bcher-kva.example:${server.port}`;
    expect(seen).toEqual([
      { method: "GET", host, encoding: "identity" },
      { method: "HEAD", host, encoding: "identity" },
    ]);
  });

  test("is read in its own character set, and unpacked where it was packed unasked", async () => {
    await using server = await serve(({ url }, response) => {
      if (url === "/latin") response.writeHead(200, { "content-type": 'text/html; charset="iso-8859-1"' });
      else response.writeHead(200, { "content-encoding": "gzip" });
      response.end(url === "/latin" ? Buffer.from([0x66, 0xfc, 0x72]) : gzipSync("packed"));
    });
    await using open = await openNet({});
    expect(await open.net.fetch(`http://127.0.0.1:${server.port}/latin`)).toMatchObject({ bodyText: "für" });
    expect(await open.net.fetch(`http://127.0.0.1:${server.port}/gzip`)).toMatchObject({
      bodyText: "packed",
    });
  });

  test("is read up to the cap and no further", async () => {
    let sent = 0;
    await using server = await serve((_, response) => {
      const chunk = Buffer.alloc(65_536, "x");
      const more = (): void => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.length;
      };
      response.on("drain", more);
      more();
    });
    await using open = await openNet({}, { settings: { maxBodyBytes: 100_000 } });
    const page = await open.net.fetch(`http://127.0.0.1:${server.port}`);
    expect(page).toMatchObject({ reached: true, status: 200, isBodyCut: true });
    expect(page.reached && page.bodyText.length).toBe(100_000);
    const less = await open.net.fetch(`http://127.0.0.1:${server.port}`, { maxBytes: 10 });
    expect(less).toMatchObject({ bodyText: "xxxxxxxxxx", isBodyCut: true });
    const more = await open.net.fetch(`http://127.0.0.1:${server.port}`, { maxBytes: 10_000_000 });
    expect(more.reached && more.bodyText.length).toBe(100_000);
    expect(sent).toBeLessThan(100_000_000);
  });

  test("of exactly the cap is whole", async () => {
    await using server = await serve((_, response) => response.end("12345"));
    await using open = await openNet({});
    const page = await open.net.fetch(`http://127.0.0.1:${server.port}`, { maxBytes: 5 });
    expect(page).toMatchObject({ bodyText: "12345", isBodyCut: false });
  });

  test("is found on the second address when the first is dead, and says so", async () => {
    await using server = await serve((_, response) => response.end());
    await using open = await openNet({
      allow: ["127.0.0.0/8", "::1"],
      names: { "dual.example": [["::1", "127.0.0.1"]] },
    });
    expect(await open.net.fetch(`http://dual.example:${server.port}`)).toMatchObject({
      reached: true,
      address: "127.0.0.1",
      deadAddresses: ["::1"],
    });
  });

  test("is reached by the family that was asked for", async () => {
    await using server = await listen(
      createServer((_, response) => response.end()),
      { host: "::1" },
    );
    await using open = await openNet({
      allow: ["127.0.0.0/8", "::1"],
      names: { "dual.example": [["127.0.0.1", "::1"]] },
    });
    const url = `http://dual.example:${server.port}`;
    expect(await open.net.fetch(url, { family: 6 })).toMatchObject({ reached: true, address: "::1" });
    expect(await open.net.fetch(`http://[::1]:${server.port}`)).toMatchObject({
      reached: true,
      address: "::1",
    });
    expect(await open.net.fetch(url, { family: 4 })).toMatchObject({ reached: false, phase: "connect" });
    expect(await open.net.fetch(`http://[::1]:${server.port}`, { family: 4 })).toMatchObject({
      reached: false,
      phase: "dns",
      reason: "::1 is not an IPv4 address",
      fault: "target",
    });
  });
});

describe("a user and password in the URL", () => {
  test("are sent to that host alone and shown nowhere", async () => {
    const seen: (string | undefined)[] = [];
    await using other = await serve(({ headers }, response) => {
      seen.push(headers.authorization);
      response.end();
    });
    await using server = await serve(({ url, headers }, response) => {
      seen.push(headers.authorization);
      response.writeHead(302, {
        location: url === "/" ? "/next" : `http://127.0.0.1:${other.port}/`,
      });
      response.end();
    });
    await using open = await openNet({});
    const page = await open.net.fetch(`http://us%C3%A9r:p%40ss@127.0.0.1:${server.port}/`);
    // "usér:p@ss" in UTF-8 and base64.
    expect(seen).toEqual(["Basic dXPDqXI6cEBzcw==", "Basic dXPDqXI6cEBzcw==", undefined]);
    expect(page).toMatchObject({ reached: true });
    expect(JSON.stringify(page)).not.toMatch(/us%C3%A9r|p%40ss|p@ss/);
  });

  test.each([
    "http://user:secret@127.0.0.1:PORT/",
    "http://user:secret@10.0.0.1/",
    "http://user:secret@nowhere.example/",
    "http://user:secret@",
    "ftp://user:secret@example.com/",
    "http:\\\\user:secret@127.0.0.1:PORT\\",
  ])("stand in no reason: %s", async (url) => {
    const port = await closedPort();
    await using open = await openNet({});
    const page = await open.net.fetch(url.replace("PORT", String(port)));
    expect(page.reached).toBe(false);
    expect(JSON.stringify(page)).not.toContain("secret");
  });
});

describe("a page that is not reached", () => {
  test("because its port is closed is the target's fault", async () => {
    const port = await closedPort();
    await using open = await openNet({});
    expect(await open.net.fetch(`http://127.0.0.1:${port}/`)).toEqual({
      reached: false,
      url: `http://127.0.0.1:${port}`,
      phase: "connect",
      reason: `127.0.0.1 refuses connections on port ${port}`,
      code: "ECONNREFUSED",
      fault: "target",
      totalMs: expect.any(Number),
      hops: [],
    });
  });

  test("because its name does not exist is the target's fault", async () => {
    await using open = await openNet({});
    expect(await open.net.fetch("http://nowhere.example/")).toMatchObject({
      reached: false,
      phase: "dns",
      reason: "the name nowhere.example has no address",
      code: "ENOTFOUND",
      fault: "target",
    });
  });

  test("because no resolver answers is the prober's fault", async () => {
    await using open = await openNet({ names: { "a.example": ["EAI_AGAIN"], "b.example": ["never"] } });
    expect(await open.net.fetch("http://a.example/")).toMatchObject({
      phase: "dns",
      reason: "the name a.example cannot be looked up from here just now (EAI_AGAIN)",
      fault: "prober",
    });
    expect(await open.net.fetch("http://b.example/", { timeoutMs: 50 })).toMatchObject({
      phase: "deadline",
      reason: "b.example could not be looked up within 50 ms",
      code: "E_TIMEOUT",
      fault: "prober",
    });
  });

  test("because it never answers ends at the deadline", async () => {
    await using server = await serveRaw(() => undefined);
    await using open = await openNet({});
    expect(await open.net.fetch(`http://127.0.0.1:${server.port}`, { timeoutMs: 100 })).toMatchObject({
      phase: "deadline",
      reason: "connected, but no answer came within 100 ms",
      fault: "target",
    });
  });

  test.each([
    [
      "drips its body",
      "HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n",
      "answered 200, but its body was not complete within 300 ms",
    ],
    ["drips its headers", "HTTP/1.1 200 OK\r\nx-drip: ", "connected, but no answer came within 300 ms"],
  ])("because it %s for ever ends at the deadline", async (_, beginning, reason) => {
    await using server = await serveRaw((socket) => {
      socket.write(beginning);
      const drip = setInterval(() => socket.write("x"), 20);
      socket.on("close", () => clearInterval(drip));
    });
    await using open = await openNet({}, { settings: { timeoutMs: 300 } });
    const page = await open.net.fetch(`http://127.0.0.1:${server.port}`);
    expect(page).toMatchObject({ reached: false, phase: "deadline", reason });
    expect(page.totalMs).toBeGreaterThanOrEqual(290);
    expect(page.totalMs).toBeLessThan(2000);
  });

  test.each([
    ["is not HTTP", "SSH-2.0-OpenSSH_9.6\r\n", "response", /^what came back is not HTTP/],
    ["has a bad header", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "response", /^what came back is not HTTP/],
    [
      "has both lengths",
      "HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
      "response",
      /^its headers contradict each other/,
    ],
    [
      "has endless headers",
      `HTTP/1.1 200 OK\r\nx: ${"x".repeat(20_000)}\r\n\r\n`,
      "response",
      /^its headers are larger than 16 KiB$/,
    ],
    ["is nothing", "", "response", /^the connection was closed without an answer$/],
    [
      "stops in its headers",
      "HTTP/1.1 200 OK\r\nx: y",
      "response",
      /^the connection was closed without an answer$/,
    ],
    [
      "stops in its body",
      "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc",
      "body",
      /^answered 200, but its body broke off/,
    ],
    [
      "has a bad chunk",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
      "body",
      /^answered 200, but its body broke off/,
    ],
    [
      "is badly packed",
      "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\n\r\nabc",
      "body",
      /^answered 200, but its body broke off/,
    ],
  ] as const)("because the answer %s", async (...[, bytes, phase, reason]) => {
    await using server = await serveRaw((socket) => socket.end(bytes));
    await using open = await openNet({});
    const page = await open.net.fetch(`http://127.0.0.1:${server.port}/`);
    expect(page).toMatchObject({ reached: false, phase, fault: "target" });
    expect(page.reached ? "" : page.reason).toMatch(reason);
    expect(page.hops).toEqual(
      phase === "body" ? [{ url: `http://127.0.0.1:${server.port}/`, status: 200 }] : [],
    );
  });

  test("because the connection is reset", async () => {
    await using server = await serveRaw((socket) => socket.resetAndDestroy());
    await using open = await openNet({});
    expect(await open.net.fetch(`http://127.0.0.1:${server.port}/`)).toMatchObject({
      phase: "response",
      reason: "the connection was closed without an answer",
    });
  });
});

describe("an address that is not public", () => {
  test("is refused with the line that would allow it, and not connected to", async () => {
    await using server = await serve((_, response) => response.end());
    await using open = await openNet({ allow: [] });
    expect(await open.net.fetch(`http://127.0.0.1:${server.port}/`)).toMatchObject({
      reached: false,
      phase: "policy",
      code: "E_ADDRESS_REFUSED",
      reason:
        "127.0.0.1 is this machine itself. If checks may reach it, set NET_ALLOW=127.0.0.1 and start again.",
      fault: "prober",
    });
    expect(server.connections()).toBe(0);
  });

  test("is refused with a line that keeps what is allowed already", async () => {
    await using open = await openNet({
      allow: ["10.0.0.0/8", "intranet"],
      names: { localhost: [["::1", "127.0.0.1"]] },
    });
    const page = await open.net.fetch("http://localhost/");
    expect(page.reached ? "" : page.reason).toBe(
      "localhost is ::1, which is this machine itself; localhost is 127.0.0.1, which is this machine itself. " +
        "If checks may reach it, set NET_ALLOW=10.0.0.0/8,intranet,::1,127.0.0.1 and start again.",
    );
  });

  test("of a cloud's metadata is refused with no line at all", async () => {
    await using open = await openNet({ allow: ["169.254.0.0/16"] });
    const page = await open.net.fetch("http://169.254.169.254/latest/meta-data/");
    expect(page).toMatchObject({ phase: "policy", code: "E_ADDRESS_REFUSED" });
    expect(page.reached ? "" : page.reason).toBe(
      "169.254.169.254 is where clouds keep machine credentials, which no check ever reaches. Nothing can allow that.",
    );
  });

  test("is left aside where the host has others", async () => {
    await using server = await serve((_, response) => response.end());
    await using open = await openNet({
      allow: ["127.0.0.1"],
      names: { "mixed.example": [["10.0.0.1", "169.254.169.254", "127.0.0.1"]] },
    });
    expect(await open.net.fetch(`http://mixed.example:${server.port}/`)).toMatchObject({
      reached: true,
      address: "127.0.0.1",
      deadAddresses: [],
    });
  });

  test("is reached by a host's name where that is allowed", async () => {
    await using server = await serve((_, response) => response.end());
    await using open = await openNet({ allow: ["app.internal"], names: { "app.internal": [["127.0.0.1"]] } });
    expect(await open.net.fetch(`http://App.Internal:${server.port}/`)).toMatchObject({ reached: true });
  });

  test("cannot be slipped in by a second look-up: the vetted address is the one connected to", async () => {
    await using server = await serve((_, response) => response.end());
    await using open = await openNet({
      allow: ["127.0.0.1"],
      names: { "rebind.example": [["127.0.0.1"], ["127.0.0.2"]] },
    });
    const url = `http://rebind.example:${server.port}/`;
    expect(await open.net.fetch(url)).toMatchObject({ reached: true, address: "127.0.0.1" });
    expect(open.lookedUp).toEqual(["rebind.example"]);
    expect(await open.net.fetch(url)).toMatchObject({ reached: false, phase: "policy" });
  });
});

describe("redirects", () => {
  /** A server whose paths redirect as the table says; a path that it does not name answers 200. */
  const serveRedirects = (table: (port: number) => Readonly<Record<string, string>>) => {
    const server = createServer(({ url = "" }, response) => {
      const address = server.address();
      const location = table(typeof address === "object" && address !== null ? address.port : 0)[url];
      if (location === undefined) response.end(`at ${url}`);
      else response.writeHead(301, { location }).end("moved");
    });
    return listen(server);
  };

  test("are followed, and every hop is told", async () => {
    await using server = await serveRedirects(() => ({ "/a": "/b?x=1", "/b?x=1": "../c#frag" }));
    await using open = await openNet({});
    const at = `http://127.0.0.1:${server.port}`;
    expect(await open.net.fetch(`${at}/a`)).toMatchObject({
      reached: true,
      url: `${at}/a`,
      finalUrl: `${at}/c`,
      bodyText: "at /c",
      hops: [
        { url: `${at}/a`, status: 301 },
        { url: `${at}/b?x=1`, status: 301 },
        { url: `${at}/c`, status: 200 },
      ],
    });
  });

  test("are left alone where they are not to be followed", async () => {
    await using server = await serveRedirects(() => ({ "/a": "http://10.0.0.1/" }));
    await using open = await openNet({});
    expect(await open.net.fetch(`http://127.0.0.1:${server.port}/a`, { follow: false })).toMatchObject({
      reached: true,
      status: 301,
      bodyText: "moved",
    });
  });

  test.each([
    [{ "/a": "/b", "/b": "/a" }, "redirects in a loop: AT/a → AT/b → AT/a"],
    [{ "/a": "/a" }, "redirects in a loop: AT/a → AT/a"],
    [{ "/a": "/b", "/b": "/c", "/c": "/b#again" }, "redirects in a loop: AT/a → AT/b → AT/c → AT/b"],
    [
      { "/a": "/1", "/1": "/2", "/2": "/3", "/3": "/4", "/4": "/5", "/5": "/6" },
      "redirects more than 5 times: AT/a → AT/1 → AT/2 → AT/3 → AT/4 → AT/5 → AT/6",
    ],
    [
      { "/a": "ftp://example.com/" },
      "redirects to what cannot be asked for: only http and https can be checked, not ftp",
    ],
    [
      { "/a": "http://[bad" },
      "redirects to what cannot be asked for: that is not a URL: write it as https://example.com",
    ],
  ])("that lead nowhere are the target's fault: %o", async (table, reason) => {
    await using server = await serveRedirects(() => table);
    await using open = await openNet({});
    const at = `http://127.0.0.1:${server.port}`;
    expect(await open.net.fetch(`${at}/a`)).toMatchObject({
      reached: false,
      phase: "redirect",
      reason: reason.replaceAll("AT", at),
      fault: "target",
    });
  });

  test("five of them are not too many", async () => {
    await using server = await serveRedirects(() => ({
      "/a": "/1",
      "/1": "/2",
      "/2": "/3",
      "/3": "/4",
      "/4": "/5",
    }));
    await using open = await openNet({});
    expect(await open.net.fetch(`http://127.0.0.1:${server.port}/a`)).toMatchObject({ bodyText: "at /5" });
  });

  test.each([
    ["http://10.0.0.1/x", "NET_ALLOW=127.0.0.1,10.0.0.1"],
    ["http://0x7f.2/x", "NET_ALLOW=127.0.0.1,127.0.0.2"],
    ["http://inner.example/x", "NET_ALLOW=127.0.0.1,192.168.0.9"],
    ["//[::1]/x", "NET_ALLOW=127.0.0.1,::1"],
  ])("to an address that is not public are refused: %s", async (location, line) => {
    await using server = await serveRedirects(() => ({ "/a": location }));
    await using open = await openNet({ allow: ["127.0.0.1"], names: { "inner.example": [["192.168.0.9"]] } });
    const page = await open.net.fetch(`http://127.0.0.1:${server.port}/a`);
    expect(page).toMatchObject({
      reached: false,
      phase: "policy",
      code: "E_ADDRESS_REFUSED",
      fault: "prober",
      hops: [{ url: `http://127.0.0.1:${server.port}/a`, status: 301 }],
    });
    expect(page.reached ? "" : page.reason).toMatch(/^redirects to http:/);
    expect(page.reached ? "" : page.reason).toContain(line);
  });

  test("share one deadline", async () => {
    const server = createServer(({ url }, response) => {
      if (url === "/a") response.writeHead(302, { location: "/b" }).end();
    });
    await using listening = await listen(server);
    await using open = await openNet({});
    const page = await open.net.fetch(`http://127.0.0.1:${listening.port}/a`, { timeoutMs: 150 });
    expect(page).toMatchObject({
      phase: "deadline",
      reason: `redirects to http://127.0.0.1:${listening.port}/b: connected, but no answer came within 150 ms`,
    });
  });
});

describe("a call that is no longer wanted", () => {
  test.each(["its own signal", "the request's signal", "the agent's stop"])(
    "ends by %s and leaves no connection",
    async (by) => {
      const asked = new AbortController();
      const request = new AbortController();
      const server = createTcpServer();
      await using listening = await listen(server);
      await using open = await openNet({}, { signal: request.signal });
      const connected = once(server, "connection") as Promise<[Socket]>;
      const page = open.net.fetch(`http://127.0.0.1:${listening.port}/`, { signal: asked.signal });
      const failed = expect(page).rejects.toThrow(
        by === "the agent's stop" ? "net was used after its agent had stopped" : "not wanted",
      );
      const [socket] = await connected;
      socket.resume();
      const closed = once(socket, "close");
      if (by === "its own signal") asked.abort(new Error("not wanted"));
      else if (by === "the request's signal") request.abort(new Error("not wanted"));
      else await open.close();
      await failed;
      await closed;
    },
  );

  test("does not start after the agent has stopped", async () => {
    const open = await openNet({});
    await open.close();
    await expect(open.net.fetch("http://127.0.0.1/")).rejects.toThrow(
      "net was used after its agent had stopped",
    );
  });
});

test("a wrong entry of NET_ALLOW does not make a capability", async () => {
  await expect(openNet({ allow: ["10.0.0.0/40"] })).rejects.toThrow('"10.0.0.0/40" is not a range');
});
