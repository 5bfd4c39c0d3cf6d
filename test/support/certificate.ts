import { createPrivateKey, generateKeyPairSync, randomBytes, sign, X509Certificate } from "node:crypto";
import { isIP } from "node:net";

/** A certificate and its private key, both PEM. */
export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateTerms {
  /** Host names and IPv4 addresses that it is for; the first is the common name. */
  readonly names: readonly string[];
  readonly from: Date;
  readonly until: Date;
  /** Who signs it; it signs itself where nobody does. */
  readonly issuer?: TestCertificate;
  /** Whether it may sign others. */
  readonly isAuthority?: boolean;
}

/** Makes a certificate, since Node can read them but not write them: X.509 v3 on P-256, just what a server needs. */
export function createCertificate(terms: CertificateTerms): TestCertificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  const own = nameOf(terms.names[0] ?? "");
  const issuer = terms.issuer === undefined ? own : subjectOf(terms.issuer.cert);
  const body = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_SHA256,
    issuer,
    sequence(time(terms.from), time(terms.until)),
    own,
    publicKey.export({ type: "spki", format: "der" }),
    tagged(0xa3, sequence(...extensions(terms))),
  );
  const signature = sign("sha256", body, createPrivateKey(terms.issuer?.key ?? key));
  const der = sequence(body, ECDSA_SHA256, bits(signature));
  return { cert: new X509Certificate(der).toString(), key };
}

function extensions({ names, isAuthority }: CertificateTerms): Buffer[] {
  const alternatives = names.map((name) =>
    isIP(name) === 4
      ? tagged(0x87, Buffer.from(name.split(".").map(Number)))
      : tagged(0x82, Buffer.from(name)),
  );
  const basic = isAuthority === true ? sequence(tagged(0x01, Buffer.from([0xff]))) : sequence();
  return [
    sequence(oid(0x55, 0x1d, 0x11), octets(sequence(...alternatives))),
    sequence(oid(0x55, 0x1d, 0x13), tagged(0x01, Buffer.from([0xff])), octets(basic)),
  ];
}

/** The DER of `CN=<name>`. */
function nameOf(name: string): Buffer {
  return sequence(tagged(0x31, sequence(oid(0x55, 0x04, 0x03), tagged(0x0c, Buffer.from(name)))));
}

function subjectOf(cert: string): Buffer {
  return nameOf(new X509Certificate(cert).subject.replace(/^CN=/, ""));
}

function tagged(tag: number, content: Buffer): Buffer {
  const length = content.length;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const size = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: Buffer[]): Buffer => tagged(0x30, Buffer.concat(parts));
const integer = (bytes: Buffer): Buffer => tagged(0x02, bytes);
const octets = (bytes: Buffer): Buffer => tagged(0x04, bytes);
const bits = (bytes: Buffer): Buffer => tagged(0x03, Buffer.concat([Buffer.from([0]), bytes]));
const oid = (...bytes: number[]): Buffer => tagged(0x06, Buffer.from(bytes));
const ECDSA_SHA256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));

/** GeneralizedTime for every year; verifiers accept it also where UTCTime would be usual. */
function time(at: Date): Buffer {
  const digits = at.toISOString().replaceAll(/[-:T]|\.\d+/g, "");
  return tagged(0x18, Buffer.from(digits));
}
