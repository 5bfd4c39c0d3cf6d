import { styleText } from "node:util";

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

/** The tree as people see it: an agent a line, with its commands; what is disabled stands below it with its reason. */
export function renderTree(root: ShownAgent, { isColour }: { readonly isColour: boolean }): string {
  const style = (format: Parameters<typeof styleText>[0], text: string): string =>
    isColour ? styleText(format, text, { validateStream: false }) : text;

  const headOf = ({ name, state, health, commands }: ShownAgent): string =>
    [
      style("bold", name),
      ...(health === "ok" ? [] : [style("yellow", "DEGRADED")]),
      ...(state === "ACTIVE" ? [] : [style("dim", state)]),
      ...(commands.length === 0
        ? []
        : [style("dim", commands.map((command) => `/${command.name}`).join("  "))]),
    ].join("  ");

  const notesOf = ({ disabled }: ShownAgent): string[] =>
    disabled.flatMap(({ role, file, line, reason, remedy }) => [
      style("yellow", `! ${role} is disabled: ${reason}`),
      style("dim", `  ${file}${line === undefined ? "" : `:${line}`}  ${remedy}`),
    ]);

  const linesOf = (agent: ShownAgent): string[] => [
    headOf(agent),
    ...notesOf(agent).map((note) => `${agent.children.length > 0 ? "│ " : "  "}${note}`),
    ...agent.children.flatMap((child, i) => {
      const isLast = i === agent.children.length - 1;
      const [head = "", ...rest] = linesOf(child);
      return [`${isLast ? "└─ " : "├─ "}${head}`, ...rest.map((line) => `${isLast ? "   " : "│  "}${line}`)];
    }),
  ];
  return linesOf(root).join("\n");
}
