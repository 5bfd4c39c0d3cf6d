import { existsSync } from "node:fs";
import { randomFillSync } from "node:crypto";
import { expect, test, vi } from "vitest";
import { isFailure } from "../../src/envelope/index.ts";
import { openPeople, peoplePath } from "../../src/people/index.ts";
import { runVoxtree } from "../support/program.ts";
import { createDataFolder } from "../support/wire-process.ts";

// Each test starts the program many times, and others run at its side.
vi.setConfig({ testTimeout: 120_000 });

const NO_OWNER =
  "There is no owner: `voxtree people invite --role owner` prints a code, and whoever sends it to the bot becomes owner.\n";

test.concurrent("nobody is let in at first; the terminal says how, and leaves nothing behind by looking", async () => {
  using data = createDataFolder();
  const voxtree = (...args: readonly string[]) => runVoxtree(["people", ...args], { dataDir: data.dir });
  expect(await voxtree()).toEqual({ code: 0, out: `Nobody is let in yet. ${NO_OWNER}`, err: "" });
  expect(await voxtree("list", "--json")).toEqual({ code: 0, out: "[]\n", err: "" });
  expect(await voxtree("record")).toEqual({
    code: 0,
    out: "Nothing was ever changed about who may use the bot.\n",
    err: "",
  });
  expect(existsSync(peoplePath(data.dir))).toBe(false);
  expect(await voxtree("rm", "Ann")).toMatchObject({ code: 3, out: "", err: /^E_NOT_FOUND: / });
});

test.concurrent("the terminal invites, changes and shuts out beside whoever has the file open", async () => {
  using data = createDataFolder();
  const voxtree = (...args: readonly string[]) => runVoxtree(["people", ...args], { dataDir: data.dir });
  const opened = openPeople({
    path: peoplePath(data.dir),
    now: Date.now,
    random: (into) => randomFillSync(into),
  });
  if (isFailure(opened)) throw new Error(opened.text);
  using running = opened;
  const pair = (userId: string, name: string, code: string) =>
    running.knock("telegram", { userId, name, text: `/pair ${code}` });

  const invited = await voxtree("invite", "--role", "owner");
  expect(invited).toMatchObject({ code: 0, err: "" });
  const [, , ownerCode = ""] =
    /^Whoever sends this to the bot is let in as owner, once and until (\d\d:\d\d) UTC:\n\n {2}\/pair (\d{3}-\d{3})\n$/.exec(
      invited.out,
    ) ?? [];
  expect(pair("7001", "Ann \u009b31m", ownerCode)).toMatchObject({
    kind: "paired",
    person: { role: "owner" },
  });
  const json = await voxtree("invite", "--json");
  const { code, role } = JSON.parse(json.out) as { code: string; role: string };
  expect(role).toBe("operator");
  expect(pair("7002", "Bob", code)).toMatchObject({ kind: "paired", person: { role: "operator" } });

  const listed = await voxtree();
  expect(listed.out).toMatch(
    /^Ann 31m {2}owner {5}telegram:7001 {2}\d{4}-\d\d-\d\d \d\d:\d\d\nBob {6}operator {2}telegram:7002 {2}[-\d]+ [:\d]+\n\nTimes are in UTC\.\n$/,
  );
  expect(JSON.parse((await voxtree("--json")).out)).toEqual(running.list());

  expect(await voxtree("rm", "7001")).toEqual({
    code: 1,
    out: "",
    err: "E_LAST_OWNER: Ann 31m is the only owner: make somebody else owner first, by `voxtree people role <name or id> owner`.\nMake somebody else owner first.\n",
  });
  expect(await voxtree("role", "7001", "viewer")).toMatchObject({ code: 1 });
  expect(await voxtree("role", "bob", "king")).toMatchObject({
    code: 2,
    err: expect.stringContaining("Allowed choices are viewer, operator, owner"),
  });

  expect(await voxtree("role", "bob", "owner")).toEqual({ code: 0, out: "Bob is owner now.\n", err: "" });
  expect(running.find("telegram", "7002")).toMatchObject({ role: "owner" });
  expect(await voxtree("rename", "bob", "Robert")).toMatchObject({
    code: 0,
    out: "telegram:7002 is called Robert now.\n",
  });
  expect(await voxtree("rm", "telegram:7001")).toEqual({
    code: 0,
    out: "Ann 31m is shut out. A new code would let them in again; the settings would not.\n",
    err: "",
  });
  expect(running.find("telegram", "7001")).toBeUndefined();
  expect(running.list().map(({ name }) => name)).toEqual(["Robert"]);

  const record = await voxtree("record", "--json");
  expect(JSON.parse(record.out)).toEqual(running.record(200));
  const [newest] = (await voxtree("record")).out.split("\n");
  expect(newest).toMatch(/^[-\d]+ [.:\d]+ {2}removed {2}[\da-f-]{36} {2}owner +by terminal:\S+$/);
});
