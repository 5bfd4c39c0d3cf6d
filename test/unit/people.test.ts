import { randomFillSync } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { isFailure } from "../../src/envelope/index.ts";
import { openPeople, type People, peoplePath } from "../../src/people/index.ts";

const NOON = Date.parse("2026-03-01T12:00:00Z");
const BY = "terminal:root";

let folder = "";
let path = "";
let now = NOON;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "voxtree-people-"));
  path = peoplePath(folder);
  now = NOON;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const tryOpen = () => openPeople({ path, now: () => now, random: (into) => randomFillSync(into) });

function open(): People {
  const people = tryOpen();
  if (isFailure(people)) throw new Error(people.text);
  onTestFinished(() => people.close());
  return people;
}

/** Ann is the owner, Bob an operator. */
function openWithTwo(): People {
  const people = open();
  const pair = (userId: string, name: string, code = "") =>
    people.knock("telegram", { userId, name, text: `/pair ${code}` });
  pair("7001", "Ann", people.ownerCode()?.code);
  now += 1;
  pair("7002", "Bob", people.invite("operator", BY).code);
  return people;
}

const shown = (people: People) => people.list().map(({ name, role }) => `${name} ${role}`);

test("the people of a data folder stand with the root", () => {
  expect(peoplePath("/srv/voxtree")).toBe("/srv/voxtree/root/people.db");
});

test("all are listed with their identities, the longest known first", () => {
  expect(openWithTwo().list()).toEqual([
    {
      id: expect.any(String),
      name: "Ann",
      role: "owner",
      since: NOON,
      identities: [{ channel: "telegram", userId: "7001", name: "Ann" }],
    },
    {
      id: expect.any(String),
      name: "Bob",
      role: "operator",
      since: NOON + 1,
      identities: [{ channel: "telegram", userId: "7002", name: "Bob" }],
    },
  ]);
});

describe("the settings", () => {
  test("let in operators and never an owner, each once", () => {
    const people = open();
    expect(people.seed("telegram", ["7001", "7002", "7001"]).map(({ role }) => role)).toEqual([
      "operator",
      "operator",
    ]);
    expect(people.seed("telegram", ["7001", "7003"]).map(({ name }) => name)).toEqual(["7003"]);
    expect(shown(people)).toEqual(["7001 operator", "7002 operator", "7003 operator"]);
    expect(people.ownerCode()).toBeDefined();
  });

  test("change nobody who is known", () => {
    const people = openWithTwo();
    people.setRole("Bob", "viewer", BY);
    expect(people.seed("telegram", ["7001", "7002"])).toEqual([]);
    expect(shown(people)).toEqual(["Ann owner", "Bob viewer"]);
  });

  test("do not let in again who was removed, but a code does", () => {
    const people = openWithTwo();
    const [, bob] = people.list();
    people.remove("Bob", BY);
    expect(people.seed("telegram", ["7002"])).toEqual([]);
    expect(people.find("telegram", "7002")).toBeUndefined();
    now += 1000;
    const { code } = people.invite("viewer", BY);
    const again = people.knock("telegram", { userId: "7002", name: "Robert", text: `/pair ${code}` });
    expect(again).toMatchObject({ kind: "paired" });
    expect(people.find("telegram", "7002")).toEqual({
      id: bob?.id,
      name: "Robert",
      role: "viewer",
      since: NOON + 1001,
    });
  });
});

describe("a change from another process", () => {
  test("holds for the next words, without a restart", () => {
    const running = openWithTwo();
    const terminal = open();
    terminal.setRole("Bob", "viewer", BY);
    expect(running.find("telegram", "7002")).toMatchObject({ role: "viewer" });
    terminal.rename("Bob", "  Robert\n", BY);
    expect(running.find("telegram", "7002")).toMatchObject({ name: "Robert" });
    terminal.remove("Robert", BY);
    expect(running.find("telegram", "7002")).toBeUndefined();
    expect(running.find("telegram", "7001")).toMatchObject({ name: "Ann" });
  });
});

describe("the last owner", () => {
  const LAST = {
    failure: "E_LAST_OWNER",
    text: "Ann is the only owner: make somebody else owner first, by `voxtree people role <name or id> owner`.",
    retryable: false,
  };

  test("can be neither removed nor made less", () => {
    const people = openWithTwo();
    expect(people.remove("Ann", BY)).toEqual(LAST);
    expect(people.setRole("Ann", "operator", BY)).toEqual(LAST);
    expect(people.setRole("Ann", "owner", BY)).toMatchObject({ role: "owner" });
    expect(shown(people)).toEqual(["Ann owner", "Bob operator"]);
  });

  test("may go once there is another, and an owner who was removed is none", () => {
    const people = openWithTwo();
    people.setRole("Bob", "owner", BY);
    expect(people.remove("Bob", BY)).toMatchObject({ name: "Bob" });
    expect(people.remove("Ann", BY)).toEqual(LAST);
  });
});

describe("a person is named", () => {
  test("by name in any case, by the channel's id, by the whole id or its end", () => {
    const people = openWithTwo();
    const id = people.list()[1]?.id ?? "";
    for (const which of ["bob", " Bob ", "7002", "telegram:7002", id, id.toUpperCase(), id.slice(-8)])
      expect(people.setRole(which, "operator", BY)).toMatchObject({ name: "Bob" });
  });

  test("not by what is nobody's, or by somebody who was removed", () => {
    const people = openWithTwo();
    people.remove("Bob", BY);
    for (const which of ["Bob", "7002", "Carl", "telegram:1", ""])
      expect(people.rename(which, "X", BY)).toMatchObject({
        failure: "E_NOT_FOUND",
        text: expect.stringContaining("`voxtree people` lists who there is"),
      });
  });

  test("beyond doubt, where several have the name, or have taken somebody's id for a name", () => {
    const people = openWithTwo();
    people.rename("Bob", "ann", BY);
    expect(people.remove("Ann", BY)).toEqual({
      failure: "E_NOT_FOUND",
      text: "Ann may be any of telegram:7001, telegram:7002: say which of these.",
      retryable: false,
    });
    people.rename("7002", "7001", BY);
    expect(people.remove("7001", BY)).toMatchObject({ failure: "E_NOT_FOUND" });
    people.rename("telegram:7002", "telegram:7001", BY);
    expect(people.setRole("telegram:7001", "owner", BY)).toMatchObject({ name: "Ann" });
  });

  test("with something to read", () => {
    expect(openWithTwo().rename("Bob", " \u202e ", BY)).toMatchObject({ failure: "E_BAD_PARAMS" });
  });
});

describe("the record", () => {
  test("tells who was let in, changed and removed, when and by whom, newest first", () => {
    const people = openWithTwo();
    const [ann, bob] = people.list().map(({ id }) => id);
    now = NOON + 1000;
    people.setRole("Bob", "viewer", BY);
    people.rename("Bob", "Robert", BY);
    people.remove("Robert", BY);
    people.seed("telegram", ["7003"]);
    expect(people.record(100)).toEqual([
      {
        at: NOON + 1000,
        by: "settings",
        change: "let in",
        person: people.list()[1]?.id,
        becomes: "operator",
      },
      { at: NOON + 1000, by: BY, change: "removed", person: bob, was: "viewer" },
      { at: NOON + 1000, by: BY, change: "name", person: bob, was: "Bob", becomes: "Robert" },
      { at: NOON + 1000, by: BY, change: "role", person: bob, was: "operator", becomes: "viewer" },
      { at: NOON + 1, by: `code of ${BY}`, change: "let in", person: bob, becomes: "operator" },
      { at: NOON + 1, by: BY, change: "invited", becomes: "operator" },
      { at: NOON, by: "code of start", change: "let in", person: ann, becomes: "owner" },
    ]);
    expect(people.record(1)).toHaveLength(1);
  });

  test("says nothing of what failed or changed nothing", () => {
    const people = openWithTwo();
    const before = people.record(100);
    people.remove("Ann", BY);
    people.setRole("Bob", "operator", BY);
    expect(people.record(100)).toEqual(before);
  });

  test("can be neither changed nor cut, whoever opens the file", () => {
    openWithTwo().close();
    using db = new DatabaseSync(path);
    expect(() => db.exec("UPDATE record SET by = 'nobody'")).toThrow("the record is only added to");
    expect(() => db.exec("DELETE FROM record")).toThrow("the record is only added to");
  });
});

describe("a file that cannot be used is E_LEDGER", () => {
  const refused = (words: string) => ({
    failure: "E_LEDGER",
    text: expect.stringContaining(words),
    retryable: true,
  });

  test("when it is no database", () => {
    openWithTwo().close();
    writeFileSync(path, "not a database, but long enough to be read as one".repeat(100));
    expect(tryOpen()).toEqual(refused("people.db cannot be opened: file is not a database"));
  });

  test("when a page of it is damaged", () => {
    openWithTwo().close();
    const bytes = readFileSync(path);
    // The first page holds the schema; all that follow hold tables.
    bytes.fill(0xee, 4096);
    writeFileSync(path, bytes);
    expect(tryOpen()).toEqual(refused("is damaged"));
  });

  test("when a table is missing", () => {
    openWithTwo().close();
    using db = new DatabaseSync(path);
    db.exec("DROP TABLE identity");
    expect(tryOpen()).toEqual(refused("Put a back-up of it in its place"));
  });

  test("when a newer version wrote it", () => {
    openWithTwo().close();
    using db = new DatabaseSync(path);
    db.exec("PRAGMA user_version = 99");
    expect(tryOpen()).toEqual(refused("is of a newer version"));
  });
});
