import ipaddr from "ipaddr.js";
import { failure, type FailureValue } from "../../envelope/index.ts";
import { isMetadataAddress } from "./metadata.ts";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** What NET_ALLOW names: hosts and addresses that checks may reach although they are not public. */
export interface AllowList {
  /** The entries as they were written, to show the line that one more would make. */
  readonly entries: readonly string[];
  readonly hosts: ReadonlySet<string>;
  readonly ranges: readonly (readonly [Address, number])[];
}

type Rule = { readonly host: string } | { readonly range: readonly [Address, number] };

/**
 * Reads the entries of NET_ALLOW: host names, addresses, CIDR ranges. Empty entries are skipped.
 * Every entry that does not fit gives one `E_CONFIG` failure that names it and says how to write it.
 */
export function parseAllowList(entries: readonly string[]): {
  readonly list: AllowList;
  readonly failures: readonly FailureValue[];
} {
  const written = entries.map((entry) => entry.trim()).filter((entry) => entry !== "");
  const rules = written.map(parseEntry);
  return {
    list: {
      entries: written,
      hosts: new Set(rules.flatMap((rule) => ("host" in rule ? [rule.host] : []))),
      ranges: rules.flatMap((rule) => ("range" in rule ? [rule.range] : [])),
    },
    failures: rules.flatMap((rule) => ("failure" in rule ? [rule] : [])),
  };
}

/** Whether the list names the host (ASCII, lower case) or holds the address. */
export function isOnAllowList(list: AllowList, host: string, address: Address): boolean {
  const name = host.replace(/\.$/, "");
  return (
    list.hosts.has(name) ||
    list.ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits))
  );
}

/** The line for .env that allows these addresses besides what is allowed already. */
export function allowLine(list: AllowList, addresses: readonly string[]): string {
  return `NET_ALLOW=${[...new Set([...list.entries, ...addresses])].join(",")}`;
}

function parseEntry(entry: string): Rule | FailureValue {
  if (entry.includes("://")) return bad(entry, "is a URL: give the host alone");
  if (entry.includes("/")) return parseRange(entry);
  const bare = entry.replace(/^\[(.*)\]$/, "$1");
  if (ipaddr.IPv4.isValidFourPartDecimal(bare) || (bare.includes(":") && ipaddr.IPv6.isValid(bare))) {
    return parseAddress(entry, bare);
  }
  return parseHostEntry(entry);
}

function parseAddress(entry: string, bare: string): Rule | FailureValue {
  if (bare.includes("%")) return bad(entry, "has a zone: leave out what follows the %");
  const address = ipaddr.process(bare);
  if (isMetadataAddress(address)) {
    return bad(entry, "is where clouds keep machine credentials, which no check ever reaches: remove it");
  }
  return { range: [address, address.kind() === "ipv4" ? 32 : 128] };
}

function parseRange(entry: string): Rule | FailureValue {
  if (ipaddr.IPv4.isValidCIDRFourPartDecimal(entry)) return { range: ipaddr.IPv4.parseCIDR(entry) };
  if (!ipaddr.IPv6.isValidCIDR(entry))
    return bad(entry, "is not a range: write it as 10.0.0.0/8 or fd00::/8");
  const range = ipaddr.IPv6.parseCIDR(entry);
  // A mapped address is judged as the IPv4 address inside it, so a mapped range would never match.
  if (range[0].isIPv4MappedAddress()) return bad(entry, "is IPv4 in IPv6: write it as an IPv4 range");
  return { range };
}

function parseHostEntry(entry: string): Rule | FailureValue {
  if (entry.includes("*")) return bad(entry, "has a wildcard: name each host, or give a range");
  if (/[@?#\\\s]/.test(entry) || !URL.canParse(`http://${entry}`)) {
    return bad(entry, "is not a host name, an address or a range");
  }
  if (entry.includes(":")) return bad(entry, "has a port: give the host alone");
  const host = new URL(`http://${entry}`).hostname;
  if (ipaddr.isValid(host)) return bad(entry, `is an address in an unusual spelling: write it as ${host}`);
  return { host: host.replace(/\.$/, "") };
}

function bad(entry: string, why: string): FailureValue {
  return failure("E_CONFIG", `NET_ALLOW: "${entry}" ${why}.`);
}
