import { join } from "node:path";
import { expect, test } from "vitest";
import { readLedger } from "../../src/ledger/index.ts";
import { isFailure } from "../../src/envelope/index.ts";
import { createDataFolder, startWireProcess } from "../support/wire-process.ts";

const ROLES = join(import.meta.dirname, "../fixtures/trees/steps/roles");
const ID = "00000000-0000-5000-8000-000000000001";
const OTHER = "00000000-0000-5000-8000-000000000002";

test("a handler that never lets go is named, and put aside once it has held the process up twice while alone", async () => {
  using folder = createDataFolder();
  const options = { rolesDir: ROLES, dataDir: folder.dir, patienceMs: 1000 };
  for (const round of ["with others", "alone", "alone again"]) {
    const tree = startWireProcess(options);
    if (round === "with others") {
      await tree.ready;
      tree.say(ID, "spin");
    }
    const { signal, stderr } = await tree.ended;
    expect(signal, round).toBe("SIGKILL");
    expect(stderr, round).toMatch(/Nothing has moved for 1 s: .* Begun last: worker\/spin [0-9a-f-]{36}\./);
  }
  const last = startWireProcess(options);
  await last.ready;
  last.say(OTHER, "work on");
  const replies = await last.replies((all) => all.length === 2);
  expect(replies.find(({ id }) => id === ID)?.text).toMatch(/^E_DEAD_LETTER: /);
  expect(replies.find(({ id }) => id === OTHER)?.text).toBe("on done");
  expect((await last.stop()).code).toBe(0);

  const ledger = readLedger(join(folder.dir, "worker", "ledger.db"));
  if (isFailure(ledger)) throw new Error(ledger.text);
  using worker = ledger;
  expect(worker.dead().map(({ failure }) => failure?.failure)).toEqual(["E_DEAD_LETTER"]);
});
