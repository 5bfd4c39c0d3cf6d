import { parseSync, visitorKeys, type Node, type Program } from "oxc-parser";
import type { FailureCode } from "../envelope/index.ts";
import { readRegularFile } from "../envelope/index.ts";

/** A TypeScript file, parsed and never run. */
export interface Source {
  readonly file: string;
  readonly text: string;
  readonly program: Program;
  /** The line, from 1, on which a UTF-16 offset lies. */
  lineAt(offset: number): number;
}

const DEEPEST = 1000;

/** Something in a role's source that keeps the role from running. */
export interface Problem {
  readonly file: string;
  readonly line: number;
  readonly code: FailureCode;
  readonly reason: string;
  readonly remedy: string;
}

/** A parsed file with what the parser refuses in it, or why it cannot be read (the system's error code). */
export type ReadSource =
  | { readonly source: Source; readonly problems: readonly Problem[] }
  | { readonly unreadable: string };

/** Reads and parses one file. */
export async function readSource(file: string): Promise<ReadSource> {
  let text: string;
  try {
    text = readRegularFile(file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { unreadable: code ?? message };
  }
  const parsed = parseSync(file, text, {
    lang: "ts",
    sourceType: "module",
    preserveParens: false,
    showSemanticErrors: true,
  });
  const lineAt = (offset: number): number => text.slice(0, offset).split("\n").length;
  const problems = parsed.errors.map((error): Problem => ({
    file,
    line: lineAt(error.labels.at(-1)?.start ?? 0),
    code: "E_ROLE_SYNTAX",
    reason: `is not valid TypeScript: ${error.message}`,
    remedy: error.helpMessage ?? "Correct the syntax on this line.",
  }));
  if (isTooDeep(parsed.program)) {
    const reason = `nests deeper than ${DEEPEST} levels`;
    const remedy = "Split the expression; keep large tables flat.";
    problems.push({ file, line: 1, code: "E_ROLE_SYNTAX", reason, remedy });
  }
  return { source: { file, text, program: parsed.program, lineAt }, problems };
}

/** The nodes directly below a node, in the order of the source. */
export function childrenOf(node: Node): Node[] {
  const fields = node as unknown as Readonly<Record<string, unknown>>;
  return (visitorKeys[node.type] ?? []).flatMap((key) => {
    const value = fields[key];
    return (Array.isArray(value) ? value : [value]).filter(isNode);
  });
}

/** Calls `visit` for a node and everything below it; where `visit` returns false it goes no deeper. */
export function walk(node: Node, visit: (node: Node) => boolean | void): void {
  if (visit(node) === false) return;
  for (const child of childrenOf(node)) walk(child, visit);
}

/** Looks without recursion, so that what comes after may recurse. */
function isTooDeep(program: Program): boolean {
  let level: Node[] = [program];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) return true;
    level = level.flatMap(childrenOf);
  }
  return false;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value;
}
