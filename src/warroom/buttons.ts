import type { Database } from "../storage/index.ts";
import { type Incident, stateOf } from "./incident.ts";
import type { RoomButton } from "./ports.ts";

export type ButtonAction = "ack" | "silence 1h" | "silence 4h" | "unsilence" | "details";

/** The buttons under incidents: opaque tokens, whose meaning stands in the file. */
export interface Buttons {
  /** The row of an incident as it stands now; the same tokens each time. Made within a transaction. */
  rowOf(incident: Incident): readonly RoomButton[];
  /** What pressing a token means. */
  find(token: string): { readonly incident: number; readonly action: ButtonAction } | undefined;
}

const LABELS: Readonly<Record<ButtonAction, string>> = {
  ack: "Ack",
  "silence 1h": "Silence 1h",
  "silence 4h": "4h",
  unsilence: "Unsilence",
  details: "Details",
};
const ACTIONS = Object.keys(LABELS) as ButtonAction[];
const TOKEN_BYTES = 12;

/** `random` gives that many random bytes. */
export function createButtons(db: Database, random: (bytes: number) => Uint8Array): Buttons {
  const standing = db.prepare("SELECT token, action FROM button WHERE incident = ?");
  const insert = db.prepare("INSERT INTO button (token, incident, action) VALUES (?, ?, ?)");
  const find = db.prepare("SELECT incident, action FROM button WHERE token = ?");

  const tokensOf = (n: number): ReadonlyMap<string, string> => {
    const known = new Map(standing.all(n).map((row) => [String(row["action"]), String(row["token"])]));
    for (const action of ACTIONS) {
      if (known.has(action)) continue;
      const token = `wr.${Buffer.from(random(TOKEN_BYTES)).toString("base64url")}`;
      insert.run(token, n, action);
      known.set(action, token);
    }
    return known;
  };

  return {
    rowOf(incident) {
      const actions = actionsOf(incident);
      if (actions.length === 0) return [];
      const tokens = tokensOf(incident.n);
      return actions.map((action) => ({ label: LABELS[action], token: tokens.get(action) ?? "" }));
    },
    find(token) {
      const row = find.get(token);
      return row && { incident: Number(row["incident"]), action: String(row["action"]) as ButtonAction };
    },
  };
}

function actionsOf(incident: Incident): readonly ButtonAction[] {
  const state = stateOf(incident);
  // What flaps may be back at any moment.
  if (state === "resolved" && !incident.isFlapping) return [];
  const ack: readonly ButtonAction[] = incident.ack === null ? ["ack"] : [];
  if (state === "silenced") return [...ack, "unsilence", "details"];
  return [...ack, "silence 1h", "silence 4h", "details"];
}
