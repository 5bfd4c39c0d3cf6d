import type { Migrations } from "../storage/index.ts";

/** Whether an envelope came or went. */
export const DIRECTION = { in: 0, out: 1 } as const;

/** Where an unfinished task stands; a finished one has no row any more, its outcome stands with its envelope. */
export const TASK = { ready: 0, running: 1, dead: 2 } as const;

/** Where a question to a child stands. */
export const WAIT = { open: 0, done: 1, timeout: 2, cancelled: 3, offline: 4 } as const;

/** Where an outgoing envelope stands; one that arrived has no row any more, its record stays in `message`. */
export const OUTBOX = { open: 0, sending: 1, dead: 2 } as const;

/**
 * One file an agent. A commit costs by the pages that it touches, so there is one growing table with one index, and
 * everything that is under way stands in tables that stay as small as the work at hand: rows go when they are done.
 * A body is stored once, in `message`; every other table points at it by `n`.
 */
export const MIGRATIONS: Migrations = [
  `
  CREATE TABLE message (
    n INTEGER PRIMARY KEY, direction INTEGER NOT NULL, peer TEXT NOT NULL, id BLOB NOT NULL, kind TEXT NOT NULL,
    corr BLOB NOT NULL, reply_to BLOB, at INTEGER NOT NULL, body TEXT NOT NULL, outcome INTEGER);
  CREATE UNIQUE INDEX message_by_corr ON message (corr, id, peer, direction);
  CREATE UNIQUE INDEX message_of_people ON message (id) WHERE peer = 'people' AND direction = 0;
  CREATE TABLE task (
    n INTEGER PRIMARY KEY, priority INTEGER NOT NULL, state INTEGER NOT NULL, deadline INTEGER NOT NULL,
    solo INTEGER NOT NULL DEFAULT 0, solo_crashes INTEGER NOT NULL DEFAULT 0, failure TEXT);
  CREATE TABLE tomb (id BLOB NOT NULL, peer TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (id, peer)) WITHOUT ROWID;
  CREATE TABLE journal (
    task INTEGER NOT NULL, position INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, role_hash TEXT NOT NULL,
    PRIMARY KEY (task, position)) WITHOUT ROWID;
  CREATE TABLE wait (
    n INTEGER PRIMARY KEY, task INTEGER NOT NULL, position INTEGER NOT NULL, key TEXT NOT NULL, role_hash TEXT NOT NULL,
    child TEXT NOT NULL, state INTEGER NOT NULL, deadline INTEGER NOT NULL, answer INTEGER);
  CREATE TABLE outbox (
    n INTEGER PRIMARY KEY, peer TEXT NOT NULL, state INTEGER NOT NULL, tries INTEGER NOT NULL, next_at INTEGER NOT NULL);
  CREATE TABLE kv (role TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (role, key)) WITHOUT ROWID;
  CREATE TABLE rejection (
    peer TEXT NOT NULL, code TEXT NOT NULL, count INTEGER NOT NULL, last_at INTEGER NOT NULL, detail TEXT NOT NULL,
    PRIMARY KEY (peer, code)) WITHOUT ROWID;
  `,
  // Which process recorded an envelope: the last one here whose \`since\` is not beyond the envelope's row.
  `
  CREATE TABLE process (since INTEGER PRIMARY KEY, pid INTEGER NOT NULL, at INTEGER NOT NULL);
  CREATE TABLE alert (seq INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, body TEXT NOT NULL);
  `,
  // Requests on which something will follow after their answer: a reminder, a watch.
  `
  CREATE TABLE followed (n INTEGER PRIMARY KEY, id BLOB NOT NULL);
  CREATE INDEX followed_by_id ON followed (id);
  `,
];
