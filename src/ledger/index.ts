export type { Letter, StoredLetter } from "./archive.ts";
export type { Inbox, InterruptedRow, Outgoing, ReadyRow, Settlement } from "./inbox.ts";
export { openLedger, type Ledger, type LedgerOptions } from "./ledger.ts";
export type { KeyValues, StoreWrite } from "./key-values.ts";
export type { DueRow, Outbox } from "./outbox.ts";
export type { AnswerFate, JournalEntry, OpenWait, Question, Waits } from "./waits.ts";
export {
  readLedger,
  type Conversation,
  type DeadLetter,
  type LedgerReading,
  type TracedEnvelope,
} from "./reading.ts";
