import type { Migrations } from "../storage/index.ts";

/** Everybody who was ever let in, the codes that let people in, and what strangers tried. */
export const MIGRATIONS: Migrations = [
  `
  CREATE TABLE person (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, role TEXT NOT NULL CHECK (role IN ('owner', 'operator', 'viewer')),
    language TEXT, zone TEXT, since INTEGER NOT NULL, removed_at INTEGER) STRICT;
  CREATE TABLE identity (
    channel TEXT NOT NULL, user_id TEXT NOT NULL, person TEXT NOT NULL, name TEXT NOT NULL,
    PRIMARY KEY (channel, user_id)) STRICT;
  CREATE INDEX identity_by_person ON identity (person);
  CREATE TABLE code (
    n INTEGER PRIMARY KEY, salt BLOB NOT NULL, hash BLOB NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('owner', 'operator', 'viewer')), is_first INTEGER NOT NULL,
    made_by TEXT NOT NULL, expires INTEGER NOT NULL, tries INTEGER NOT NULL DEFAULT 0,
    used_at INTEGER, used_by TEXT, void_at INTEGER) STRICT;
  CREATE TABLE hint (
    channel TEXT NOT NULL, user_id TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (channel, user_id)) STRICT;
  CREATE TABLE wrong_try (
    n INTEGER PRIMARY KEY, channel TEXT NOT NULL, user_id TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
  CREATE INDEX wrong_try_by_stranger ON wrong_try (channel, user_id, at);
  CREATE TABLE record (
    n INTEGER PRIMARY KEY, at INTEGER NOT NULL, by TEXT NOT NULL, change TEXT NOT NULL, person TEXT, was TEXT, becomes TEXT) STRICT;
  CREATE TRIGGER record_is_never_changed BEFORE UPDATE ON record BEGIN SELECT RAISE(ABORT, 'the record is only added to'); END;
  CREATE TRIGGER record_is_never_cut BEFORE DELETE ON record BEGIN SELECT RAISE(ABORT, 'the record is only added to'); END;
  `,
];
