/**
 * What the way out keeps. Times are Unix ms; ids of chats, topics and messages are Telegram's.
 *
 * `asked`: words that have no reply yet, and the message that shows how far the work on them is. `progress_state` is
 * `sending` while nobody can tell whether that message exists.
 * `part`: what is sent, in the order of `place`, `n` in each chat; a part that takes another's place shares its `place`.
 * `message` is the message that a part is, or that it changes; a finished part keeps no content unless it may be shown again.
 * `button`: what stands behind a button's opaque id: words to say, or a part to show again.
 * `chat`: chats that have moved, and chats that cannot be written to.
 */
export const OUTPUT_TABLES = `
  CREATE TABLE asked (
    request TEXT PRIMARY KEY,
    chat INTEGER NOT NULL,
    topic INTEGER,
    message INTEGER,
    at INTEGER NOT NULL,
    progress INTEGER,
    progress_state TEXT CHECK (progress_state IN ('sending', 'shown'))
  ) STRICT;
  CREATE TABLE part (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    place INTEGER NOT NULL,
    delivery TEXT NOT NULL,
    chat INTEGER NOT NULL,
    topic INTEGER,
    content TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('ready', 'sending', 'sent', 'unknown', 'failed')),
    message INTEGER,
    fault TEXT,
    at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX part_open ON part (chat, place, n) WHERE state IN ('ready', 'sending');
  CREATE INDEX part_delivery ON part (delivery);
  CREATE TABLE button (
    id TEXT PRIMARY KEY,
    part INTEGER NOT NULL,
    say TEXT,
    shows INTEGER,
    is_once INTEGER NOT NULL,
    pressed_at INTEGER,
    at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX button_part ON button (part);
  CREATE TABLE chat (
    id INTEGER PRIMARY KEY,
    moved_to INTEGER,
    closed TEXT
  ) STRICT;
`;
