import { show, type Capabilities, type Verdict } from "#sdk";
import { z } from "zod";

type Net = Capabilities["net"];
type Outcome = Awaited<ReturnType<Net["fetch"]>>;
type Reached = Extract<Outcome, { reached: true }>;
type NotReached = Extract<Outcome, { reached: false }>;

/** What is asked of a page: that it answers, by which status, with which words. */
export interface Expectation {
  readonly url: string;
  readonly expect?: number | undefined;
  readonly contains?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly family?: 4 | 6 | undefined;
}

/** What a check of a page tells in numbers; where it was not reached, `phase` says how far it came. */
export const PageFindings = z.object({
  url: z.string(),
  status: z.int().optional(),
  totalMs: z.number(),
  phases: z
    .object({ dnsMs: z.number(), tcpMs: z.number(), tlsMs: z.number(), ttfbMs: z.number() })
    .optional(),
  address: z.string().optional(),
  hops: z.array(z.object({ url: z.string(), status: z.int() })),
  certificateDaysLeft: z.int().optional(),
  phase: z.string().optional(),
  code: z.string().optional(),
});

/** A page's verdict, the sentence that gives it, and what it rests on. */
export interface PageCheck {
  readonly url: string;
  readonly verdict: Verdict;
  readonly sentence: string;
  readonly evidence: readonly string[];
  readonly findings: z.output<typeof PageFindings>;
  /** When it was made (Unix ms), and how long it took. */
  readonly at: number;
  readonly tookMs: number;
  /** Whether Voxtree itself would not go there. */
  readonly isRefused: boolean;
}

type Judged = Omit<PageCheck, "at" | "tookMs">;

/** A certificate with fewer days than this is spoken of in the first line. */
const FEW_DAYS = 14;

/** Asks for a page and judges the answer. */
export async function checkPage(net: Net, asked: Expectation, signal: AbortSignal): Promise<PageCheck> {
  const { url, expect, timeoutMs, family } = asked;
  const at = Date.now();
  const page = await net.fetch(url, {
    signal,
    // Who expects a redirect wants to see that one, not where it leads.
    follow: expect === undefined || expect < 300 || expect > 399,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(family !== undefined && { family }),
  });
  return { ...(page.reached ? judgeAnswer(page, asked) : judgeSilence(page)), at, tookMs: page.totalMs };
}

function judgeAnswer(page: Reached, asked: Expectation): Judged {
  const { verdict, but } = judge(page, asked);
  const { url, status, totalMs, phases, address, hops, certificateDaysLeft } = page;
  return {
    url,
    verdict,
    sentence: `${url} answers ${status} in ${show.duration(totalMs)}${but}${certificateWarning(certificateDaysLeft)}`,
    evidence: evidenceOf(page),
    findings: {
      url,
      status,
      totalMs,
      phases,
      address,
      hops: [...hops],
      ...(certificateDaysLeft !== undefined && { certificateDaysLeft }),
    },
    isRefused: false,
  };
}

function judge(page: Reached, { expect, contains }: Expectation): { verdict: Verdict; but: string } {
  const isWanted = expect === undefined ? page.status >= 200 && page.status <= 399 : page.status === expect;
  if (!isWanted) return { verdict: "fail", but: expect === undefined ? ", an error" : `, not ${expect}` };
  if (contains === undefined || page.bodyText.includes(contains)) return { verdict: "ok", but: "" };
  // What was not read may still hold it.
  return page.isBodyCut
    ? { verdict: "inconclusive", but: `; the part of it that was read does not contain "${contains}"` }
    : { verdict: "fail", but: `, but does not contain "${contains}"` };
}

function judgeSilence(page: NotReached): Judged {
  const { reason, phase, code, totalMs, hops } = page;
  const url = page.url === "" ? "The page" : page.url;
  const isTargets = page.fault === "target";
  return {
    url,
    verdict: isTargets ? "fail" : "inconclusive",
    sentence: `${url} ${isTargets ? "is not up" : "could not be checked"}: ${reason}`,
    evidence: [...wayOf(hops), code === undefined ? phase : `${phase}, ${code}`],
    findings: { url: page.url, totalMs, hops: [...hops], phase, ...(code !== undefined && { code }) },
    isRefused: phase === "policy",
  };
}

function evidenceOf(page: Reached): string[] {
  const { dnsMs, tcpMs, tlsMs, ttfbMs } = page.phases;
  const times = [
    ["dns", dnsMs],
    ["tcp", tcpMs],
    ["tls", tlsMs],
    ["first byte", ttfbMs],
  ] as const;
  const days = page.certificateDaysLeft;
  return [
    times
      .filter(([, ms]) => ms > 0)
      .map(([name, ms]) => `${name} ${show.duration(ms)}`)
      .join(", "),
    `address ${page.address}${page.host.includes("xn--") ? ` of ${page.host}` : ""}`,
    ...(days === undefined ? [] : [`certificate good for ${countDays(days)}`]),
    ...(page.hops.length > 1 ? wayOf(page.hops) : []),
    ...(page.deadAddresses.length === 0 ? [] : [`no connection to ${page.deadAddresses.join(", ")}`]),
  ];
}

function wayOf(hops: Reached["hops"]): string[] {
  return hops.length === 0 ? [] : [`way: ${hops.map(({ url, status }) => `${url} (${status})`).join(" → ")}`];
}

function certificateWarning(days: number | undefined): string {
  if (days === undefined || days >= FEW_DAYS) return "";
  return `; its certificate ends ${days === 0 ? "within a day" : `in ${countDays(days)}`}`;
}

function countDays(days: number): string {
  return days === 1 ? "1 day" : `${days} days`;
}
