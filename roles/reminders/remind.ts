import { defineRole, md, param } from "#sdk";
import { z } from "zod";
import {
  dueKey,
  end,
  findOwn,
  keepReminder,
  listReminders,
  nextId,
  overKey,
  readReminder,
  refuseOneMore,
} from "./_reminder.ts";
import { answersTo, atAndIn, atMinute, lines, refuseMoment, stateOf, thingOf, toIso } from "./_words.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** One that was shown and not answered is over after this. */
const TOLD_MS = DAY_MS;
/** From so much on it is said that a reminder is late. */
const LATE_MS = MINUTE_MS;

const id = z.int().min(1).describe("its number");

/** Reminds people, in the chat where they asked for it. Everybody sees and changes only their own. */
export default defineRole({
  requires: ["store", "schedule"],
  commands: {
    remind: {
      description: {
        en: "Remind you of something at a set time",
        de: "Zu einer bestimmten Zeit an etwas erinnern",
      },
      prompts: {
        en: [
          "remind me tomorrow at 9 to call Ann",
          "remind me in 10 minutes to look at the oven",
          "remind me at 5 pm to send the report",
          "remind us on Friday at 14:00 that the contract ends",
          "remind me to renew the certificate on 3 March",
          "please remind me in two hours about the backup",
          "set a reminder for Monday at 8 to water the plants",
          "can you remind me tonight to switch off the lights",
          "reminder in 5 min: tea",
        ],
        de: [
          "erinnere mich morgen um 9 daran, Ann anzurufen",
          "erinnere mich in 10 Minuten an den Ofen",
          "erinnere mich um 17 Uhr an den Bericht",
          "erinnere uns am Freitag um 14:00 daran, dass der Vertrag endet",
          "bitte erinnere mich in zwei Stunden an das Backup",
          "stell mir eine Erinnerung für Montag um 8: Blumen gießen",
          "kannst du mich heute Abend an das Licht erinnern",
        ],
      },
      params: z.object({
        when: param.when().describe("when to remind you"),
        text: param.rest().max(1000).describe("what to remind you of"),
      }),
      data: z.object({ id: z.int(), at: z.string() }),
      effect: "change",
      run({ store, schedule, follow, request }, { when, text }) {
        const { id: requestId, askedBy: owner, zone } = request;
        const [now, dueAt] = [Date.now(), Date.parse(when)];
        const refusal = refuseMoment(dueAt, now, zone) ?? refuseOneMore(store, owner);
        if (refusal) return refusal;
        const thing = thingOf(text) || "what you had in mind";
        const reminder = { id: nextId(store), owner, text: thing, dueAt, requestId, zone };
        keepReminder(store, reminder);
        schedule.at(dueKey(reminder), { at: toIso(dueAt), event: "due", payload: { id: reminder.id } });
        follow();
        return {
          text: lines(md`I will remind you ${atAndIn(dueAt, now, zone)}`, md`${reminder.id}: ${thing}`),
          buttons: [{ label: "Cancel it", say: `/remind_cancel ${reminder.id}` }],
          data: { id: reminder.id, at: toIso(dueAt) },
        };
      },
    },

    reminders: {
      description: { en: "List your open reminders", de: "Deine offenen Erinnerungen auflisten" },
      prompts: {
        en: [
          "what are my reminders?",
          "list my reminders",
          "which reminders are open?",
          "what do I have to be reminded of?",
          "show all reminders",
        ],
        de: [
          "welche Erinnerungen habe ich?",
          "zeig meine Erinnerungen",
          "liste die offenen Erinnerungen auf",
          "woran wirst du mich noch erinnern?",
        ],
      },
      data: z.object({
        reminders: z.array(z.object({ id: z.int(), text: z.string(), at: z.string(), isTold: z.boolean() })),
      }),
      run({ store, request: { askedBy, zone } }) {
        const now = Date.now();
        const own = listReminders(store).filter(({ owner }) => owner === askedBy);
        if (own.length === 0) {
          return {
            text: "You have no open reminders. Ask for one: remind me tomorrow at 9 to call Ann",
            data: { reminders: [] },
          };
        }
        return {
          text: lines(
            md`${own.length} open ${own.length === 1 ? "reminder" : "reminders"}`,
            ...own.map((each) => md`**${each.id}** ${each.text}\n    ${stateOf(each, now, zone)}`),
            md`Say \`/remind_done 1\`, \`/remind_snooze 1 1h\` or \`/remind_cancel 1\` with its number.`,
          ),
          data: {
            reminders: own.map((each) => ({
              id: each.id,
              text: each.text,
              at: toIso(each.dueAt),
              isTold: each.toldAt !== undefined,
            })),
          },
        };
      },
    },

    remind_done: {
      description: { en: "Mark a reminder as done", de: "Eine Erinnerung als erledigt abhaken" },
      prompts: {
        en: [
          "reminder 3 is done",
          "I have done reminder 2",
          "mark reminder 4 as done",
          "tick off reminder 1",
        ],
        de: [
          "Erinnerung 3 ist erledigt",
          "ich habe Erinnerung 2 erledigt",
          "hake Erinnerung 4 ab",
          "Erinnerung 1 abhaken",
        ],
      },
      params: z.object({ id }),
      effect: "change",
      run({ store, schedule, letGo, request }, asked) {
        const reminder = findOwn(store, asked.id, request.askedBy);
        if ("failure" in reminder) return reminder;
        end(reminder, { store, schedule, letGo });
        return { text: `Done: ${reminder.text}` };
      },
    },

    remind_cancel: {
      description: { en: "Cancel a reminder", de: "Eine Erinnerung streichen" },
      prompts: {
        en: [
          "cancel reminder 3",
          "delete reminder 2",
          "remove my reminder 4",
          "forget reminder 1",
          "do not remind me of 5 any more",
        ],
        de: [
          "streiche Erinnerung 3",
          "lösche Erinnerung 2",
          "nimm Erinnerung 4 zurück",
          "vergiss Erinnerung 1",
        ],
      },
      params: z.object({ id }),
      effect: "change",
      run({ store, schedule, letGo, request }, asked) {
        const reminder = findOwn(store, asked.id, request.askedBy);
        if ("failure" in reminder) return reminder;
        end(reminder, { store, schedule, letGo });
        return { text: `Cancelled: ${reminder.text}` };
      },
    },

    remind_snooze: {
      description: { en: "Put a reminder off for a while", de: "Eine Erinnerung um eine Weile verschieben" },
      prompts: {
        en: [
          "snooze reminder 3 for 10 min",
          "snooze reminder 2 for an hour",
          "put reminder 4 off for 30 minutes",
          "postpone reminder 1 for 2 hours",
          "remind me of 3 again in 10 min",
        ],
        de: [
          "verschiebe Erinnerung 3 um 10 min",
          "Erinnerung 2 in einer Stunde noch einmal",
          "schieb Erinnerung 4 um 30 Minuten auf",
          "stell Erinnerung 1 für 2 Stunden zurück",
        ],
      },
      params: z.object({
        id,
        forMs: param
          .durationMs()
          .min(1000)
          .max(366 * DAY_MS)
          .default(10 * MINUTE_MS)
          .describe("for how long"),
      }),
      effect: "change",
      run({ store, schedule, request: { askedBy, zone } }, { id: asked, forMs }) {
        const found = findOwn(store, asked, askedBy);
        if ("failure" in found) return found;
        const now = Date.now();
        // What has not been shown yet is put off from when it would have been.
        const dueAt = Math.max(now, found.dueAt) + forMs;
        const refusal = refuseMoment(dueAt, now, zone);
        if (refusal) return refusal;
        const { toldAt: _, ...reminder } = found;
        keepReminder(store, { ...reminder, dueAt });
        schedule.cancel(overKey(reminder));
        schedule.at(dueKey(reminder), { at: toIso(dueAt), event: "due", payload: { id: asked } });
        return {
          text: lines(
            md`I will remind you again ${atAndIn(dueAt, now, zone)}`,
            md`${asked}: ${reminder.text}`,
          ),
        };
      },
    },
  },

  events: {
    due: {
      payload: z.object({ id: z.int(), dueAt: z.iso.datetime(), lateMs: z.number() }),
      run({ store, schedule, notify }, { id: due, dueAt, lateMs }) {
        const reminder = readReminder(store, due);
        // It may have been ended while this was on its way.
        if (!reminder || reminder.dueAt !== Date.parse(dueAt)) return;
        const now = Date.now();
        keepReminder(store, { ...reminder, toldAt: now });
        schedule.at(overKey(reminder), { at: toIso(now + TOLD_MS), event: "over", payload: { id: due } });
        notify(reminder.requestId, {
          text: lines(
            md`⏰ **${reminder.text}**`,
            ...(lateMs > LATE_MS ? [md`late, was due at ${atMinute(reminder.dueAt, reminder.zone)}`] : []),
            md`Reminder ${due}`,
          ),
          buttons: answersTo(due),
        });
      },
    },
    over: {
      payload: z.object({ id: z.int() }),
      run({ store, schedule, letGo }, { id: told }) {
        const reminder = readReminder(store, told);
        if (reminder?.toldAt !== undefined) end(reminder, { store, schedule, letGo });
      },
    },
  },
});
