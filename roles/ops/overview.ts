import { defineRole, show, type Answer, type Failure, type Verdict } from "#sdk";
import { z } from "zod";

const Part = z.object({
  name: z.string(),
  verdict: z.enum(["ok", "fail", "inconclusive"]).optional(),
  line: z.string(),
  failure: z.string().optional(),
});
type Part = z.output<typeof Part>;

/** Sums up how everything is, by asking the specialists. */
export default defineRole({
  requires: [],
  commands: {
    overview: {
      description: {
        en: "How everything is: the machine and the web pages at once",
        de: "Wie alles läuft: der Rechner und die Webseiten auf einmal",
      },
      prompts: {
        en: [
          "how is everything?",
          "how is the machine doing and the web?",
          "give me an overview",
          "is everything all right?",
          "how are the machine and the websites?",
          "what is the state of everything?",
        ],
        de: [
          "wie läuft alles?",
          "wie geht es dem Rechner und dem Web?",
          "gib mir einen Überblick",
          "ist alles in Ordnung?",
          "wie geht es dem Rechner und den Webseiten?",
          "wie ist der Stand von allem?",
        ],
      },
      data: z.object({ parts: z.array(Part) }),
      async run({ delegate, request: { zone } }) {
        const [at, begun] = [Date.now(), performance.now()];
        const [machine, web] = await Promise.all([delegate("host", {}), delegate("pages", {})]);
        const parts = [describe("machine", machine), describe("web", web)];
        return {
          verdict: worst(parts),
          text: [
            headline(parts),
            ...parts.map(
              ({ verdict, line }) => `${verdict === undefined ? "•" : show.verdict(verdict)} ${line}`,
            ),
            show.footer({ at, tookMs: performance.now() - begun, zone }),
          ].join("\n"),
          data: { parts },
        };
      },
    },
  },
});

/** One line for each part: the sentence with which its answer begins, or why there is none. */
function describe(name: string, answer: Failure | Answer): Part {
  if ("failure" in answer) {
    return {
      name,
      verdict: "inconclusive",
      line: `The ${name} gives no answer. ${answer.text}`,
      failure: answer.failure,
    };
  }
  const [line = ""] = answer.text.split("\n");
  return { name, line, ...(answer.verdict !== undefined && { verdict: answer.verdict }) };
}

function headline(parts: readonly Part[]): string {
  const verdict = worst(parts);
  if (verdict === "ok") return "All is well";
  const named = parts.filter((part) => part.verdict === verdict).map(({ name }) => name);
  return `${verdict === "fail" ? "Needs a look" : "Not clear"}: ${named.join(" and ")}`;
}

/** A part without a verdict had nothing to judge, so it does not count. */
function worst(parts: readonly Part[]): Verdict {
  if (parts.some(({ verdict }) => verdict === "fail")) return "fail";
  return parts.some(({ verdict }) => verdict === "inconclusive") ? "inconclusive" : "ok";
}
