import type { Trouble } from "./contract.ts";

/** Errors that say something about the machine that checks, not about the one that is checked. */
const OWN_FAULTS = new Set([
  "ENETUNREACH",
  "ENETDOWN",
  "EADDRNOTAVAIL",
  "EMFILE",
  "ENFILE",
  "ENOBUFS",
  "EACCES",
  "EPERM",
]);

/** The system's or the library's code of an error; "E_INTERNAL" for one that has none. */
export function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "E_INTERNAL";
  if ("code" in error && typeof error.code === "string") return error.code;
  return "name" in error && typeof error.name === "string" ? error.name : "E_INTERNAL";
}

/** Why no address of a host could be connected to. `errors` are those of the single attempts. */
export function connectTrouble(host: string, port: number, errors: readonly unknown[]): Trouble {
  const codes = [...new Set(errors.map(codeOf))];
  const theirs = codes.find((code) => !OWN_FAULTS.has(code));
  const code = theirs ?? codes[0] ?? "E_INTERNAL";
  const fault = theirs === undefined ? "prober" : "target";
  return { phase: "connect", reason: connectWords(host, port, code), code, fault };
}

function connectWords(host: string, port: number, code: string): string {
  switch (code) {
    case "ECONNREFUSED":
      return `${host} refuses connections on port ${port}`;
    case "ECONNRESET":
      return `${host} breaks off connections on port ${port}`;
    case "ETIMEDOUT":
      return `${host} does not react on port ${port}`;
    case "EHOSTUNREACH":
    case "EHOSTDOWN":
      return `the network says that ${host} is not there`;
    case "ENETUNREACH":
    case "ENETDOWN":
    case "EADDRNOTAVAIL":
      return `this machine has no way to the network of ${host}`;
    default:
      return `${host} could not be connected to on port ${port} (${code})`;
  }
}

/** Why a page that was connected to gave no answer that is HTTP. */
export function responseTrouble(error: unknown): Trouble {
  const code = codeOf(error);
  return { phase: "response", reason: responseWords(code), code, fault: "target" };
}

function responseWords(code: string): string {
  if (code.startsWith("HPE_")) return `what came back is not HTTP (${code})`;
  switch (code) {
    case "HTTPParserError":
      return "what came back is not HTTP";
    case "UND_ERR_RES_CONTENT_LENGTH_MISMATCH":
      return "its headers contradict each other about the body's length";
    case "UND_ERR_SOCKET":
    case "ECONNRESET":
    case "EPIPE":
      return "the connection was closed without an answer";
    case "UND_ERR_HEADERS_OVERFLOW":
      return "its headers are larger than 16 KiB";
    case "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED":
      return "it wants a certificate from whoever asks";
    default:
      return `no answer came back (${code})`;
  }
}

/** Why the body after an answer's head could not be read. */
export function bodyTrouble(error: unknown, status: number): Trouble {
  const code = codeOf(error);
  return {
    phase: "body",
    reason: `answered ${status}, but its body broke off (${code})`,
    code,
    status,
    fault: "target",
  };
}
