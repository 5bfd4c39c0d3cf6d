import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { loadRole, readAgent } from "../../src/catalog/index.ts";
import {
  createClassifier,
  extractEntities,
  fillParameters,
  readParameters,
  shippedBackground,
  type Classifier,
} from "../../src/intent/index.ts";
import type { CommandAnnouncement } from "../../src/sdk/announcement.ts";

const KNOWN = new Map(
  ["net", "host", "store", "schedule", "incidents"].map((id) => [id, { rootOnly: false }]),
);

async function announce(agent: string): Promise<readonly CommandAnnouncement[]> {
  const folder = await readAgent(fileURLToPath(new URL(`../../roles/${agent}`, import.meta.url)), KNOWN);
  if ("failure" in folder) throw new Error(folder.text);
  expect(folder.disabled).toEqual([]);
  const roles = await Promise.all(folder.roles.map((role) => loadRole(role)));
  return roles.flatMap((role) => {
    if ("announcements" in role) return role.announcements;
    throw new Error(role.reason);
  });
}

let commands: readonly CommandAnnouncement[];
let classifier: Classifier;
beforeAll(async () => {
  commands = (await Promise.all(["web", "machine", "ops", "reminders", "warroom"].map(announce))).flat();
  classifier = createClassifier({
    background: shippedBackground(),
    commands: commands.map(({ name, description, prompts, effect }) => ({
      name,
      effect,
      descriptions: typeof description === "string" ? [description] : Object.values(description),
      prompts: Array.isArray(prompts) ? prompts : Object.values(prompts).flat(),
    })),
  });
});

test("the specialists and their coordinator offer these commands", () => {
  expect(commands.map(({ name }) => name).sort()).toEqual([
    "ack", "alerts", "host", "http", "incident", "incident_press", "overview", "pages", "port", "remind",
    "remind_cancel", "remind_done", "remind_snooze", "reminders", "silence", "unsilence", "watch_add", "watch_pause",
    "watch_resume", "watch_rm", "watch_run", "watches",
  ]); // prettier-ignore
});

describe("words reach the right command", () => {
  test.each([
    ["is http://127.0.0.1:3000 up?", "http"],
    ["ist http://127.0.0.1:3000 up", "http"],
    ["chekc http://127.0.0.1:3000", "http"],
    ["pls look if http://127.0.0.1:3000 answers", "http"],
    ["http://127.0.0.1:3000", "http"],
    ["is shop.example.com up?", "http"],
    ["can you check whether https://shop.example.com/cart works", "http"],
    ["ist die Seite shop.example.com erreichbar", "http"],
    ["is port 3000 open on 127.0.0.1", "port"],
    ["is port 22 open on example.com", "port"],
    ["ist port 8080 auf example.com offen", "port"],
    ["check if port 25 is open at mail.example.com", "port"],
    ["how full are the disks", "host"],
    ["how much memory is free", "host"],
    ["is there enough disk space left", "host"],
    ["wie voll ist die Platte", "host"],
    ["how is the machine doing and the web?", "overview"],
    ["is everything ok?", "overview"],
    ["wie geht es dem Rechner und den Seiten", "overview"],
    ["check the pages from before again", "pages"],
    ["watch https://shop.example.com every minute and tell us here", "watch_add"],
    ["watch http://127.0.0.1:3000 every 10 seconds", "watch_add"],
    ["keep an eye on shop.example.com", "watch_add"],
    ["überwache https://shop.example.com jede Minute", "watch_add"],
    ["watch port 5432 on db.example.com every 5 minutes", "watch_add"],
    ["alert us when https://shop.example.com is down", "watch_add"],
    ["tell me when https://a.example is down", "watch_add"],
    ["monitor port 22 on a.example", "watch_add"],
    ["check https://shop.example.com every 5 minutes", "watch_add"],
    ["check shop.example.com", "http"],
    ["what are you watching", "watches"],
    ["was überwachst du gerade?", "watches"],
    ["pause watch 3", "watch_pause"],
    ["resume watch 3", "watch_resume"],
    ["remove watch 12", "watch_rm"],
    ["run watch 2 now", "watch_run"],
    ["remind me tomorrow at 9 to call Ann", "remind"],
    ["remind me in 10 minutes to drink water", "remind"],
    ["remind me at 17:30 to send the invoice", "remind"],
    ["erinnere mich morgen um 9 an den Bericht", "remind"],
    ["which reminders do I have?", "reminders"],
    ["list my reminders", "reminders"],
    ["zeig mir meine Erinnerungen", "reminders"],
    ["reminder 4 is done", "remind_done"],
    ["snooze reminder 3 for an hour", "remind_snooze"],
    ["cancel reminder 2", "remind_cancel"],
  ])("%s → %s", (text, command) => {
    const decision = classifier.classify(text);
    expect({ zone: decision.zone, command: decision.command }).toEqual({ zone: "fire", command });
  });

  test.each([
    "what is the meaning of life",
    "play some music",
    "book a flight to Rome",
    "wer hat die WM gewonnen",
  ])("%s reaches none", (text) => {
    expect(classifier.classify(text).zone).toBe("refuse");
  });
});

describe("parameters are found in the words", () => {
  test.each([
    ["http", "is http://127.0.0.1:3000 up?", { url: "http://127.0.0.1:3000" }],
    ["http", "is shop.example.com up?", { url: "https://shop.example.com" }],
    ["port", "is port 22 open on example.com", { host: "example.com", ports: [22] }],
    ["port", "are ports 80 and 443 of 127.0.0.1 open", { host: "127.0.0.1", ports: [80, 443] }],
    ["port", "is 127.0.0.1:8443 open", { host: "127.0.0.1", ports: [8443] }],
    ["host", "how full are the disks", {}],
    ["overview", "how is the machine doing and the web?", {}],
    ["remind_snooze", "snooze reminder 3 for 30 min", { id: 3, forMs: 1_800_000 }],
    ["remind_done", "reminder 4 is done", { id: 4 }],
    ["watch_pause", "pause watch 2", { id: 2 }],
  ])("%s: %s", (name, text, values) => {
    const schema = commands.find((command) => command.name === name)?.input ?? {};
    const filled = fillParameters({
      parameters: readParameters(schema),
      text,
      entities: extractEntities(text),
    });
    expect({ values: filled.values, missing: filled.missing, ambiguous: filled.ambiguous }).toEqual({
      values,
      missing: [],
      ambiguous: [],
    });
  });

  test("in their order behind a slash command", () => {
    const schema = commands.find(({ name }) => name === "port")?.input ?? {};
    const text = "example.com 22 80";
    const filled = fillParameters({
      parameters: readParameters(schema),
      text,
      entities: extractEntities(text),
      isPositional: true,
    });
    expect(filled.values).toEqual({ host: "example.com", ports: [22, 80] });
  });
});
