import { isFailure } from "../../envelope/failures.ts";
import { readLedgers } from "../ledgers.ts";
import type { CheckScope, Finding } from "./finding.ts";

const MEND =
  "Check the folder's rights. Is the file damaged, put a backup in its place, or move it away: the next start makes a new one, without what this one remembered.";

/** Whether every agent's ledger can be read, and whether requests were put aside in them. */
export function checkLedgers({ config }: CheckScope): readonly Finding[] {
  if (isFailure(config)) return [];
  const ledgers = readLedgers(config.dataDir);
  const broken: Finding[] = [];
  const dead: { readonly agent: string; readonly count: number }[] = [];
  for (const { agent, ledger } of ledgers) {
    if (isFailure(ledger)) {
      broken.push({ name: "ledgers", state: "fail", text: ledger.text, remedy: MEND });
    } else {
      dead.push({ agent, count: ledger.dead().length });
      ledger.close();
    }
  }
  if (ledgers.length === 0)
    return [{ name: "ledgers", state: "ok", text: "none yet; the first start makes them" }];
  const sum = dead.reduce((so, { count }) => so + count, 0);
  if (sum === 0) {
    if (broken.length > 0) return broken;
    const text = `${dead.length} can be read, no dead letters`;
    return [{ name: "ledgers", state: "ok", text }];
  }
  const where = dead.filter(({ count }) => count > 0).map(({ agent, count }) => `${agent} ${count}`);
  const letters: Finding = {
    name: "ledgers",
    state: "warn",
    text: `${sum === 1 ? "1 dead letter" : `${sum} dead letters`}: ${where.join(", ")}`,
    remedy: "Look at them with `voxtree dead list`; then retry or drop each.",
  };
  return [...broken, letters];
}
