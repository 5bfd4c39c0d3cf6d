import { expect, test } from "vitest";
import { isFailure } from "../../src/envelope/index.ts";
import { openLedger } from "../../src/ledger/index.ts";
import { startChain, copyAsCrashed, type TestAgent } from "../support/agents.ts";
import { settled, waitFor } from "../support/event-loop.ts";
import { readRows } from "../support/ledger-rows.ts";
import { createManualClock } from "../support/manual-clock.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** A specialist below a coordinator below the root, that tells an hour later what it was told to tell. */
const REMINDED: readonly TestAgent[] = [
  { name: "root" },
  { name: "office" },
  {
    name: "reminders",
    commands: {
      remind({ schedule, follow, request }, { text }) {
        follow();
        schedule.at(request.id, {
          at: "2026-03-01T13:00:00Z",
          event: "due",
          payload: { text, requestId: request.id },
        });
        return { text: "noted" };
      },
    },
    events: {
      due({ notify, letGo }, { text, requestId, lateMs }) {
        const late = Number(lateMs) > 60_000 ? " (late)" : "";
        notify(String(requestId), { text: `${String(text)}${late}` });
        letGo(String(requestId));
      },
    },
  },
];

const followedBy = (dir: string): readonly number[] =>
  ["root", "office", "reminders"].map((agent) => readRows(dir, agent, "SELECT n FROM followed").length);

test("what a specialist tells an hour later reaches the chat that asked, once, and then nobody keeps the request any more", async () => {
  const clock = createManualClock();
  await using chain = await startChain(REMINDED, { clock });
  expect((await chain.ask('remind {"text":"buy milk"}')).reply).toMatchObject({ text: "noted" });
  expect(followedBy(chain.dir)).toEqual([1, 1, 1]);
  clock.advance(HOUR_MS - 2000);
  await settled();
  expect(chain.replies).toHaveLength(1);
  clock.advance(2000);
  await waitFor(() => Promise.resolve(chain.replies.length === 2));
  expect(chain.replies[1]).toMatchObject({ chat: "chat", reply: { text: "buy milk" }, isRepeat: false });
  clock.advance(60_000);
  await waitFor(() => Promise.resolve(followedBy(chain.dir).every((count) => count === 0)));
  expect(chain.replies).toHaveLength(2);
});

test("a notice that is due while its agent is away comes when it is back, says that it is late, and comes once although all crash", async () => {
  const clock = createManualClock();
  await using first = await startChain(REMINDED, { clock });
  await first.ask('remind {"text":"buy milk"}');
  using crashed = copyAsCrashed(first);
  clock.advance(0);
  const late = createManualClock(Date.parse("2026-03-01T14:00:00Z"));
  await using again = await startChain(REMINDED, { clock: late, dir: crashed.dir });
  late.advance(1000);
  const told = (): readonly unknown[] =>
    again.replies.map(({ reply }) => reply.text).filter((text) => text !== "noted");
  await waitFor(() => Promise.resolve(told().length > 0));
  expect(told()).toEqual(["buy milk (late)"]);
  using crashedAgain = copyAsCrashed(again);
  const later = createManualClock(Date.parse("2026-03-01T14:10:00Z"));
  await using last = await startChain(REMINDED, { clock: later, dir: crashedAgain.dir });
  later.advance(60_000);
  await settled();
  expect(last.replies.filter(({ isRepeat }) => !isRepeat)).toEqual([]);
});

test("a request on which something will follow is kept beyond the days of all others, and not longer", async () => {
  const clock = createManualClock();
  await using chain = await startChain(REMINDED, { clock });
  await chain.ask('remind {"text":"buy milk"}');
  clock.advance(1000);
  await settled();
  const ledger = openLedger({
    path: `${chain.dir}/reminders/ledger.db`,
    now: () => clock.now() + 400 * DAY_MS,
    durability: "normal",
    onFailure(error) {
      throw error;
    },
  });
  if (isFailure(ledger)) throw new Error(ledger.text);
  const [row] = readRows(chain.dir, "reminders", "SELECT n FROM followed");
  while (ledger.forget(30 * DAY_MS));
  await ledger.committed();
  const kept = (): unknown[] =>
    readRows(chain.dir, "reminders", "SELECT kind FROM message ORDER BY n").map((each) => each["kind"]);
  expect(kept()).toContain("command_request");
  ledger.followed.letGo(Number(row?.["n"]));
  while (ledger.forget(30 * DAY_MS));
  await ledger.committed();
  expect(kept()).toEqual([]);
  ledger.close();
});

test("a child can tell something only about what it was asked itself", async () => {
  await using chain = await startChain([
    { name: "root" },
    { name: "office", commands: { note: ({ follow }) => (follow(), { text: "noted" }) } },
    { name: "other", master: "root", commands: { look: () => ({ text: "seen" }) } },
  ]);
  await chain.ask("note");
  const asked = chain.lanes.carried.find(({ to, text }) => to === "office" && text.includes('"office.note"'));
  const { id, corr, to } = JSON.parse(asked?.text ?? "{}") as Record<string, string>;
  await chain.ask("look");
  const answer = JSON.parse(
    chain.lanes.carried.findLast(({ from, text }) => from === "other" && text.includes('"result"'))?.text ??
      "{}",
  ) as Record<string, unknown>;
  const { canonicalJson } = await import("../../src/envelope/index.ts");
  const forged = {
    ...answer, id: "01900000-0000-7000-8000-00000000000f", type: "event", message_type: "notice",
    ts: "2026-03-01T12:00:00.000Z", intent: "office.note", corr, reply_to: id, payload: { summary: "forged", result: null },
  }; // prettier-ignore
  const fresh = { ...forged, id: String(answer["id"]).replace(/.$/, "f") };
  await chain.lanes.inject("other", "root", canonicalJson(fresh));
  await settled();
  expect(to).toContain("agent.");
  expect(chain.replies.map(({ reply }) => reply.text)).toEqual(["noted", "seen"]);
  expect(readRows(chain.dir, "root", "SELECT peer, code, count FROM rejection")).toEqual([
    { peer: "other", code: "E_NOT_ASKED", count: 1 },
  ]);
});

test("who says it of a request that is not followed tells nobody, and nothing breaks", async () => {
  await using chain = await startChain([
    { name: "root" },
    {
      name: "office",
      commands: {
        tell({ notify, letGo }) {
          notify("01900000-0000-7000-8000-00000000000a", { text: "to nobody" });
          letGo("no id at all");
          return { text: "told" };
        },
      },
    },
  ]);
  expect((await chain.ask("tell")).reply).toMatchObject({ text: "told" });
  await settled();
  expect(chain.replies).toHaveLength(1);
});

test("what a handler tells later is told only when the handler comes to its end", async () => {
  const clock = createManualClock();
  let runs = 0;
  await using chain = await startChain(
    [
      { name: "root" },
      {
        name: "office",
        commands: {
          watch({ schedule, follow, request }) {
            follow();
            schedule.every("w", {
              everyMs: 60_000,
              zone: "UTC",
              event: "look",
              payload: { requestId: request.id },
            });
            return { text: "watching" };
          },
        },
        events: {
          look({ notify }, { requestId }) {
            runs += 1;
            notify(String(requestId), { text: `run ${runs}` });
            if (runs === 1) throw new Error("half way");
          },
        },
      },
    ],
    { clock },
  );
  await chain.ask("watch");
  clock.advance(61_000);
  await waitFor(() => Promise.resolve(runs === 1));
  await settled();
  clock.advance(60_000);
  await waitFor(() => Promise.resolve(chain.replies.length === 2));
  expect(chain.replies[1]?.reply.text).toBe("run 2");
});
