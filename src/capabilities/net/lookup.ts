import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { judgeAddress, type Judgement } from "./address-policy.ts";
import { allowLine, type AllowList } from "./allow-list.ts";
import type { Trouble } from "./contract.ts";
import { overdue, untilAborted, type Span } from "./span.ts";
import { codeOf } from "./faults.ts";
import type { Host } from "./target.ts";

/** Looks up a name's addresses, in the order in which they should be tried. Rejects like `dns.lookup`, with a `code`. */
export type Resolve = (name: string, family?: 4 | 6) => Promise<readonly string[]>;

export interface Policy {
  readonly allow: AllowList;
  readonly resolve: Resolve;
}

/** An address that may be connected to. */
export interface VettedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** The system's own resolver, which also knows /etc/hosts and a container network's names. */
export const resolveBySystem: Resolve = async (name, family) => {
  const found = await lookup(name, { all: true, order: "verbatim", family: family ?? 0 });
  return found.map(({ address }) => address);
};

/**
 * Looks up a host and keeps the addresses that the policy lets through; trouble when none is left.
 * Whoever connects must use these and look nothing up again: a second answer might be another one.
 */
export async function vetHost(
  host: Host,
  policy: Policy,
  span: Span & { readonly family?: 4 | 6 | undefined },
): Promise<readonly VettedAddress[] | Trouble> {
  const found = isIP(host.name) === 0 ? await resolveName(host, policy, span) : [host.name];
  if (!isList(found)) return found;
  const judged = [...new Set(found)].map((address) => judgeAddress(address, host.name, policy.allow));
  const vetted = judged.filter((judgement) => judgement.isAllowed);
  const refused = judged.filter((judgement) => !judgement.isAllowed);
  if (vetted.length === 0 && refused.length > 0) return refusal(host, refused, policy.allow);
  const wanted = vetted.filter(({ family }) => span.family === undefined || family === span.family);
  if (wanted.length === 0) return noAddress(host, span.family);
  return wanted.map(({ address, family }) => ({ address, family }));
}

async function resolveName(
  host: Host,
  { resolve }: Policy,
  span: Span & { readonly family?: 4 | 6 | undefined },
): Promise<readonly string[] | Trouble> {
  try {
    const found = await untilAborted(resolve(host.name, span.family), span.signal);
    return found ?? overdue("dns", span, `${host.shown} could not be looked up`);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOTFOUND" || code === "ENODATA") return noAddress(host, span.family);
    const reason = `the name ${host.shown} cannot be looked up from here just now (${code})`;
    return { phase: "dns", reason, code, fault: "prober" };
  }
}

function noAddress(host: Host, family: 4 | 6 | undefined): Trouble {
  const kind = family === undefined ? "address" : `IPv${family} address`;
  const reason =
    isIP(host.name) === 0 ? `the name ${host.shown} has no ${kind}` : `${host.shown} is not an ${kind}`;
  return { phase: "dns", reason, code: "ENOTFOUND", fault: "target" };
}

function refusal(
  host: Host,
  refused: readonly (Judgement & { isAllowed: false })[],
  allow: AllowList,
): Trouble {
  const named = refused.map(({ address, because }) =>
    address === host.name ? `${address} is ${because}` : `${host.shown} is ${address}, which is ${because}`,
  );
  const open = refused.filter(({ canBeAllowed }) => canBeAllowed).map(({ address }) => address);
  const mend =
    open.length === 0
      ? "Nothing can allow that."
      : `If checks may reach it, set ${allowLine(allow, open)} and start again.`;
  return {
    phase: "policy",
    reason: `${named.join("; ")}. ${mend}`,
    code: "E_ADDRESS_REFUSED",
    fault: "prober",
  };
}

function isList<T>(value: readonly T[] | Trouble): value is readonly T[] {
  return Array.isArray(value);
}
