import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { FailureValue } from "../envelope/index.ts";
import { failure, isFailure } from "../envelope/index.ts";
import type { LedgerReading } from "../ledger/index.ts";
import { readLedger } from "../ledger/index.ts";

/** The ledgers of a data folder, by agent: the operator's view, across what agents know of each other. */
export interface OpenLedgers extends Disposable {
  readonly byAgent: ReadonlyMap<string, LedgerReading>;
}

/** Opens every ledger of a data folder for reading, or for repair. E_NOT_FOUND when there is none. */
export function openLedgers(dataDir: string, { forRepair = false } = {}): OpenLedgers | FailureValue {
  const byAgent = new Map<string, LedgerReading>();
  for (const agent of agentFolders(dataDir)) {
    const ledger = readLedger(join(dataDir, agent, "ledger.db"), { forRepair });
    if (!isFailure(ledger)) byAgent.set(agent, ledger);
    else if (ledger.failure !== "E_NOT_FOUND") return ledger;
  }
  if (byAgent.size === 0) {
    return failure(
      "E_NOT_FOUND",
      `There are no ledgers in ${dataDir} yet: they are made by the first start.`,
    );
  }
  return {
    byAgent,
    [Symbol.dispose]() {
      for (const ledger of byAgent.values()) ledger.close();
    },
  };
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
