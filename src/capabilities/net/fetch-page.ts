import { isIP } from "node:net";
import type { FetchOptions, Hop, NotReached, Phases, Reached, Trouble } from "./contract.ts";
import { isTrouble } from "./contract.ts";
import { exchange, loadHttp, type PageAnswer } from "./exchange.ts";
import { openTls, type TlsTerms } from "./handshake.ts";
import { vetHost, type Policy } from "./lookup.ts";
import { msSince, type Span } from "./span.ts";
import { parsePageTarget, plainUrl, showUrl, type PageTarget } from "./target.ts";
import { openTcp } from "./tcp.ts";

const MAX_REDIRECTS = 5;

/** What every call of one agent shares. */
export interface Wiring {
  readonly policy: Policy;
  readonly tls: TlsTerms;
}

/** What a role asked for, with the settings' defaults filled in. */
export interface FetchTerms extends Span {
  readonly method: "GET" | "HEAD";
  readonly family: FetchOptions["family"];
  readonly maxBytes: number;
  readonly follow: boolean;
}

type Visit = PageAnswer & {
  readonly phases: Phases;
  readonly address: string;
  readonly deadAddresses: readonly string[];
  readonly daysLeft?: number;
};

/** Asks for a page and for what it redirects to. Every hop is judged, looked up and connected to anew. */
export async function fetchPage(
  text: string,
  wiring: Wiring,
  terms: FetchTerms,
): Promise<Reached | NotReached> {
  await loadHttp();
  const start = performance.now();
  const visits: { readonly target: PageTarget; readonly visit: Visit }[] = [];
  const hops = (): Hop[] =>
    visits.map(({ target, visit }) => ({ url: plainUrl(target.url), status: visit.status }));
  const asked = parsePageTarget(text);
  const giveUp = ({ status, ...trouble }: Trouble, at?: PageTarget): NotReached => ({
    reached: false,
    url: isTrouble(asked) ? "" : asked.shown,
    totalMs: msSince(start),
    ...trouble,
    hops: status === undefined || at === undefined ? hops() : [...hops(), { url: plainUrl(at.url), status }],
  });

  if (isTrouble(asked)) return giveUp(asked);
  for (let target = asked; ;) {
    const visit = await visitOnce(target, wiring, terms);
    if (isTrouble(visit)) return giveUp(afterRedirects(visit, visits.length, target), target);
    visits.push({ target, visit });
    if (visit.redirectTo === undefined) {
      return conclude(
        asked,
        visits.map((each) => each.visit),
        {
          totalMs: msSince(start),
          hops: hops(),
          host: target.host.shown,
          finalUrl: plainUrl(target.url),
        },
      );
    }
    const next = nextTarget(
      visit.redirectTo,
      visits.map((each) => each.target),
    );
    if (isTrouble(next)) return giveUp(next);
    target = next;
  }
}

async function visitOnce(target: PageTarget, wiring: Wiring, terms: FetchTerms): Promise<Visit | Trouble> {
  const start = performance.now();
  const addresses = await vetHost(target.host, wiring.policy, terms);
  if (isTrouble(addresses)) return addresses;
  const dnsMs = isIP(target.host.name) === 0 ? msSince(start) : 0;
  const tcp = await openTcp(target, addresses, terms);
  if (isTrouble(tcp)) return tcp;
  const { address, deadAddresses } = tcp;
  const isSecure = target.url.protocol === "https:";
  const tls = isSecure ? await openTls({ ...tcp, host: target.host }, wiring.tls, terms) : undefined;
  if (tls !== undefined && isTrouble(tls)) return tls;
  const answer = await exchange({ ...terms, url: target.url }, tls?.socket ?? tcp.socket, terms);
  if (isTrouble(answer)) return answer;
  return {
    ...answer,
    address,
    deadAddresses,
    phases: { dnsMs, tcpMs: tcp.ms, tlsMs: tls?.ms ?? 0, ttfbMs: answer.ttfbMs },
    ...(tls === undefined ? {} : { daysLeft: tls.daysLeft }),
  };
}

/** The next page of a chain of redirects, unless the chain is too long, a loop, or leads to nothing that can be asked for. */
function nextTarget(location: string, visited: readonly PageTarget[]): PageTarget | Trouble {
  const next = parsePageTarget(location, visited.at(-1)?.url);
  if (isTrouble(next))
    return {
      ...next,
      phase: "redirect",
      fault: "target",
      reason: `redirects to what cannot be asked for: ${next.reason}`,
    };
  const chain = visited.map(({ shown }) => shown);
  if (visited.some(({ url }) => url.href === next.url.href)) {
    return redirectTrouble(`redirects in a loop: ${[...chain, next.shown].join(" → ")}`);
  }
  if (visited.length > MAX_REDIRECTS) {
    return redirectTrouble(
      `redirects more than ${MAX_REDIRECTS} times: ${[...chain, next.shown].join(" → ")}`,
    );
  }
  return next;
}

function redirectTrouble(reason: string): Trouble {
  return { phase: "redirect", reason, fault: "target" };
}

/** Says that it was not the page asked for that made the trouble, but one that it led to. */
function afterRedirects(trouble: Trouble, redirects: number, { url }: PageTarget): Trouble {
  return redirects === 0
    ? trouble
    : { ...trouble, reason: `redirects to ${showUrl(url)}: ${trouble.reason}` };
}

function conclude(
  asked: PageTarget,
  visits: readonly Visit[],
  way: Pick<Reached, "totalMs" | "hops" | "host" | "finalUrl">,
): Reached {
  const last = visits.at(-1) as Visit;
  const sum = (phase: keyof Phases): number =>
    Math.round(visits.reduce((total, { phases }) => total + phases[phase], 0) * 10) / 10;
  const daysLeft = visits.flatMap((visit) => (visit.daysLeft === undefined ? [] : [visit.daysLeft]));
  return {
    reached: true,
    url: asked.shown,
    ...way,
    status: last.status,
    phases: { dnsMs: sum("dnsMs"), tcpMs: sum("tcpMs"), tlsMs: sum("tlsMs"), ttfbMs: sum("ttfbMs") },
    address: last.address,
    deadAddresses: last.deadAddresses,
    bodyText: last.bodyText,
    isBodyCut: last.isBodyCut,
    ...(daysLeft.length === 0 ? {} : { certificateDaysLeft: Math.min(...daysLeft) }),
  };
}
