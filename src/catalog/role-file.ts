import { createHash } from "node:crypto";
import { basename } from "node:path";
import type { FailureCode } from "../envelope/index.ts";
import { findEscapes, ownImportsOf } from "./confinement.ts";
import { findNonErasable } from "./erasable.ts";
import type { Known } from "./known.ts";
import { readShape, type Shape } from "./shape.ts";
import { readSource, type Problem, type Source } from "./source.ts";
import { didYouMean } from "./suggest.ts";

/** A role that was found fit to be loaded, read without running it. */
export interface RoleFile {
  /** The file's name without its ending. */
  readonly name: string;
  /** Absolute. */
  readonly file: string;
  /** SHA-256, in hex, of the file and of the `./_x.ts` files that it imports. */
  readonly hash: string;
  readonly requires: readonly string[];
  readonly commands: readonly { readonly name: string; readonly line: number }[];
}

/** A role that does not run, why, and what to do about it. */
export interface DisabledRole {
  readonly role: string;
  readonly file: string;
  readonly line?: number;
  readonly code: FailureCode;
  readonly reason: string;
  readonly remedy: string;
}

/** Reads one role file and the `./_x.ts` files that it imports; the first thing that is wrong disables it. */
export async function inspectRole(
  file: string,
  known: Known,
  agent: { readonly isRoot: boolean },
): Promise<RoleFile | DisabledRole> {
  const name = basename(file, ".ts");
  const { sources, problems } = await readWithOwnImports(file);
  const main = sources[0];
  const found = [...problems];
  let shape: Shape = { requires: [], commands: [], problems: [] };
  // A file that does not parse says nothing reliable beyond that.
  if (problems.length === 0 && main) {
    found.push(...sources.flatMap(findNonErasable), ...sources.flatMap((each) => findEscapes(each, known)));
    shape = readShape(main);
    found.push(...shape.problems, ...judgeCapabilities(main, shape, { known, isRoot: agent.isRoot }));
  }
  const first = found.sort(inOrder(file))[0];
  if (first) return { role: name, ...first };
  const requires = [...new Set(shape.requires.map(({ id }) => id))];
  return { name, file, hash: hashOf(sources), requires, commands: shape.commands };
}

/** The hash of a role as its files are now. */
export async function currentHash(file: string): Promise<string> {
  return hashOf((await readWithOwnImports(file)).sources);
}

/** A file to read, and where it is imported; the role's own file is imported by none. */
interface Wanted {
  readonly file: string;
  readonly by?: { readonly file: string; readonly line: number };
}

async function readWithOwnImports(file: string): Promise<{ sources: Source[]; problems: Problem[] }> {
  const sources: Source[] = [];
  const problems: Problem[] = [];
  const seen = new Set([file]);
  const queue: Wanted[] = [{ file }];
  for (const next of queue) {
    const read = await readSource(next.file);
    if ("unreadable" in read) {
      problems.push(unreadable(next, read.unreadable));
      continue;
    }
    sources.push(read.source);
    problems.push(...read.problems);
    for (const own of ownImportsOf(read.source)) {
      if (seen.has(own.file)) continue;
      seen.add(own.file);
      queue.push({ file: own.file, by: { file: next.file, line: own.line } });
    }
  }
  return { sources, problems };
}

function unreadable(source: Wanted, reason: string): Problem {
  if (source.by === undefined) {
    const remedy = "Check that the file exists and may be read.";
    return { file: source.file, line: 1, code: "E_ROLE_LOAD", reason: `cannot be read: ${reason}`, remedy };
  }
  const name = basename(source.file);
  return {
    ...source.by,
    code: "E_ROLE_IMPORT",
    reason: `imports ./${name}, which cannot be read: ${reason}`,
    remedy: `Write ${name} into the same folder, or take the import out.`,
  };
}

function judgeCapabilities(
  source: Source,
  shape: Shape,
  { known, isRoot }: { known: Known; isRoot: boolean },
): Problem[] {
  return shape.requires.flatMap(({ id, line }) => {
    const capability = known.get(id);
    const at = { file: source.file, line, code: "E_ROLE_CAPABILITY" as const };
    if (capability === undefined) {
      const reason = `requires ${id}, which is no capability${didYouMean(id, choicesOf(known, isRoot))}`;
      return [{ ...at, reason, remedy: `Choose from ${choicesOf(known, isRoot).join(", ")}.` }];
    }
    if (!capability.rootOnly || isRoot) return [];
    const reason = `requires ${id}, which only the root may have`;
    return [{ ...at, reason, remedy: `Take ${id} out of requires, or move the role to the root.` }];
  });
}

/** The capabilities that an agent may have. */
function choicesOf(known: Known, isRoot: boolean): readonly string[] {
  return [...known.keys()].filter((id) => isRoot || known.get(id)?.rootOnly === false).sort();
}

function hashOf(sources: readonly Source[]): string {
  const hash = createHash("sha256");
  // The length comes before each text, so that no two divisions of the same bytes hash alike.
  for (const { file, text } of sources) hash.update(`${basename(file)}\0${text.length}\0${text}`);
  return hash.digest("hex");
}

/** The role's own file first, then by line. */
function inOrder(file: string): (a: Problem, b: Problem) => number {
  return (a, b) => Number(a.file !== file) - Number(b.file !== file) || a.line - b.line;
}
