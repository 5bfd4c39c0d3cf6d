import { once } from "node:events";
import { isIP, type Socket } from "node:net";
import { connect, type PeerCertificate, type TLSSocket } from "node:tls";
import type { Trouble } from "./contract.ts";
import { codeOf } from "./faults.ts";
import { msSince, overdue, type Span } from "./span.ts";
import type { Host } from "./target.ts";

const DAY_MS = 86_400_000;

export interface TlsTerms {
  /** PEM certificates trusted instead of the system's; undefined for the system's. */
  readonly ca: readonly string[] | undefined;
  /** Unix ms, for the certificate's remaining days. */
  readonly now: () => number;
}

export interface SecureSocket {
  readonly socket: TLSSocket;
  readonly ms: number;
  readonly daysLeft: number;
}

/** Makes a connected socket a verified TLS one, or says what is wrong with the other side's certificate. */
export async function openTls(
  plain: { readonly socket: Socket; readonly host: Host },
  terms: TlsTerms,
  span: Span,
): Promise<SecureSocket | Trouble> {
  const start = performance.now();
  const name = plain.host.name.replace(/\.$/, "");
  const socket = connect({
    socket: plain.socket,
    host: name,
    ...(isIP(name) === 0 ? { servername: name } : {}),
    ALPNProtocols: ["http/1.1"],
    ...(terms.ca === undefined ? {} : { ca: [...terms.ca] }),
    // Judged below, before a byte is sent: a refused handshake would take the certificate's dates and names with it.
    rejectUnauthorized: false,
  });
  socket.on("error", () => undefined);
  try {
    await once(socket, "secureConnect", { signal: span.signal });
  } catch (error) {
    socket.destroy();
    plain.socket.destroy();
    if (span.signal.aborted) return overdue("tls", span, "connected, but TLS was not agreed on");
    return handshakeTrouble(codeOf(error));
  }
  const certificate = socket.getPeerCertificate();
  if (!socket.authorized) {
    socket.destroy();
    return certificateTrouble(codeOfRefusal(socket.authorizationError), certificate, {
      host: plain.host,
      terms,
    });
  }
  const daysLeft = Math.floor((Date.parse(certificate.valid_to) - terms.now()) / DAY_MS);
  return { socket, ms: msSince(start), daysLeft };
}

/** `authorizationError` is typed as an Error and is most often the bare code. */
function codeOfRefusal(refusal: unknown): string {
  return typeof refusal === "string" ? refusal : codeOf(refusal);
}

function handshakeTrouble(code: string): Trouble {
  return { phase: "tls", reason: handshakeWords(code), code, fault: "target" };
}

function handshakeWords(code: string): string {
  switch (code) {
    case "ERR_SSL_WRONG_VERSION_NUMBER":
    case "ERR_SSL_PACKET_LENGTH_TOO_LONG":
    case "ERR_SSL_HTTP_REQUEST":
      return "there is no TLS on that port; plain HTTP perhaps: try http:// instead";
    case "ECONNRESET":
    case "EPIPE":
      return "the connection was closed in the middle of the TLS handshake";
    case "ERR_SSL_UNSUPPORTED_PROTOCOL":
    case "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION":
      return "it speaks only versions of TLS that are no longer safe";
    default:
      return `the TLS handshake failed (${code})`;
  }
}

function certificateTrouble(
  code: string,
  certificate: PeerCertificate,
  { host, terms }: { readonly host: Host; readonly terms: TlsTerms },
): Trouble {
  return {
    phase: "tls",
    reason: certificateWords(code, certificate, { host, terms }),
    code,
    fault: "target",
  };
}

function certificateWords(
  code: string,
  certificate: PeerCertificate,
  { host, terms }: { readonly host: Host; readonly terms: TlsTerms },
): string {
  switch (code) {
    case "CERT_HAS_EXPIRED": {
      const end = Date.parse(certificate.valid_to);
      if (!(end <= terms.now())) return "a certificate in its chain has expired";
      return `its certificate expired on ${new Date(end).toISOString().slice(0, 10)}`;
    }
    case "CERT_NOT_YET_VALID":
      return `its certificate is not valid yet (from ${certificate.valid_from})`;
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return `its certificate is not for ${host.shown}, but for ${certificateNames(certificate)}`;
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
      return "its certificate is signed by itself, so nobody vouches for it";
    case "SELF_SIGNED_CERT_IN_CHAIN":
      return "its certificate comes from an authority that this machine does not trust";
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
      return "it does not send the certificate between its own and a trusted authority: add the intermediate";
    case "CERT_REVOKED":
      return "its certificate has been revoked";
    default:
      return `its certificate cannot be verified (${code})`;
  }
}

function certificateNames(certificate: PeerCertificate): string {
  const names = (certificate.subjectaltname ?? "")
    .split(", ")
    .filter((name) => name !== "")
    .map((name) => name.replace(/^(?:DNS|IP Address):/, ""));
  if (names.length === 0) return "no name at all";
  return names.length > 4 ? `${names.slice(0, 4).join(", ")} and ${names.length - 4} more` : names.join(", ");
}
