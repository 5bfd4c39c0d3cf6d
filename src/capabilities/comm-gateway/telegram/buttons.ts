import type { Ids } from "../../../envelope/ids.ts";
import type { Button } from "../../../sdk/reply.ts";
import { columnsOf, fit, oneLine } from "../render-terminal.ts";
import type { Key, Keyboard } from "./parts.ts";
import type { TelegramDatabase } from "./store.ts";

/** What stands behind a button. */
export interface Behind {
  readonly id: string;
  /** The part whose keyboard it stands in. */
  readonly part: number;
  /** Words to say for whoever presses, or the part to show again. */
  readonly does: { readonly say: string } | { readonly showAgain: number };
  /** Whether the keyboard goes once one of its buttons was pressed. */
  readonly isOnce: boolean;
  readonly isPressed: boolean;
}

/** What is pressed under messages: an opaque id in the message, and what it does here. */
export interface Buttons {
  /** The keyboard for a reply's buttons, and their meanings to be kept with the part that carries it. */
  make(buttons: readonly Button[]): { readonly keyboard: Keyboard; readonly meanings: readonly Meaning[] };
  /** One button that shows a part again. */
  makeAgain(part: number): { readonly keyboard: Keyboard; readonly meanings: readonly Meaning[] };
  keep(part: number, meanings: readonly Meaning[], isOnce: boolean): void;
  find(id: string): Behind | undefined;
  /** Notes a press; where the keyboard goes with it, of all its buttons. */
  press(button: Behind): void;
  /** The buttons of a part stand under another one now. */
  move(from: number, to: number): void;
  prune(before: number): void;
}

interface Meaning {
  readonly id: string;
  readonly say: string | null;
  readonly shows: number | null;
}

const AGAIN_LABEL = "Show again";
/** What a phone shows in one row without cutting it. */
const ROW_COLUMNS = 30;
const ROW_LENGTH = 3;
const LABEL_COLUMNS = 64;

export function createButtons({
  db,
  ids,
  now,
}: {
  readonly db: TelegramDatabase;
  readonly ids: Ids;
  readonly now: () => number;
}): Buttons {
  const insert = db.prepare(
    "INSERT INTO button (id, part, say, shows, is_once, at) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const find = db.prepare("SELECT part, say, shows, is_once, pressed_at FROM button WHERE id = ?");
  const press = db.prepare("UPDATE button SET pressed_at = ? WHERE id = ? OR (part = ? AND is_once = 1)");
  const move = db.prepare("UPDATE button SET part = ? WHERE part = ?");
  const prune = db.prepare("DELETE FROM button WHERE at < ?");

  /** 22 characters of base64url; the war room's begin with `wr.`, and none of these has a dot. */
  const nextId = (): string => Buffer.from(ids.next().replaceAll("-", ""), "hex").toString("base64url");

  return {
    make(buttons) {
      const made = buttons.map(({ label, say }) => ({ label, say, id: nextId(), shows: null }));
      return {
        keyboard: layOut(made.map(({ id, label }) => ({ text: labelOf(label), callback_data: id }))),
        meanings: made,
      };
    },
    makeAgain(part) {
      const id = nextId();
      return {
        keyboard: [[{ text: AGAIN_LABEL, callback_data: id }]],
        meanings: [{ id, say: null, shows: part }],
      };
    },
    keep(part, meanings, isOnce) {
      for (const { id, say, shows } of meanings) insert.run(id, part, say, shows, isOnce ? 1 : 0, now());
    },
    find(id) {
      const row = find.get(id);
      if (!row) return undefined;
      return {
        id,
        part: Number(row["part"]),
        does: row["say"] === null ? { showAgain: Number(row["shows"]) } : { say: String(row["say"]) },
        isOnce: row["is_once"] === 1,
        isPressed: row["pressed_at"] !== null,
      };
    },
    move: (from, to) => void move.run(to, from),
    press: ({ id, part }) => void press.run(now(), id, part),
    prune: (before) => void prune.run(before),
  };
}

function labelOf(label: string): string {
  return fit(oneLine(label).toWellFormed(), LABEL_COLUMNS) || "…";
}

/** Short buttons side by side, long ones below each other. */
function layOut(keys: readonly Key[]): Keyboard {
  const rows: Key[][] = [];
  for (const key of keys) {
    const row = rows.at(-1) ?? [];
    const widest = Math.max(...[...row, key].map(({ text }) => columnsOf(text)));
    // All buttons of a row are as wide as the widest.
    if (row.length > 0 && row.length < ROW_LENGTH && widest * (row.length + 1) <= ROW_COLUMNS) row.push(key);
    else rows.push([key]);
  }
  return rows;
}
