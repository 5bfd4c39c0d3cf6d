import { createHash } from "node:crypto";
import { canonicalJson } from "../envelope/index.ts";
import { md, type Markup } from "../sdk/markup.ts";
import type { Buttons } from "./buttons.ts";
import { type Incident, RANK, stateOf } from "./incident.ts";
import type { Message, Messages, Note, NoteKind } from "./messages.ts";
import type { Pace } from "./pace.ts";
import type { Places } from "./places.ts";
import type { Room, RoomButton } from "./ports.ts";
import { PLAINEST, renderMessage, renderNote } from "./render.ts";
import type { IncidentStore } from "./store.ts";

/** One call that is to be made now; the file says already that it is under way. */
export type Dispatch =
  | (MessageDispatch & { readonly kind: "post" })
  | (MessageDispatch & { readonly kind: "edit"; readonly ref: string })
  | {
      readonly kind: "note";
      readonly note: Note;
      readonly incident: Incident;
      readonly room: Room;
      readonly text: Markup;
      readonly isSilent: boolean;
      readonly replyTo: string;
    };

interface MessageDispatch {
  readonly message: Message;
  readonly incident: Incident;
  readonly room: Room;
  readonly text: Markup;
  readonly buttons: readonly RoomButton[];
  readonly isSilent: boolean;
  readonly hash: string;
}

export interface DispatchParts {
  readonly store: IncidentStore;
  readonly messages: Messages;
  readonly buttons: Buttons;
  readonly places: Places;
  readonly pace: Pace;
  readonly zone: string;
  /** The last room that a message could not be brought into whatever was tried. */
  readonly triedLast: (incident: number) => string | undefined;
  /** There is no room left for a message. */
  readonly onNoRoom: (incident: Incident) => void;
}

type Open =
  | { readonly kind: "post" | "edit"; readonly incident: Incident; readonly message: Message }
  | { readonly kind: "note"; readonly incident: Incident; readonly note: Note };
const ORDER = { post: 0, note: 1, edit: 2 } as const;

/** The call to make next, noted as under way; what needs none is crossed off. Within a transaction. */
export function nextDispatch(parts: DispatchParts, now: number): Dispatch | undefined {
  const open = [...openMessages(parts, now), ...openNotes(parts, now)].sort(
    (a, b) => RANK[a.incident.severity] - RANK[b.incident.severity] || ORDER[a.kind] - ORDER[b.kind],
  );
  for (const one of open) {
    if (!parts.pace.allows(now, one.incident.severity === "crit")) continue;
    const dispatch = one.kind === "note" ? prepareNote(parts, one, now) : prepareMessage(parts, one);
    if (!dispatch) continue;
    if (dispatch.kind === "note") parts.messages.beginNote(dispatch.note.n);
    else parts.messages.begin(dispatch.message.incident);
    parts.pace.count(now);
    return dispatch;
  }
  return undefined;
}

function openMessages({ store, messages }: DispatchParts, now: number): Open[] {
  return messages.due(now).flatMap((message): Open[] => {
    const incident = store.find(message.incident);
    if (!incident || isNeverShown(incident, message)) {
      messages.settle(message.incident, message.rev);
      return [];
    }
    return [{ kind: message.place === null ? "post" : "edit", incident, message }];
  });
}

/** Whether there is no message to be sent, as the incident stands. */
function isNeverShown(incident: Incident, { place, waitMs, wasCut }: Message): boolean {
  // Its storm speaks for it.
  if (incident.storm !== null) return true;
  if (place !== null) return false;
  if (incident.severity === "info") return true;
  const { resolvedAt, openedAt, isFlapping } = incident;
  return resolvedAt !== null && !isFlapping && !wasCut && resolvedAt - openedAt < waitMs;
}

function openNotes({ store, messages }: DispatchParts, now: number): Open[] {
  return messages.notesDue(now).flatMap((note): Open[] => {
    const incident = store.find(note.incident);
    if (!incident || !isOfUse(note.kind, incident) || !messages.find(note.incident)?.place) {
      messages.endNote(note.n, "useless");
      return [];
    }
    return [{ kind: "note", incident, note }];
  });
}

/** Whether a note still says what is so: it may have waited. */
function isOfUse(kind: NoteKind, incident: Incident): boolean {
  const state = stateOf(incident);
  if (incident.isFlapping || incident.storm !== null) return false;
  return state === "firing" || (state === "acked" && kind === "silence over");
}

function prepareMessage(
  parts: DispatchParts,
  { incident, message }: Extract<Open, { message: Message }>,
): Dispatch | undefined {
  const { messages, buttons: rows, places, zone } = parts;
  const { n } = incident;
  const standing = message.place && places.find(message.place.room);
  const room = standing ?? places.next(parts.triedLast(n));
  if (!room) {
    parts.onNoRoom(incident);
    return undefined;
  }
  if (places.isResting(room.name)) return undefined;
  const buttons = message.plainness >= PLAINEST ? [] : rows.rowOf(incident);
  const hash = hashOf(renderMessage(incident, zone), rows.rowOf(incident));
  if (standing && hash === message.sentHash) {
    messages.settle(n, message.rev);
    return undefined;
  }
  const text = renderMessage(incident, zone, message.plainness);
  const common = { message, incident, room, buttons, hash, isSilent: isSilent(incident) };
  if (standing && message.place) return { ...common, kind: "edit", ref: message.place.ref, text };
  return { ...common, kind: "post", text: message.wasCut ? again(text) : text };
}

function prepareNote(
  { messages, places, zone }: DispatchParts,
  { incident, note }: Extract<Open, { note: Note }>,
  now: number,
): Dispatch | undefined {
  const place = messages.find(incident.n)?.place;
  const room = place && places.find(place.room);
  if (!place || !room) {
    messages.endNote(note.n, "useless");
    return undefined;
  }
  if (places.isResting(room.name)) return undefined;
  const text = renderNote(note.kind, incident, { zone, now });
  return {
    kind: "note",
    note,
    incident,
    room,
    text: note.wasCut ? again(text) : text,
    isSilent: isSilent(incident),
    replyTo: place.ref,
  };
}

/**
 * A message whose fate nobody knows is posted once more: of an alert two are better than none. Elsewhere in chat an
 * answer of unknown fate is not repeated; here the repeat says that it is one.
 */
function again(text: Markup): Markup {
  return md`${text}\n(again: I was cut off while sending)`;
}

function isSilent(incident: Incident): boolean {
  return incident.severity !== "crit" || incident.isFlapping || stateOf(incident) !== "firing";
}

function hashOf(text: Markup, buttons: readonly RoomButton[]): string {
  const shown = { text, buttons: buttons.map(({ label, token }) => ({ label, token })) };
  return createHash("sha256").update(canonicalJson(shown)).digest("base64url");
}
