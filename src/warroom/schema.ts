import type { Migrations } from "../storage/index.ts";

/** How incidents.db is brought up to date; entries are only ever added. */
export const MIGRATIONS: Migrations = [
  `
  CREATE TABLE stream (
    agent TEXT PRIMARY KEY,
    taken INTEGER NOT NULL,            -- up to which number its alerts are taken
    refused INTEGER NOT NULL DEFAULT 0 -- how many of them could not be read
  );
  CREATE TABLE refused (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    agent TEXT NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL,
    why TEXT NOT NULL, body TEXT NOT NULL
  );
  CREATE TABLE incident (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    fingerprint TEXT NOT NULL,
    cause TEXT NOT NULL,
    storm INTEGER,
    is_live INTEGER NOT NULL,          -- 0 once it is resolved and calm
    created_at INTEGER NOT NULL,
    body TEXT NOT NULL
  );
  CREATE INDEX incident_fingerprint ON incident (fingerprint, n);
  CREATE INDEX incident_live ON incident (n) WHERE is_live = 1;
  CREATE INDEX incident_cause ON incident (cause, created_at);
  CREATE INDEX incident_storm ON incident (storm) WHERE storm IS NOT NULL;
  CREATE TABLE transition (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    incident INTEGER NOT NULL,
    at INTEGER NOT NULL, what TEXT NOT NULL, by TEXT, note TEXT NOT NULL
  );
  CREATE INDEX transition_incident ON transition (incident, n);
  CREATE TABLE message (
    incident INTEGER PRIMARY KEY,
    hold_until INTEGER NOT NULL,       -- not posted before
    wait_ms INTEGER NOT NULL,          -- what is over sooner is not posted at all
    rev INTEGER NOT NULL,              -- counts what is to be shown
    sent_rev INTEGER NOT NULL,
    sent_hash TEXT,
    room TEXT, ref TEXT,               -- where it stands, once it stands
    sending INTEGER NOT NULL,          -- 1 while a call is under way
    was_cut INTEGER NOT NULL,          -- 1 when it may have been posted without anybody knowing
    attempts INTEGER NOT NULL,
    plainness INTEGER NOT NULL,
    not_before INTEGER NOT NULL,
    repeat_at INTEGER
  );
  CREATE TABLE note (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    incident INTEGER NOT NULL,
    kind TEXT NOT NULL,
    state INTEGER NOT NULL,            -- 0 ready, 1 sending, 2 sent, 3 of no use any more, 4 refused
    was_cut INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    not_before INTEGER NOT NULL
  );
  CREATE INDEX note_open ON note (state) WHERE state < 2;
  CREATE TABLE button (
    token TEXT PRIMARY KEY,
    incident INTEGER NOT NULL,
    action TEXT NOT NULL
  );
  CREATE INDEX button_incident ON button (incident);
  CREATE TABLE call (at INTEGER NOT NULL); -- of the last minute
  `,
];
