import { isRecord, structureOf, textOf } from "./arguments.ts";
import { badRequest, type Button, type Failed } from "./shapes.ts";

const MOST_DATA_BYTES = 64;

/** The buttons of `reply_markup`; none when it is absent or another kind of keyboard. */
export function readKeyboard(given: unknown): readonly (readonly Button[])[] | Failed {
  const structure = structureOf(given);
  if (structure.kind === "absent") return [];
  if (structure.kind === "unreadable") return badRequest("can't parse reply keyboard markup JSON object");
  if (!isRecord(structure.value)) return badRequest("object expected as reply markup");
  const rows = structure.value.inline_keyboard;
  if (rows === undefined) return [];
  if (!Array.isArray(rows) || !rows.every((row) => Array.isArray(row))) {
    return badRequest('field "inline_keyboard" of the InlineKeyboardMarkup must be an Array of Arrays');
  }
  const keyboard: Button[][] = [];
  for (const row of rows as unknown[][]) {
    const buttons: Button[] = [];
    for (const button of row) {
      if (!isRecord(button)) return badRequest("an inline keyboard button must be an object");
      // A button that does nothing has its place in the other kind of keyboard.
      if (!Object.keys(button).some((field) => field !== "text")) {
        return badRequest("text buttons are unallowed in the inline keyboard");
      }
      buttons.push({ ...button, text: textOf(button.text) });
    }
    if (buttons.length > 0) keyboard.push(buttons);
  }
  return keyboard;
}

/** What only comes to light when a keyboard is about to be shown: the data behind its buttons. */
export function checkButtons(keyboard: readonly (readonly Button[])[]): Failed | undefined {
  const isWrong = keyboard.flat().some(({ callback_data }) => {
    if (callback_data === undefined) return false;
    const bytes = Buffer.byteLength(callback_data);
    return bytes === 0 || bytes > MOST_DATA_BYTES;
  });
  return isWrong ? badRequest("BUTTON_DATA_INVALID") : undefined;
}
