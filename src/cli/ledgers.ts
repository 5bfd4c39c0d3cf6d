import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { FailureValue } from "../envelope/index.ts";
import { isFailure } from "../envelope/index.ts";
import type { LedgerReading } from "../ledger/index.ts";
import { readLedger } from "../ledger/index.ts";

/** The ledgers of a data folder, by agent: the operator's view, across what agents know of each other. */
export interface OpenLedgers extends Disposable {
  readonly byAgent: ReadonlyMap<string, LedgerReading>;
}

/** Opens every ledger of a data folder for reading, or for repair. E_LEDGER when one cannot be opened. */
export function openLedgers(dataDir: string, { forRepair = false } = {}): OpenLedgers | FailureValue {
  const byAgent = new Map<string, LedgerReading>();
  const close = (): void => {
    for (const ledger of byAgent.values()) ledger.close();
  };
  for (const { agent, ledger } of readLedgers(dataDir, { forRepair })) {
    if (isFailure(ledger)) {
      close();
      return ledger;
    }
    byAgent.set(agent, ledger);
  }
  return { byAgent, [Symbol.dispose]: close };
}

/** Each agent's ledger of a data folder, open, or why it cannot be opened. Folders without one are left out. */
export function readLedgers(
  dataDir: string,
  { forRepair = false } = {},
): readonly { readonly agent: string; readonly ledger: LedgerReading | FailureValue }[] {
  return agentFolders(dataDir)
    .map((agent) => ({ agent, ledger: open(join(dataDir, agent, "ledger.db"), forRepair) }))
    .filter(({ ledger }) => !isFailure(ledger) || ledger.failure !== "E_NOT_FOUND");
}

/** A repair must not bring a ledger up to date under an older agent that runs on it: only a reader looks at the version first. */
function open(path: string, forRepair: boolean): LedgerReading | FailureValue {
  const reading = readLedger(path);
  if (isFailure(reading) || !forRepair) return reading;
  reading.close();
  return readLedger(path, { forRepair });
}

function agentFolders(dataDir: string): readonly string[] {
  try {
    return readdirSync(dataDir, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort();
  } catch {
    return [];
  }
}
