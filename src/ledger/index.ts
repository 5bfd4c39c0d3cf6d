export { keyOfAnswered, type Letter } from "./archive.ts";
export type { StoreWrite } from "./key-values.ts";
export { openLedger, type Ledger } from "./ledger.ts";
export type { DueRow, Outgoing } from "./outbox.ts";
export { readLedger, type DeadLetter, type LedgerReading } from "./reading.ts";
export type { ClosedAs, JournalEntry, OpenWait } from "./waits.ts";
