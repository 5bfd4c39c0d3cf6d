import type { Migrations } from "../storage/index.ts";

/** Whether an envelope came or went. */
export const DIRECTION = { in: 0, out: 1 } as const;

/** Where a task stands in an agent's inbox. */
export const INBOX = { ready: 0, running: 1, done: 2, dead: 3 } as const;

/** Where a question to a child stands. */
export const WAIT = { open: 0, done: 1, timeout: 2, cancelled: 3 } as const;

/** Where an outgoing envelope stands; one that arrived has no row any more, its record stays in `message`. */
export const OUTBOX = { open: 0, sending: 1, dead: 2 } as const;

/**
 * One file an agent. Rowid tables with 16-byte keys: a row costs a fraction of what text keys cost.
 * A body is stored once, in `message`; every other table points at it by `n`.
 */
export const MIGRATIONS: Migrations = [
  `
  CREATE TABLE message (
    n INTEGER PRIMARY KEY, direction INTEGER NOT NULL, peer TEXT NOT NULL, id BLOB NOT NULL, kind TEXT NOT NULL,
    corr BLOB NOT NULL, reply_to BLOB, at INTEGER NOT NULL, body TEXT NOT NULL);
  CREATE UNIQUE INDEX message_by_id ON message (id, peer, direction);
  CREATE INDEX message_by_corr ON message (corr);
  CREATE TABLE inbox (
    n INTEGER PRIMARY KEY, priority INTEGER NOT NULL, state INTEGER NOT NULL, deadline INTEGER NOT NULL,
    solo INTEGER NOT NULL DEFAULT 0, solo_crashes INTEGER NOT NULL DEFAULT 0, outcome INTEGER, failure TEXT);
  CREATE INDEX inbox_unfinished ON inbox (state, priority, n) WHERE state <> 2;
  CREATE TABLE tomb (id BLOB NOT NULL, peer TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (id, peer)) WITHOUT ROWID;
  CREATE TABLE journal (
    inbox INTEGER NOT NULL, position INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, role_hash TEXT NOT NULL);
  CREATE UNIQUE INDEX journal_by_key ON journal (inbox, key);
  CREATE TABLE wait (
    n INTEGER PRIMARY KEY, inbox INTEGER NOT NULL, position INTEGER NOT NULL, key TEXT NOT NULL, role_hash TEXT NOT NULL,
    child TEXT NOT NULL, state INTEGER NOT NULL, deadline INTEGER NOT NULL, answer INTEGER);
  CREATE INDEX wait_by_inbox ON wait (inbox);
  CREATE TABLE outbox (
    n INTEGER PRIMARY KEY, peer TEXT NOT NULL, state INTEGER NOT NULL, tries INTEGER NOT NULL, next_at INTEGER NOT NULL);
  CREATE TABLE kv (role TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (role, key)) WITHOUT ROWID;
  CREATE TABLE rejection (
    peer TEXT NOT NULL, code TEXT NOT NULL, count INTEGER NOT NULL, last_at INTEGER NOT NULL, detail TEXT NOT NULL,
    PRIMARY KEY (peer, code)) WITHOUT ROWID;
  `,
];
