import type { Chat, Message, Person } from "../../test/support/bot-api/index.ts";

/** Waits for something; with steps of so many ms, time passes meanwhile. */
export type Await = <T>(something: Promise<T>, stepMs?: number) => Promise<T>;

/** What is said and seen in a chat, written down in the order in which it happens. */
export interface Transcript {
  /** Somebody writes. */
  says(person: Person, text: string): Message;
  /** Somebody presses a button of a message. */
  presses(person: Person, message: Message, button: string): Promise<void>;
  /** Writes down whatever the bot does in the chat, up to the first message that suits. Time passes if there is a step. */
  seen(match: RegExp, stepMs?: number): Promise<Message>;
  /** A line between what is said. */
  note(text: string): void;
  readonly text: string;
}

const PATIENCE_MS = 60_000;
const MARKS: Readonly<Record<string, string>> = { bold: "**", italic: "_", code: "`" };

/** Writes a chat's messages as they look there: `**bold**`, `code`, and the rows of buttons in brackets. */
export function createTranscript(chat: Chat, untilThere: Await): Transcript {
  const lines: string[] = [];
  const write = (who: string, text: string): void => {
    lines.push(`${who}: ${text.replaceAll("\n", "\n    ")}`);
  };
  const firstLine = ({ text }: Message): string => text.split("\n")[0]?.trim() ?? "";

  function writeBot(message: Message): void {
    const { history, isDeleted, replyTo, isSilent, from, buttons } = message;
    const name = from.first_name;
    const former = history.at(-1);
    if (isDeleted) return void lines.push(`${name} deletes “${firstLine(message)}”`);
    const isBareOnly = former !== undefined && former.text === message.text;
    const rows = buttons.map((row) => `\n${row.map((label) => `[${label}]`).join(" ")}`).join("");
    if (isBareOnly) {
      return void lines.push(
        rows === "" ? `${name} takes the buttons away` : `${name} changes the buttons${rows}`,
      );
    }
    const answered = chat.messages.find(({ id }) => id === replyTo)?.from.first_name;
    const how = [
      ...(former === undefined ? [] : ["edits that message"]),
      ...(answered === undefined ? [] : [`answers ${answered === name ? "that message" : answered}`]),
      ...(isSilent && former === undefined ? ["without a sound"] : []),
    ];
    write(how.length === 0 ? name : `${name} (${how.join(", ")})`, `${marked(message)}${rows}`);
  }

  return {
    says(person, text) {
      write(person.first_name, text);
      return chat.says(person, text);
    },
    async presses(person, message, button) {
      lines.push(`${person.first_name} presses [${button}]`);
      const toast = await untilThere(chat.presses(person, message, button));
      if (toast !== undefined && toast.text !== "") lines.push(`    and sees for a moment: ${toast.text}`);
    },
    async seen(match, stepMs) {
      for (;;) {
        const message = await untilThere(
          chat.next(() => true, { timeoutMs: PATIENCE_MS }),
          stepMs,
        );
        writeBot(message);
        if (match.test(message.text)) return message;
      }
    },
    note: (text) => void lines.push(`    (${text})`),
    get text() {
      return lines.join("\n");
    },
  };
}

/** The text with a mark at both ends of whatever is set apart in it. */
function marked({ text, entities }: Message): string {
  const marks = entities
    .flatMap(({ type, offset, length }) => {
      const mark = MARKS[type];
      return mark === undefined ? [] : [offset, offset + length].map((at) => ({ at, mark }));
    })
    .toSorted((a, b) => b.at - a.at);
  return marks.reduce((so, { at, mark }) => so.slice(0, at) + mark + so.slice(at), text);
}
