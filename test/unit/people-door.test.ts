import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { isFailure } from "../../src/envelope/index.ts";
import { type Knocked, openPeople, type People } from "../../src/people/index.ts";

const NOON = Date.parse("2026-03-01T12:00:00Z");
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let folder = "";
let now = NOON;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "voxtree-people-"));
  now = NOON;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Opens the file as a process would; codes count up from the first one. */
function open({ first = 483_201, onVoid = (): void => undefined } = {}): People {
  let next = first;
  const random = (into: Uint8Array): Uint8Array => {
    // A salt takes 16 bytes, a code 4.
    if (into.length === 4) new DataView(into.buffer).setUint32(0, next++);
    return into;
  };
  const people = openPeople({ path: join(folder, "people.db"), now: () => now, random, onVoid });
  if (isFailure(people)) throw new Error(people.text);
  onTestFinished(() => people.close());
  return people;
}

const knock = (people: People, userId: string, text: string): Knocked =>
  people.knock("telegram", { userId, name: "Ann", text });

describe("the first owner", () => {
  test("is let in by the code of the terminal, and is known from then on", () => {
    const people = open();
    expect(people.ownerCode()).toEqual({ code: "483-201", role: "owner", expires: NOON + HOUR });
    expect(people.find("telegram", "7")).toBeUndefined();
    expect(knock(people, "7", "/pair 483-201")).toEqual({
      kind: "paired",
      person: { id: expect.stringMatching(/^[\da-f-]{36}$/), name: "Ann", role: "owner", since: NOON },
      text: "Welcome, Ann. You are let in as owner. Write what you need in plain words, or see /help.",
    });
    expect(people.find("telegram", "7")).toMatchObject({ name: "Ann", role: "owner" });
    expect(people.find("terminal", "7")).toBeUndefined();
    expect(people.ownerCode()).toBeUndefined();
  });

  test("is asked for by the same code while it is valid, and by another one after that", () => {
    const people = open();
    expect(people.ownerCode()?.code).toBe("483-201");
    now += 59 * MINUTE;
    expect(people.ownerCode()?.code).toBe("483-201");
    now += MINUTE;
    expect(people.ownerCode()).toEqual({ code: "483-202", role: "owner", expires: NOON + 2 * HOUR });
    expect(knock(people, "7", "/pair 483-201").kind).toBe("hint");
    expect(knock(people, "7", "/pair 483-202").kind).toBe("paired");
  });

  test("cannot come by the code of an earlier start", () => {
    open().ownerCode();
    const people = open({ first: 555_000 });
    expect(people.ownerCode()?.code).toBe("555-000");
    expect(knock(people, "7", "/pair 483-201").kind).toBe("hint");
    expect(knock(people, "7", "/pair 555-000").kind).toBe("paired");
  });

  test("makes the terminal's code useless when there is one by another way", () => {
    const people = open();
    people.ownerCode();
    people.seed("telegram", ["7"]);
    people.setRole("7", "owner", "terminal:root");
    expect(knock(people, "8", "/pair 483-201").kind).toBe("hint");
    expect(people.find("telegram", "8")).toBeUndefined();
  });

  test("may have been let in as an operator before", () => {
    const people = open();
    people.seed("telegram", ["7"]);
    people.ownerCode();
    expect(knock(people, "7", "/pair 483-201")).toMatchObject({ kind: "paired", person: { role: "owner" } });
    expect(people.find("telegram", "7")).toMatchObject({ role: "owner" });
    expect(people.list()).toHaveLength(1);
  });
});

test.each([
  "/pair 483-201",
  "/pair 483201",
  "/pair483201",
  "/Pair 483 201",
  "/pair@some_bot 483-201",
  "  /pair  4 8 3 – 2 0 1 ",
  "/pair 483—201",
  "/pair 483\u2212201",
  "/pair\n483-201",
  "/pair <483-201>.",
  "/pair ４８３-２０１",
])("%j is read as the code 483-201", (text) => {
  const people = open();
  people.ownerCode();
  expect(people.isPairing(text)).toBe(true);
  expect(knock(people, "7", text).kind).toBe("paired");
});

test.each(["483-201", "pair 483-201", "/pairs 483-201", "/start 483-201", "say /pair 483-201", ""])(
  "%j is no pairing, and gets the hint",
  (text) => {
    const people = open();
    people.ownerCode();
    expect(people.isPairing(text)).toBe(false);
    expect(knock(people, "7", text)).toEqual({
      kind: "hint",
      text: "I do not know you yet. Ask whoever told you about me for a pairing code, and send it here like this: /pair 123-456",
    });
  },
);

describe("a stranger without a code", () => {
  test("is hinted once an hour, each for themselves, also across a restart", () => {
    const people = open();
    expect(knock(people, "7", "hello").kind).toBe("hint");
    expect(knock(people, "7", "hello?")).toEqual({ kind: "silent" });
    expect(knock(people, "8", "hello").kind).toBe("hint");
    now += HOUR - 1;
    expect(knock(open(), "7", "hello?").kind).toBe("silent");
    now += 1;
    expect(knock(people, "7", "hello?").kind).toBe("hint");
  });

  test("who sends /pair alone has not tried", () => {
    const people = open();
    expect(knock(people, "7", "/pair")).toMatchObject({ text: expect.stringContaining("/pair 123-456") });
    expect(knock(people, "7", "/pair 000000")).toMatchObject({
      text: expect.stringContaining("4 more tries"),
    });
  });
});

describe("wrong codes", () => {
  test("are told with the tries that are left, then nothing of that stranger is answered for an hour", () => {
    const people = open();
    people.ownerCode();
    const invalid = "That code is not valid; it may have been used or run out.";
    expect([1, 2, 3, 4, 5].map((digit) => knock(people, "7", `/pair 00000${digit}`))).toEqual([
      { kind: "hint", text: `${invalid} You have 4 more tries within the hour.` },
      { kind: "hint", text: `${invalid} You have 3 more tries within the hour.` },
      { kind: "hint", text: `${invalid} You have 2 more tries within the hour.` },
      { kind: "hint", text: `${invalid} You have 1 more try within the hour.` },
      {
        kind: "hint",
        text: "That code is not valid. No tries are left: ask for a new code and send it in an hour.",
      },
    ]);
    now += HOUR - 1;
    expect(knock(people, "7", "/pair 483-201")).toEqual({ kind: "silent" });
    expect(knock(people, "7", "hello")).toEqual({ kind: "silent" });
    expect(people.find("telegram", "7")).toBeUndefined();
    now += 1;
    people.ownerCode();
    expect(knock(people, "7", "/pair 483-202").kind).toBe("paired");
  });

  test("of one stranger leave another one's tries alone", () => {
    const people = open();
    people.ownerCode();
    for (let digit = 0; digit < 5; digit++) knock(people, "7", `/pair 00000${digit}`);
    expect(knock(people, "8", "/pair 483-201").kind).toBe("paired");
  });

  test("by many strangers make every open code void at the twentieth, and call for a new one", () => {
    let voided = 0;
    const people = open({ onVoid: () => void (voided += 1) });
    people.ownerCode();
    const invited = people.invite("viewer", "terminal:root");
    for (let n = 0; n < 19; n++) knock(people, `stranger ${n}`, "/pair 000-000");
    expect(voided).toBe(0);
    expect(people.ownerCode()?.code).toBe("483-201");
    knock(people, "stranger 19", "/pair 000-000");
    expect(voided).toBe(1);
    expect(knock(people, "7", "/pair 483-201").kind).toBe("hint");
    expect(knock(people, "7", `/pair ${invited.code}`).kind).toBe("hint");
    expect(people.ownerCode()?.code).toBe("483-203");
    expect(knock(people, "8", "/pair 483-203").kind).toBe("paired");
    expect(people.record(10).map(({ change }) => change)).toEqual(["let in", "codes void", "invited"]);
  });

  test("count against a code only while it is open", () => {
    const people = open();
    for (let n = 0; n < 25; n++) knock(people, `stranger ${n}`, "/pair 000-000");
    people.ownerCode();
    expect(knock(people, "7", "/pair 483-201").kind).toBe("paired");
  });
});

describe("a code", () => {
  test("lets one person in, and no second", () => {
    const people = open();
    const { code } = people.invite("viewer", "terminal:root");
    expect(knock(people, "7", `/pair ${code}`)).toMatchObject({ kind: "paired", person: { role: "viewer" } });
    expect(knock(people, "8", `/pair ${code}`).kind).toBe("hint");
    expect(people.list().map(({ name }) => name)).toEqual(["Ann"]);
  });

  test("that is sent again by whom it let in gets the same welcome: their words may come twice", () => {
    const people = open();
    people.ownerCode();
    const first = knock(people, "7", "/pair 483-201");
    expect(knock(people, "7", "/pair 483-201")).toEqual(first);
    expect(people.list()).toHaveLength(1);
  });

  test("is not used up by who may do as much already", () => {
    const people = open();
    people.ownerCode();
    knock(people, "7", "/pair 483-201");
    const { code } = people.invite("operator", "terminal:root");
    expect(knock(people, "7", `/pair ${code}`)).toMatchObject({
      kind: "paired",
      person: { role: "owner" },
      text: "You are let in already, Ann, as owner. That code was not used up: it can let somebody else in.",
    });
    expect(knock(people, "8", `/pair ${code}`)).toMatchObject({ person: { role: "operator" } });
  });

  test("made in another process works here, for an hour", () => {
    const running = open();
    const { code, expires } = open({ first: 12 }).invite("operator", "terminal:root");
    expect([code, expires]).toEqual(["000-012", NOON + HOUR]);
    now += HOUR - 1;
    expect(knock(running, "7", `/pair ${code}`).kind).toBe("paired");
    const late = open({ first: 13 }).invite("operator", "terminal:root");
    now += HOUR;
    expect(knock(running, "8", `/pair ${late.code}`).kind).toBe("hint");
  });

  test("is never the same as another open one, and each digit is as likely as any other", () => {
    const drawn = [4_294_967_295, 4_294_000_000, 1_483_201, 483_201, 483_202];
    const people = openPeople({
      path: join(folder, "people.db"),
      now: () => now,
      random(into) {
        if (into.length === 4) new DataView(into.buffer).setUint32(0, drawn.shift() ?? 0);
        return into;
      },
    });
    if (isFailure(people)) throw new Error(people.text);
    using open = people;
    // Beyond the last whole million a number is drawn anew.
    expect([1, 2].map(() => open.invite("viewer", "terminal:root").code)).toEqual(["483-201", "483-202"]);
  });

  test("stands in the file neither as it is nor as a plain hash", () => {
    const people = open();
    people.ownerCode();
    people.close();
    using db = new DatabaseSync(join(folder, "people.db"));
    const row = db.prepare("SELECT * FROM code").get() ?? {};
    expect(Object.values(row).map(String).join(" ")).not.toMatch(/483-?201/);
    expect((row["hash"] as Uint8Array).length).toBe(32);
    const { createHash } = process.getBuiltinModule("node:crypto");
    for (const text of ["483201", "483-201"])
      expect(Buffer.from(row["hash"] as Uint8Array)).not.toEqual(createHash("sha256").update(text).digest());
  });
});

test("a name from a channel cannot steer a terminal, and one without anything to read is the id", () => {
  const people = open();
  const codes = [1, 2, 3].map(() => people.invite("viewer", "terminal:root").code);
  const named = (n: number, name: string) =>
    people.knock("telegram", { userId: `${n}`, name, text: `/pair ${codes[n]}` });
  expect(named(0, "Ann\u001b[2J\n\u202eB")).toMatchObject({ person: { name: "Ann [2J B" } });
  expect(named(1, " \u202e\n ")).toMatchObject({ person: { name: "1" } });
  expect(named(2, "x".repeat(500))).toMatchObject({ person: { name: "x".repeat(64) } });
});
