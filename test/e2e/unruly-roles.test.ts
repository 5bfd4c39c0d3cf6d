import { afterAll, beforeAll, expect, test } from "vitest";
import { createOwnTree, type OwnTree } from "../support/own-tree.ts";
import { type Ran, runVoxtree } from "../support/program.ts";

const UNRULY = `
import { defineRole } from "#sdk";
import { z } from "zod";

/** Breaks one rule each, by name. */
export default defineRole({
  requires: ["store"],
  commands: {
    unruly: {
      description: "Break a rule",
      params: z.object({ how: z.string() }),
      timeoutMs: 3000,
      async run({ store, signal }, { how }) {
        switch (how) {
          case "never":
            return new Promise(() => {});
          case "undefined":
            throw undefined;
          case "bare":
            throw Object.create(null);
          case "getter":
            throw Object.defineProperty(new Error("x"), "stack", { get: () => { throw new Error("no"); } });
          case "key":
            return { text: String(store.get({} as unknown as string)) };
          case "prefix":
            return { text: String(store.list(5 as unknown as string)) };
          case "listener":
            signal.addEventListener("abort", () => { throw new Error("from a listener"); });
            return { text: "with a listener" };
          case "floating":
            void Promise.reject(Object.create(null));
            return { text: "floating" };
          default:
            return { text: "behaves" };
        }
      },
    },
  },
});
`;

/** Never comes to the end of its top level. */
const ENDLESS = `
import { defineRole } from "#sdk";

await new Promise(() => {});

export default defineRole({ commands: { endless: { description: "Never there", run: () => ({ text: "never" }) } } });
`;

const WAYS = [
  "never",
  "undefined",
  "bare",
  "getter",
  "key",
  "prefix",
  "listener",
  "floating",
  "well",
] as const;
let tree: OwnTree;
let ran: Ran;

beforeAll(async () => {
  tree = await createOwnTree({ unruly: { unruly: UNRULY }, endless: { endless: ENDLESS } });
  const input = WAYS.map((how) => `/unruly how=${how}\n`).join("");
  ran = await runVoxtree(["start"], { dataDir: tree.dataDir, rolesDir: tree.rolesDir, input });
}, 60_000);

afterAll(() => tree[Symbol.asyncDispose]());

test("whatever rules a role breaks, each request gets its reply and the process ends well", () => {
  expect({ code: ran.code, err: ran.err.includes("E_LEDGER") }).toEqual({ code: 0, err: false });
  const replies = ran.out.split("\n");
  expect(replies.filter((line) => line.includes("with a listener"))).toHaveLength(1);
  expect(replies.filter((line) => line.includes("floating"))).toHaveLength(1);
  expect(replies.filter((line) => line.includes("behaves"))).toHaveLength(1);
});

test("a handler that never comes to an end costs its asker the time that it was given", () => {
  expect(ran.out).toMatch(/^.*(too long|in time)/m);
});

test("a handler that throws something that is no error is put aside like any other", () => {
  expect(ran.out.match(/Something went wrong here; it is noted as/g)).toHaveLength(5);
});

test("a role whose top level never ends is disabled by name, and the others start", () => {
  expect(ran.err).toContain("did not come to an end within 10 s");
  expect(ran.err).toContain("endless");
});
