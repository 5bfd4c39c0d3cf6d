import { defineRole, md, param } from "#sdk";
import { z } from "zod";
import { standDown } from "./_watch-judge.ts";
import { apply, asResult, keyOf, plan, runCheck, takeResult, tellOfProber } from "./_watch-run.ts";
import { added, describeWatch, headline, lines, nameOf, withoutPasswords } from "./_watch-words.ts";
import {
  beginRun,
  dropWatch,
  endRun,
  findWatch,
  keepWatch,
  listWatches,
  nextId,
  readWatch,
  refuseOneMore,
  refuseSame,
  type Watch,
} from "./_watch.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** How long a check that somebody waits for is waited for. */
const ON_DEMAND_MS = MINUTE_MS;
/** A run that begins so late was due while the agent was away. */
const AWAY_MS = 2000;

const id = z.int().min(1).describe("its number");
const Watched = z.object({
  id: z.int(),
  target: z.string(),
  words: z.string(),
  isPaused: z.boolean(),
  isFiring: z.boolean(),
  history: z.array(z.enum(["ok", "fail", "inconclusive"])),
});

/** Asks for checks again and again, and has the war room told when something breaks and when it is well again. */
export default defineRole({
  requires: ["store", "schedule"],
  commands: {
    watch_add: {
      description: {
        en: "Watch something, and tell the war room when it breaks",
        de: "Etwas überwachen und im War Room melden, wenn es ausfällt",
      },
      prompts: {
        en: [
          "watch https://example.com every minute and tell us here",
          "keep an eye on https://example.com",
          "watch https://example.com",
          "watch port 443 on example.com every 5 min",
          "monitor port 443 on example.com",
          "keep watching https://example.com",
          "watch the disks of the machine every 10 minutes",
          "alert us when https://example.com goes down",
          "tell me when https://example.com is down",
          "check https://example.com every minute",
        ],
        de: [
          "überwache https://example.com jede Minute und sag uns hier Bescheid",
          "behalte https://example.com im Auge",
          "überwache https://example.com",
          "überwache Port 443 auf example.com alle 5 min",
          "beobachte example.com alle 30 Sekunden",
          "hab ein Auge auf die Platten des Rechners",
          "melde dich, wenn https://example.com ausfällt",
          "sag uns Bescheid, wenn Port 22 von example.com zu ist",
          "prüfe https://example.com jede Minute",
        ],
      },
      params: z.object({
        check: param.request().describe("what to check"),
        everyMs: param
          .durationMs()
          .min(10_000)
          .max(DAY_MS)
          .default(MINUTE_MS)
          .describe("how often, from every 10 s to once a day"),
        fails: z.int().min(1).max(20).default(3).describe("after how many fails in a row to alert"),
        recoveries: z.int().min(1).max(20).default(2).describe("after how many good results it is over"),
        severity: z.enum(["crit", "warn", "info"]).default("crit").describe("how bad it is when it breaks"),
        name: z.string().min(1).max(60).optional().describe("what to call it"),
        by: param.asker().optional(),
      }),
      data: z.object({ id: z.int(), verdict: z.enum(["ok", "fail", "inconclusive"]), next: z.string() }),
      effect: "change",
      async run({ store, schedule, alert, progress, delegate, request }, asked) {
        const refusal = refuseOneMore(store) ?? refuseSame(store, asked.check);
        if (refusal) return refusal;
        progress(`checking once: ${withoutPasswords(asked.check.words)}`);
        const first = await runCheck({ ...asked, everyMs: ON_DEMAND_MS }, { delegate, request });
        if ("failure" in first) return first;
        // Somebody may have asked for the same meanwhile.
        const late = refuseSame(store, asked.check);
        if (late) return late;
        const { name, by, ...set } = asked;
        const watch: Watch = {
          ...set,
          id: nextId(store),
          ...(name !== undefined && { name }),
          ...(by !== undefined && { by }),
          isPaused: false,
          history: [],
          failsInARow: 0,
          oksInARow: 0,
          inconclusiveInARow: 0,
          isUncheckedTold: false,
        };
        const next = plan(watch, request.zone, schedule);
        if (typeof next !== "number") return next;
        takeResult(watch, first, { store, alert });
        return {
          text: added(watch, first, { next, zone: request.zone }),
          buttons: [
            { label: "Check now", say: `/watch_run ${watch.id}` },
            { label: "Pause", say: `/watch_pause ${watch.id}` },
          ],
          data: { id: watch.id, verdict: first.verdict, next: new Date(next).toISOString() },
        };
      },
    },

    watches: {
      description: {
        en: "List what is watched, and how it is",
        de: "Auflisten, was überwacht wird und wie es steht",
      },
      prompts: {
        en: [
          "what are you watching?",
          "list the watches",
          "which watches are there?",
          "show all watches",
          "what is being monitored?",
        ],
        de: [
          "was überwachst du?",
          "zeig alle Überwachungen",
          "liste die Überwachungen auf",
          "was wird gerade überwacht?",
        ],
      },
      data: z.object({ watches: z.array(Watched) }),
      run({ store, schedule, request: { zone } }) {
        const watches = listWatches(store);
        if (watches.length === 0) {
          return {
            text: "Nothing is watched yet. Ask for it: watch https://example.com every minute",
            data: { watches: [] },
          };
        }
        const now = Date.now();
        const nextOf = (watch: Watch): number | undefined => {
          const planned = watch.isPaused ? undefined : schedule.get(keyOf(watch));
          return planned && Date.parse(planned.nextAt);
        };
        return {
          text: lines(
            md`${headline(watches)}`,
            ...watches.map((watch) => describeWatch(watch, { nextAt: nextOf(watch), now, zone })),
          ),
          data: {
            watches: watches.map((watch) => ({
              id: watch.id,
              target: nameOf(watch),
              words: withoutPasswords(watch.check.words),
              isPaused: watch.isPaused,
              isFiring: watch.firing !== undefined,
              history: watch.history,
            })),
          },
        };
      },
    },

    watch_pause: {
      description: { en: "Pause a watch", de: "Eine Überwachung anhalten" },
      prompts: {
        en: ["pause watch 3", "stop watch 2 for now", "suspend watch 4", "hold watch 1"],
        de: [
          "halte Überwachung 3 an",
          "pausiere Überwachung 2",
          "setze Überwachung 4 aus",
          "Überwachung 1 anhalten",
        ],
      },
      params: z.object({ id }),
      effect: "change",
      run({ store, schedule, alert }, asked) {
        const watch = findWatch(store, asked.id);
        if ("failure" in watch) return watch;
        if (watch.isPaused) return { text: `Watch ${watch.id} (${nameOf(watch)}) is paused already.` };
        schedule.pause(keyOf(watch));
        const { alerts, watch: rest } = standDown(watch, `not known: watch ${watch.id} was paused`);
        apply({ watch: { ...rest, isPaused: true }, alerts }, { store, alert });
        tellOfProber(Date.now(), { store, alert });
        return {
          text: `Watch ${watch.id} (${nameOf(watch)}) is paused: nobody looks until you resume it.`,
          buttons: [{ label: "Resume", say: `/watch_resume ${watch.id}` }],
        };
      },
    },

    watch_resume: {
      description: { en: "Go on with a paused watch", de: "Eine angehaltene Überwachung fortsetzen" },
      prompts: {
        en: ["resume watch 3", "go on with watch 2", "continue watch 4", "unpause watch 1"],
        de: [
          "setze Überwachung 3 fort",
          "mach mit Überwachung 2 weiter",
          "Überwachung 4 fortsetzen",
          "nimm Überwachung 1 wieder auf",
        ],
      },
      params: z.object({ id }),
      effect: "change",
      run({ store, schedule, request: { zone } }, asked) {
        const watch = findWatch(store, asked.id);
        if ("failure" in watch) return watch;
        if (!watch.isPaused) return { text: `Watch ${watch.id} (${nameOf(watch)}) is not paused.` };
        const resumed = { ...watch, isPaused: false };
        const planned = schedule.resume(keyOf(watch));
        const nextAt = planned ? Date.parse(planned.nextAt) : plan(resumed, zone, schedule);
        if (typeof nextAt !== "number") return nextAt;
        keepWatch(store, resumed);
        return { text: describeWatch(resumed, { nextAt, now: Date.now(), zone }) };
      },
    },

    watch_rm: {
      description: { en: "Remove a watch", de: "Eine Überwachung entfernen" },
      prompts: {
        en: ["remove watch 3", "delete watch 2", "stop watching 4 for good", "drop watch 1"],
        de: [
          "entferne Überwachung 3",
          "lösche Überwachung 2",
          "beende Überwachung 4",
          "Überwachung 1 entfernen",
        ],
      },
      params: z.object({ id }),
      effect: "destroy",
      run({ store, schedule, alert }, asked) {
        const watch = findWatch(store, asked.id);
        if ("failure" in watch) return watch;
        for (const each of standDown(watch, `not known: watch ${watch.id} was removed`).alerts) alert(each);
        schedule.cancel(keyOf(watch));
        dropWatch(store, watch);
        tellOfProber(Date.now(), { store, alert });
        return { text: `Watch ${watch.id} (${nameOf(watch)}) is removed: nobody looks any more.` };
      },
    },

    watch_run: {
      description: { en: "Check a watch right now", de: "Eine Überwachung sofort prüfen" },
      prompts: {
        en: ["run watch 3 now", "check watch 2 right now", "run watch 4", "try watch 1 at once"],
        de: ["prüfe Überwachung 3 jetzt", "führe Überwachung 2 aus", "Überwachung 4 sofort prüfen"],
      },
      params: z.object({ id }),
      effect: "change",
      async run({ store, step, alert, delegate, request }, asked) {
        const isMine = await step("begin", () =>
          beginRun(store, asked.id, { now: Date.now(), until: request.deadline }),
        );
        const watch = findWatch(store, asked.id);
        if ("failure" in watch) {
          endRun(store, asked.id);
          return watch;
        }
        if (!isMine)
          return { text: `Watch ${watch.id} is being checked just now; see /watches in a moment.` };
        const found = await runCheck({ ...watch, everyMs: ON_DEMAND_MS }, { delegate, request });
        endRun(store, watch.id);
        const current = findWatch(store, watch.id);
        if ("failure" in current) return current;
        if ("failure" in found) return found;
        // A paused watch is looked at, and alerts of nothing.
        const seen = current.isPaused ? current : takeResult(current, found, { store, alert });
        const { at, verdict, line, evidence } = found;
        if (current.isPaused) keepWatch(store, { ...current, last: { at, verdict, line } });
        return {
          verdict,
          text: [line, ...evidence, `watch ${seen.id}, ${headline([seen])}`].map(withoutPasswords).join("\n"),
        };
      },
    },
  },

  events: {
    check: {
      payload: z.object({ id: z.int(), lateMs: z.number(), missed: z.int() }),
      async run({ store, step, alert, delegate, request }, { id: due, lateMs, missed }) {
        if (!isActive(readWatch(store, due))) return;
        const mark = { now: Date.now(), until: request.deadline };
        // The mark is durable before anything is asked; a repeat of this very run after a crash finds that it is its own.
        if (!(await step("begin", () => beginRun(store, due, mark)))) return;
        const watch = readWatch(store, due);
        if (!isActive(watch)) return endRun(store, due);
        const result = asResult(await runCheck(watch, { delegate, request }));
        endRun(store, due);
        // What it found counts for nothing when it has been paused or removed meanwhile.
        const current = readWatch(store, due);
        if (!isActive(current)) return;
        const known = missed > 0 ? { ...current, missed: { count: missed, at: Date.now() } } : current;
        // Where this agent was away the others may not be back yet, and that is no news.
        if (lateMs > AWAY_MS && result.verdict === "inconclusive") keepWatch(store, known);
        else takeResult(known, result, { store, alert });
      },
    },
  },
});

function isActive(watch: Watch | undefined): watch is Watch {
  return watch !== undefined && !watch.isPaused;
}
