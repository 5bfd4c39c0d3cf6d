import { styleText } from "node:util";
import { oneLine } from "../capabilities/comm-gateway/render-terminal.ts";
import { shownPath } from "../catalog/suggest.ts";

/** An agent as the tree shows it. */
export interface ShownAgent {
  readonly name: string;
  readonly state: string;
  readonly health: "ok" | "degraded";
  readonly commands: readonly { readonly name: string }[];
  readonly disabled: readonly {
    readonly role: string;
    readonly file: string;
    readonly line?: number;
    readonly reason: string;
    readonly remedy: string;
  }[];
  readonly children: readonly ShownAgent[];
}

export interface TreeLook {
  readonly isColour: boolean;
  /** Columns at which the notes break between words; `Infinity` where nobody sits at a terminal. */
  readonly width: number;
}

/** The tree as people see it: an agent a line, with its commands; what is disabled stands below it with its reason. */
export function renderTree(root: ShownAgent, { isColour, width }: TreeLook): string {
  const style = (format: Parameters<typeof styleText>[0], text: string): string =>
    isColour ? styleText(format, text, { validateStream: false }) : text;

  const headOf = ({ name, state, health, commands }: ShownAgent): string =>
    [
      style("bold", oneLine(name)),
      ...(health === "ok" ? [] : [style("yellow", "DEGRADED")]),
      ...(state === "ACTIVE" ? [] : [style("dim", state)]),
      ...(commands.length === 0
        ? []
        : [style("dim", commands.map((command) => `/${oneLine(command.name)}`).join("  "))]),
    ].join("  ");

  const notesOf = ({ disabled }: ShownAgent, room: number): string[] =>
    disabled.flatMap(({ role, file, line, reason, remedy }) => [
      ...wrap(oneLine(`! ${role} is disabled: ${reason}`), room).map((text) => style("yellow", text)),
      `  ${oneLine(shownPath(file))}${line === undefined ? "" : `:${line}`}`,
      ...wrap(`  ${oneLine(remedy)}`, room).map((text) => style("dim", text)),
    ]);

  const linesOf = (agent: ShownAgent, room: number): string[] => [
    headOf(agent),
    ...notesOf(agent, room - 2).map((note) => `${agent.children.length > 0 ? "│ " : "  "}${note}`),
    ...agent.children.flatMap((child, i) => {
      const isLast = i === agent.children.length - 1;
      const [head = "", ...rest] = linesOf(child, room - 3);
      return [`${isLast ? "└─ " : "├─ "}${head}`, ...rest.map((line) => `${isLast ? "   " : "│  "}${line}`)];
    }),
  ];
  return linesOf(root, width).join("\n");
}

/** A note in lines of at most `width` columns, those after the first indented; a longer word stays whole. */
function wrap(note: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of note.trim().split(" ")) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= width) lines.splice(-1, 1, `${line} ${word}`);
    else lines.push(line === undefined ? `${/^ */.exec(note)?.[0]}${word}` : `  ${word}`);
  }
  return lines;
}
