import { z } from "zod";
import {
  type CommandMap,
  createCommandMap,
  understand,
  type DialogueState,
  type Outcome,
} from "../../src/dialogue/index.ts";
import { CommandAnnouncement } from "../../src/sdk/announcement.ts";
import { param } from "../../src/sdk/param.ts";

/** An announcement as an agent would make it. */
export function announce(
  name: string,
  description: string,
  rest: { prompts?: string[]; params?: z.ZodObject; effect?: "read" | "change" | "destroy" } = {},
): CommandAnnouncement {
  const { prompts = [], params = z.object({}), effect = "read" } = rest;
  return CommandAnnouncement.parse({
    name,
    description,
    prompts,
    effect,
    input: z.toJSONSchema(params, { io: "input" }),
  });
}

/** The commands of a small desk: what the shipped tree offers, by prompts of its own. */
export const CHECKS: readonly CommandAnnouncement[] = [
  announce("http", "Check that a web page answers, and how fast", {
    prompts: [
      "is example.com up?",
      "check https://example.com",
      "does example.com answer?",
      "look if https://example.com responds",
    ],
    params: z.object({ url: z.url(), expect: z.int().default(200) }),
  }),
  announce("port", "Check that a TCP port is open", {
    prompts: [
      "is port 443 open on example.com?",
      "can I connect to example.com:443",
      "check port 22 on 10.0.0.5",
    ],
    params: z.object({ host: param.host(), port: param.port() }),
  }),
  announce("host", "Show load, memory, disks and uptime of this machine", {
    prompts: [
      "how is the machine doing?",
      "how full are the disks?",
      "how much memory is free?",
      "show the uptime",
    ],
  }),
  announce("overview", "Sum up how everything is doing, the machine and the web", {
    prompts: [
      "how is everything?",
      "is everything ok?",
      "how are the machine and the web doing?",
      "give me an overview",
    ],
  }),
  announce("pages", "Check all web pages that are watched", {
    prompts: ["are all our pages up?", "check all pages", "which sites are down?"],
  }),
];

/** Commands that do something, for the rules of the dialogue. */
export const ACTIONS: readonly CommandAnnouncement[] = [
  announce("restart", "Restart a service", {
    prompts: ["restart the service", "restart nginx", "please restart it", "reboot the service"],
    params: z.object({ service: z.string() }),
    effect: "destroy",
  }),
  announce("deploy", "Roll out a release", {
    prompts: ["deploy to staging", "roll out the release to production", "ship it to staging"],
    params: z.object({ to: z.enum(["staging", "production"]) }),
    effect: "change",
  }),
  announce("note_add", "Write a note down", {
    prompts: ["write down that the switch is old"],
    params: z.object({ text: param.rest() }),
  }),
  announce("note_list", "List the notes", { prompts: ["show my notes"] }),
];

// Learning the same commands anew for every chat would be most of the tests' time.
const maps = new WeakMap<readonly CommandAnnouncement[], CommandMap>();

/** One chat with the bot: each `say` goes on where the one before it ended. */
export function chatWith(commands: readonly CommandAnnouncement[]): {
  say(text: string, laterMs?: number): Outcome;
  readonly state: DialogueState;
} {
  const map = maps.get(commands) ?? createCommandMap(commands);
  maps.set(commands, map);
  let state: DialogueState = {};
  let now = Date.UTC(2026, 2, 10, 12);
  return {
    say(text, laterMs = 1000) {
      now += laterMs;
      const understood = understand(text, state, { now: new Date(now), zone: "UTC", language: "en", map });
      // What is stored is JSON.
      ({ state } = structuredClone(understood));
      return understood.outcome;
    },
    get state() {
      return state;
    },
  };
}
