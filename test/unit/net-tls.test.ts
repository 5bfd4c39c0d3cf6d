import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:https";
import { createServer as createTcpServer } from "node:net";
import { expect, test } from "vitest";
import { createCertificate, type CertificateTerms, type TestCertificate } from "../support/certificate.ts";
import { listen, openNet } from "../support/net.ts";

const NOW = Date.parse("2031-06-15T12:00:00Z");
/** Validity is judged by OpenSSL's own clock, so what must be valid is so for a century. */
const VALID = { from: new Date("2020-01-01T00:00:00Z"), until: new Date("2120-01-01T00:00:00Z") };
const authority = createCertificate({ names: ["Test Root"], ...VALID, isAuthority: true });
const intermediate = createCertificate({
  names: ["Test Intermediate"],
  ...VALID,
  issuer: authority,
  isAuthority: true,
});

const leaf = (terms: Partial<CertificateTerms> = {}): TestCertificate =>
  createCertificate({ names: ["shop.example"], ...VALID, issuer: authority, ...terms });
const serve = (certificate: TestCertificate, location?: string) =>
  listen(
    createServer(certificate, (_, response) => {
      if (location !== undefined) response.writeHead(302, { location });
      response.end("secret page");
    }),
  );
const open = () =>
  openNet({
    ca: [authority.cert],
    now: () => NOW,
    names: { "shop.example": [["127.0.0.1"]], "old.example": [["127.0.0.1"]] },
  });

test("a page with a good certificate says how many whole days that has left", async () => {
  await using server = await serve(leaf({ until: new Date("2031-07-01T11:00:00Z") }));
  await using opened = await open();
  const page = await opened.net.fetch(`https://shop.example:${server.port}/`);
  expect(page).toMatchObject({
    reached: true,
    status: 200,
    bodyText: "secret page",
    certificateDaysLeft: 15,
  });
  expect(page.reached && page.phases.tlsMs).toBeGreaterThan(0);
});

test("on its last day a certificate has 0 days left", async () => {
  await using server = await serve(leaf({ until: new Date("2031-06-15T13:00:00Z") }));
  await using opened = await open();
  expect(await opened.net.fetch(`https://shop.example:${server.port}/`)).toMatchObject({
    certificateDaysLeft: 0,
  });
});

test("a certificate for an address is good for that address", async () => {
  await using server = await serve(leaf({ names: ["127.0.0.1"] }));
  await using opened = await open();
  expect(await opened.net.fetch(`https://127.0.0.1:${server.port}/`)).toMatchObject({ reached: true });
});

test("of two hosts on the way the certificate that ends first counts", async () => {
  await using target = await serve(leaf({ until: new Date("2031-09-15T12:00:00Z") }));
  await using server = await serve(
    leaf({ names: ["old.example"], until: new Date("2031-06-20T12:00:00Z") }),
    `https://shop.example:${target.port}/`,
  );
  await using opened = await open();
  expect(await opened.net.fetch(`https://old.example:${server.port}/`)).toMatchObject({
    status: 200,
    certificateDaysLeft: 5,
  });
});

const WRONG: readonly (readonly [string, TestCertificate, string, string])[] = [
  [
    "has expired",
    leaf({ from: new Date("2021-01-01T00:00:00Z"), until: new Date("2022-02-03T00:00:00Z") }),
    "CERT_HAS_EXPIRED",
    "its certificate expired on 2022-02-03",
  ],
  [
    "is not valid yet",
    leaf({ from: new Date("2119-01-02T03:04:05Z") }),
    "CERT_NOT_YET_VALID",
    "its certificate is not valid yet (from Jan  2 03:04:05 2119 GMT)",
  ],
  [
    "is for another name",
    leaf({ names: ["www.other.example", "other.example"] }),
    "ERR_TLS_CERT_ALTNAME_INVALID",
    "its certificate is not for shop.example, but for www.other.example, other.example",
  ],
  [
    "is signed by itself",
    createCertificate({ names: ["shop.example"], ...VALID }),
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "its certificate is signed by itself, so nobody vouches for it",
  ],
  [
    "comes without its intermediate",
    leaf({ issuer: intermediate }),
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    "it does not send the certificate between its own and a trusted authority: add the intermediate",
  ],
];

test.each(WRONG)(
  "a certificate that %s is refused before anything is asked",
  async (...[, certificate, code, reason]) => {
    let asked = 0;
    const https = createServer(certificate, (_request, response) => {
      asked += 1;
      response.end();
    });
    await using server = await listen(https);
    await using opened = await open();
    expect(await opened.net.fetch(`https://shop.example:${server.port}/`)).toMatchObject({
      reached: false,
      phase: "tls",
      code,
      reason,
      fault: "target",
    });
    expect(asked).toBe(0);
  },
);

test("a chain with its intermediate is good, and one to an unknown authority is not", async () => {
  const served = leaf({ issuer: intermediate });
  await using server = await serve({ ...served, cert: served.cert + intermediate.cert });
  await using known = await open();
  expect(await known.net.fetch(`https://shop.example:${server.port}/`)).toMatchObject({ reached: true });
  await using complete = await serve({ ...served, cert: served.cert + intermediate.cert + authority.cert });
  await using unknown = await openNet({ names: { "shop.example": [["127.0.0.1"]] } });
  expect(await unknown.net.fetch(`https://shop.example:${complete.port}/`)).toMatchObject({
    phase: "tls",
    code: "SELF_SIGNED_CERT_IN_CHAIN",
    reason: "its certificate comes from an authority that this machine does not trust",
  });
});

test("the first host's certificate is judged also when it only redirects", async () => {
  await using server = await serve(
    createCertificate({ names: ["shop.example"], ...VALID }),
    "http://127.0.0.1/",
  );
  await using opened = await open();
  expect(await opened.net.fetch(`https://shop.example:${server.port}/`)).toMatchObject({
    phase: "tls",
    hops: [],
  });
});

test("plain HTTP behind https:// is named", async () => {
  await using server = await listen(createHttpServer((_, response) => response.end()));
  await using opened = await open();
  expect(await opened.net.fetch(`https://shop.example:${server.port}/`)).toMatchObject({
    phase: "tls",
    code: "ERR_SSL_WRONG_VERSION_NUMBER",
    reason: "there is no TLS on that port; plain HTTP perhaps: try http:// instead",
  });
});

test("versions of TLS that are no longer safe are named", async () => {
  const certificate = leaf();
  const old = createServer(
    { ...certificate, minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" },
    (_, response) => response.end(),
  );
  await using server = await listen(old);
  await using opened = await open();
  expect(await opened.net.fetch(`https://shop.example:${server.port}/`)).toMatchObject({
    phase: "tls",
    reason: "it speaks only versions of TLS that are no longer safe",
  });
});

test("a connection that closes in the handshake is the target's fault", async () => {
  await using server = await listen(createTcpServer((socket) => socket.once("data", () => socket.end())));
  await using opened = await open();
  expect(await opened.net.fetch(`https://shop.example:${server.port}/`)).toMatchObject({
    phase: "tls",
    reason: "the connection was closed in the middle of the TLS handshake",
    fault: "target",
  });
});

test("a handshake that never ends does so at the deadline", async () => {
  await using server = await listen(createTcpServer((socket) => socket.resume()));
  await using opened = await open();
  expect(await opened.net.fetch(`https://shop.example:${server.port}/`, { timeoutMs: 100 })).toMatchObject({
    phase: "deadline",
    reason: "connected, but TLS was not agreed on within 100 ms",
  });
});
