import { defineRole, param, show, type Verdict } from "#sdk";
import { z } from "zod";
import { checkPage, PageFindings, type PageCheck } from "./_page.ts";
import { recentPages, rememberPage } from "./_recent.ts";

/** How many pages are checked again at once, and so at most. */
const SIDE_BY_SIDE = 5;

/** Says whether web pages answer, and remembers which ones people asked about. */
export default defineRole({
  requires: ["net", "store"],
  commands: {
    http: {
      description: {
        en: "Check that a web page answers, and how fast",
        de: "Prüfen, ob eine Webseite antwortet, und wie schnell",
      },
      prompts: {
        en: [
          "is https://example.com up?",
          "check https://example.com",
          "does https://example.com answer?",
          "please look if https://example.com answers",
          "is the website example.com reachable?",
          "is the page https://example.com/login down?",
          "how fast is https://example.com?",
          "https://example.com",
        ],
        de: [
          "ist https://example.com up?",
          "läuft https://example.com?",
          "prüfe https://example.com",
          "antwortet https://example.com?",
          "schau bitte, ob https://example.com antwortet",
          "ist die Webseite example.com erreichbar?",
          "ist die Seite https://example.com/login down?",
          "wie schnell ist https://example.com?",
        ],
      },
      params: z.object({
        url: z.url().describe("the page's address"),
        expect: z.int().min(100).max(599).optional().describe("the status that it should answer"),
        contains: z
          .string()
          .min(1)
          .max(500)
          .meta({ entity: "quoted" })
          .optional()
          .describe("words that it should contain"),
        timeoutMs: param
          .durationMs()
          .min(100)
          .max(30_000)
          .optional()
          .describe("how long to wait, at most 30 s"),
        family: z.literal([4, 6]).optional().describe("by IPv4 or by IPv6 alone"),
      }),
      data: PageFindings,
      async run({ net, store, signal, progress, request: { zone } }, asked) {
        progress(`waiting for ${new URL(asked.url).host}`);
        const check = await checkPage(net, asked, signal);
        const { verdict, sentence, evidence, findings, at, tookMs } = check;
        if (isWorthRemembering(check, asked.url)) rememberPage(store, { ...asked, url: check.url, verdict });
        const footer = show.footer({ at, tookMs, zone });
        return { verdict, text: [sentence, ...evidence, footer].join("\n"), data: findings };
      },
    },

    pages: {
      description: {
        en: "Check again the pages asked about lately",
        de: "Die zuletzt gefragten Webseiten noch einmal prüfen",
      },
      prompts: {
        en: [
          "check again the pages asked about lately",
          "check the same pages again",
          "are the pages from before still up?",
          "recheck my websites",
          "do all the websites still answer?",
        ],
        de: [
          "prüfe die Seiten von vorhin noch einmal",
          "sind die Seiten von vorhin noch erreichbar?",
          "antworten die Webseiten alle noch?",
        ],
      },
      data: z.object({
        pages: z.array(z.object({ verdict: z.enum(["ok", "fail", "inconclusive"]), findings: PageFindings })),
      }),
      async run({ net, store, signal, progress, request: { zone } }) {
        const recent = recentPages(store).slice(0, SIDE_BY_SIDE);
        if (recent.length === 0) {
          return {
            text: "No page has been asked about yet. Ask for one first: is https://example.com up?",
            data: { pages: [] },
          };
        }
        progress(`waiting for ${recent.length} ${recent.length === 1 ? "page" : "pages"}`);
        const checks = await Promise.all(recent.map((page) => checkPage(net, page, signal)));
        // The oldest first, so that the order in which they were asked about stays.
        for (const [i, page] of [...recent.entries()].toReversed()) {
          rememberPage(store, { ...page, verdict: checks[i]?.verdict ?? page.verdict });
        }
        // Side by side: the slowest decides how long it took.
        const tookMs = Math.max(...checks.map((check) => check.tookMs));
        const at = Math.min(...checks.map((check) => check.at));
        return {
          verdict: worst(checks),
          text: [
            summary(checks),
            ...checks.map(({ verdict, sentence }) => `${show.verdict(verdict)} ${sentence}`),
            show.footer({ at, tookMs, zone }),
          ].join("\n"),
          data: { pages: checks.map(({ verdict, findings }) => ({ verdict, findings })) },
        };
      },
    },
  },
});

/** What Voxtree will not go to need not be tried again, and what holds a password is not kept. */
function isWorthRemembering({ isRefused }: PageCheck, asked: string): boolean {
  const { username, password } = new URL(asked);
  return !isRefused && username === "" && password === "";
}

function worst(checks: readonly PageCheck[]): Verdict {
  const has = (verdict: Verdict): boolean => checks.some((check) => check.verdict === verdict);
  return has("fail") ? "fail" : has("inconclusive") ? "inconclusive" : "ok";
}

function summary(checks: readonly PageCheck[]): string {
  const named = (verdict: Verdict): string[] =>
    checks.filter((check) => check.verdict === verdict).map(({ url }) => url);
  const [good, bad, unclear] = [named("ok"), named("fail"), named("inconclusive")];
  const parts = [
    `${good.length} of ${checks.length} ${checks.length === 1 ? "page" : "pages"} fine`,
    ...(bad.length === 0 ? [] : [`not fine: ${bad.join(", ")}`]),
    ...(unclear.length === 0 ? [] : [`not clear: ${unclear.join(", ")}`]),
  ];
  return parts.join("; ");
}
