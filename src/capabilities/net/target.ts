import { isIPv6 } from "node:net";
import { domainToUnicode } from "node:url";
import type { Trouble } from "./contract.ts";

/** A host as the wire wants it (`name`: ASCII, lower case, no brackets) and as people read it. */
export interface Host {
  readonly name: string;
  readonly shown: string;
}

/** A URL that may be asked for. `shown` is without user and password, the host in Unicode. */
export interface PageTarget {
  readonly url: URL;
  readonly host: Host;
  readonly port: number;
  readonly shown: string;
}

/** Reads a URL, relative to the page that named it where there is one; never repeats what it could not read. */
export function parsePageTarget(text: string, base?: URL): PageTarget | Trouble {
  const url = URL.parse(text, base?.href);
  if (url === null) {
    return { phase: "policy", reason: "that is not a URL: write it as https://example.com", fault: "prober" };
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return {
      phase: "policy",
      reason: `only http and https can be checked, not ${url.protocol.slice(0, -1)}`,
      fault: "prober",
    };
  }
  url.hash = "";
  const host = readHost(url.hostname);
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  return { url, host, port, shown: showUrl(url) };
}

/** Reads a host name or an address as a URL would: 0x7f.1 is 127.0.0.1. */
export function parseHost(text: string): Host | Trouble {
  const bare = text.trim();
  const authority = isIPv6(bare) ? `[${bare}]` : bare;
  const isPlain = !/[/?#@\\\s]/.test(bare) && (authority.startsWith("[") || !bare.includes(":"));
  if (!isPlain || !URL.canParse(`http://${authority}`)) {
    return { phase: "policy", reason: "that is not a host name or an address", fault: "prober" };
  }
  return readHost(new URL(`http://${authority}`).hostname);
}

/** A URL for people: no user, password or fragment, an international host in Unicode, no lonely slash at the end. */
export function showUrl(url: URL): string {
  const unicode = domainToUnicode(url.hostname);
  const authority = `${unicode === "" ? url.hostname : unicode}${url.port === "" ? "" : `:${url.port}`}`;
  const path = url.pathname === "/" && url.search === "" ? "" : url.pathname;
  return `${url.protocol}//${authority}${path}${url.search}`;
}

/** A URL for machines: as it goes over the wire, without user, password and fragment. */
export function plainUrl(url: URL): string {
  const plain = new URL(url);
  plain.username = "";
  plain.password = "";
  plain.hash = "";
  return plain.href;
}

function readHost(hostname: string): Host {
  const name = hostname.replace(/^\[(.*)\]$/, "$1");
  const unicode = domainToUnicode(name);
  return { name, shown: unicode === "" || unicode === name ? name : `${unicode} (${name})` };
}
