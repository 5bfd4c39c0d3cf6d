import ipaddr from "ipaddr.js";
import type { Claims, Entity } from "./entity.ts";

const SCHEME_URL = /(?<![\p{L}\p{N}])[a-z][a-z0-9+.-]{1,15}:\/\/[^\s<>"`«»“”„]+/giu;
const EMAIL = /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63})+/gu;
const CHUNK = /[^\s,;<>(){}"'`«»“”„|]+/gu;
const NAMED_VALUE = /^[\p{L}_][\p{L}\p{N}_-]*=/u;
const ADDRESS = /^(?:\[([0-9a-f:.]+)\]|([^:/?#@[\]]+))(?::(\d{1,5}))?([/?#].*)?$/iu;
const LEADING = /^[.!?:*_~¿¡]+(?=[^\s:])/u;
const MARKS_BEHIND = ".!?*_~…";
const LABEL = /^[\p{L}\p{N}_](?:[\p{L}\p{N}\p{M}_-]{0,61}[\p{L}\p{N}\p{M}])?$/u;
const LAST_LABEL = /^(?:\p{L}[\p{L}\p{M}]{1,62}|xn--[a-z0-9-]{1,59})$/iu;
const LONGEST_HOST = 253;
// Endings that are far more often a file's, an hour's or an abbreviation's than a host's.
const NOT_A_HOST =
  /(?:\.(?:txt|log|json|ya?ml|toml|ini|cfg|conf|csv|xml|html?|css|[jt]sx?|[cm][jt]s|py|pdf|png|jpe?g|gif|svg|exe|dll|gz|bak|tmp|etc)|^\d{1,2}\.(?:am|pm|uhr))$/iu;

/** Web addresses with a scheme, e-mail addresses, hosts, hosts with a path, and the ports right behind hosts. */
export function findAddresses(text: string, claims: Claims): Entity[] {
  return [...findUrls(text, claims), ...findEmails(text, claims), ...findHosts(text, claims)];
}

/** Whether a text as a whole is a host name with a dot in it, `localhost` or an IP address without brackets. */
export function isHost(text: string): boolean {
  if (text.length > LONGEST_HOST) return false;
  // What the library refuses costs it an exception.
  if (/^[\d.]+$/u.test(text) && ipaddr.IPv4.isValidFourPartDecimal(text)) return true;
  if (text.includes(":")) return /[0-9a-f]/iu.test(text) && ipaddr.IPv6.isValid(text);
  if (text.toLowerCase() === "localhost") return true;
  const labels = text.split(".");
  const last = labels.at(-1) ?? "";
  if (labels.length < 2 || NOT_A_HOST.test(text)) return false;
  // "It is down.Please look" is a missing space, not a host.
  if (/^\p{Lu}\p{Ll}/u.test(last)) return false;
  return LAST_LABEL.test(last) && labels.every((label) => LABEL.test(label));
}

function findUrls(text: string, claims: Claims): Entity[] {
  if (!text.includes("://")) return [];
  const found: Entity[] = [];
  for (const match of text.matchAll(SCHEME_URL)) {
    const value = withoutTrailingMarks(match[0]);
    const end = match.index + value.length;
    if (!URL.canParse(value) || !claims.isFree(match.index, end)) continue;
    claims.claim(match.index, end);
    found.push({ kind: "url", value, start: match.index, end, text: value });
  }
  return found;
}

/** A full stop, a quotation mark or an unpaired bracket at the end belongs to the sentence, not to the address. */
function withoutTrailingMarks(url: string): string {
  const count = (mark: string): number => url.split(mark).length - 1;
  // How many brackets are closed, before the end, more often than opened.
  const surplus = { ")": count(")") - count("("), "]": count("]") - count("[") };
  let end = url.length;
  for (; end > 0; end--) {
    const last = url[end - 1] ?? "";
    if (last === ")" || last === "]") {
      if (surplus[last] <= 0) break;
      surplus[last]--;
    } else if (!".,;:!?'*_~…}|".includes(last)) break;
  }
  return url.slice(0, end);
}

/** A text without certain characters at its end. */
function withoutAtEnd(text: string, marks: string): string {
  let end = text.length;
  while (end > 0 && marks.includes(text[end - 1] ?? "")) end--;
  return text.slice(0, end);
}

function findEmails(text: string, claims: Claims): Entity[] {
  if (!text.includes("@")) return [];
  const found: Entity[] = [];
  for (const { 0: value, index: start } of text.matchAll(EMAIL)) {
    const end = start + value.length;
    if (!claims.isFree(start, end)) continue;
    claims.claim(start, end);
    found.push({ kind: "email", value, start, end, text: value });
  }
  return found;
}

function findHosts(text: string, claims: Claims): Entity[] {
  const found: Entity[] = [];
  for (const match of text.matchAll(CHUNK)) {
    const [chunk] = match;
    if (!chunk.includes(".") && !chunk.includes(":") && !/localhost/iu.test(chunk)) continue;
    const cut = chunk.match(NAMED_VALUE)?.[0].length ?? 0;
    const lead = chunk.slice(cut).startsWith("::") ? 0 : (chunk.slice(cut).match(LEADING)?.[0].length ?? 0);
    const start = match.index + cut + lead;
    const body = withoutTrailing(chunk.slice(cut + lead));
    if (body !== "" && claims.isFree(start, start + body.length)) found.push(...readAddress(body, start));
  }
  for (const { start, end } of found) claims.claim(start, end);
  return found;
}

/** A colon at the end is the sentence's, unless it is an address's own, as in `fe80::`. */
function withoutTrailing(chunk: string): string {
  const body = withoutAtEnd(chunk, MARKS_BEHIND);
  return body.endsWith("::") && isHost(body) ? body : withoutAtEnd(chunk, `${MARKS_BEHIND}:`);
}

function readAddress(body: string, start: number): Entity[] {
  const end = start + body.length;
  if (isHost(body)) return [{ kind: "host", value: body, start, end, text: body }];
  const [, bracketed, plain, port, path] = body.match(ADDRESS) ?? [];
  const host = bracketed ?? plain ?? "";
  if (!isHost(host)) return [];
  if (path !== undefined) {
    // "10.0.0.0/8" is a range of addresses, not a page.
    if (port === undefined && /^\/\d{1,3}$/u.test(path) && ipaddr.isValid(host)) return [];
    const value = `${schemeFor(port)}://${body}`;
    return URL.canParse(value) ? [{ kind: "url", value, start, end, text: body }] : [];
  }
  const hostEnd = start + (port === undefined ? body.length : body.length - port.length - 1);
  const entity: Entity = {
    kind: "host",
    value: host,
    start,
    end: hostEnd,
    text: body.slice(0, hostEnd - start),
  };
  if (port === undefined) return [entity];
  const number = Number(port);
  if (number < 1 || number > 65_535) return [entity];
  return [
    entity,
    { kind: "port", value: number, attached: true, start: hostEnd, end, text: body.slice(hostEnd - start) },
  ];
}

/** The web address that is most likely meant by a host alone, or by a host and its port. */
export function urlOfHost(host: string, port?: number): string {
  const name = host.includes(":") ? `[${host}]` : host;
  return `${schemeFor(port?.toString())}://${name}${port === undefined ? "" : `:${port}`}`;
}

/** Whoever names another port than TLS's own hardly ever means TLS. */
function schemeFor(port: string | undefined): "http" | "https" {
  return port === undefined || port === "443" || port === "8443" ? "https" : "http";
}
