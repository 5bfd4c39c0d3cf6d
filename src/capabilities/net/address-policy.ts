import ipaddr from "ipaddr.js";
import { isOnAllowList, type AllowList } from "./allow-list.ts";
import { isMetadataAddress } from "./metadata.ts";

export type Judgement =
  | { readonly isAllowed: true; readonly address: string; readonly family: 4 | 6 }
  | {
      readonly isAllowed: false;
      readonly address: string;
      /** Why not, as the end of "… is". */
      readonly because: string;
      /** Whether NET_ALLOW could change it. */
      readonly canBeAllowed: boolean;
    };

const KINDS: Readonly<Record<string, string>> = {
  loopback: "this machine itself",
  private: "in a private network",
  uniqueLocal: "in a private network",
  linkLocal: "a link-local address",
  carrierGradeNat: "behind a provider's NAT",
  multicast: "a multicast address",
  broadcast: "the broadcast address",
  unspecified: "no particular address",
};

/**
 * Whether a check may connect to an address that `host` (ASCII, lower case; the address itself for a literal) stands for.
 * Public unicast may; what the allow-list names may; a cloud's metadata service never may. IPv4 in IPv6 is judged unwrapped.
 */
export function judgeAddress(text: string, host: string, allow: AllowList): Judgement {
  if (!ipaddr.isValid(text)) {
    return { isAllowed: false, address: text, because: "not an address", canBeAllowed: false };
  }
  const parsed = ipaddr.process(text);
  const address = parsed.toString();
  if (isMetadataAddress(parsed)) {
    const because = "where clouds keep machine credentials, which no check ever reaches";
    return { isAllowed: false, address, because, canBeAllowed: false };
  }
  if (isPublic(parsed) || isOnAllowList(allow, host, parsed)) {
    return { isAllowed: true, address, family: parsed.kind() === "ipv4" ? 4 : 6 };
  }
  const because = KINDS[parsed.range()] ?? "reserved for special use";
  return { isAllowed: false, address, because, canBeAllowed: true };
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== "unicast") return false;
  // ipaddr.js calls "unicast" whatever it knows nothing special about; only 2000::/3 is handed out for global use.
  return !("parts" in address) || (address.parts[0] ?? 0) >> 13 === 1;
}
