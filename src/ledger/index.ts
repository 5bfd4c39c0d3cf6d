export type { Letter, StoredLetter } from "./archive.ts";
export type { Outgoing } from "./inbox.ts";
export type { StoreWrite } from "./key-values.ts";
export { openLedger, type Ledger } from "./ledger.ts";
export { readLedger, type DeadLetter, type LedgerReading } from "./reading.ts";
export type { JournalEntry } from "./waits.ts";
