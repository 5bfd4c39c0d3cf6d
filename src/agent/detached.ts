import type { Ledger } from "../ledger/index.ts";

/**
 * Does what nobody waits for. When the ledger can no longer be written its agent ends by `onFailure`; whatever throws
 * because of that is not another defect, everything else that throws is.
 */
export function detached(ledger: Ledger, work: () => unknown): void {
  const judge = (error: unknown): void => {
    if (!ledger.hasFailed()) throw error;
  };
  try {
    const doing = work();
    if (doing instanceof Promise) doing.catch(judge);
  } catch (error) {
    judge(error);
  }
}
