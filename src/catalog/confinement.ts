import { isBuiltin } from "node:module";
import { basename, dirname, resolve } from "node:path";
import type { Node } from "oxc-parser";
import { findFreeNames } from "./free-names.ts";
import type { Known } from "./known.ts";
import { walk, type Problem, type Source } from "./source.ts";

/** What to do instead: words, or a capability to require. */
type Mend = string | { readonly capability: string; readonly words?: string };

/** What roles reach for although they may not. */
const GLOBALS: Readonly<Record<string, Mend>> = {
  process: { capability: "host", words: "Settings stand in agent.yml." },
  globalThis: "Use the name itself if roles may use it, or require a capability.",
  global: "Use the name itself if roles may use it, or require a capability.",
  eval: "Write the code out; a role may not run text.",
  Function: 'Write the code out; to tell a function, use `typeof x === "function"`.',
  fetch: { capability: "net" },
  WebSocket: { capability: "net" },
  EventSource: { capability: "net" },
  XMLHttpRequest: { capability: "net" },
  BroadcastChannel: "Ask a child by `delegate`, or raise an event by `emit`.",
  require: 'Write `import … from "…"`.',
  module: "Write `export`.",
  exports: "Write `export`.",
  setInterval: { capability: "schedule" },
  setTimeout: { capability: "schedule", words: "For a time limit use `AbortSignal.timeout`." },
  setImmediate: "Write `await` instead.",
  queueMicrotask: "Write `await` instead.",
  console: "Use `log` of the context: standard output belongs to the replies.",
  localStorage: { capability: "store" },
  sessionStorage: { capability: "store" },
};

/** Libraries that a capability wraps, because it adds limits that the bare library lacks. */
const WRAPPED: Readonly<Record<string, Mend>> = {
  undici: { capability: "net" },
  systeminformation: { capability: "host" },
  pino: "Use `log` of the context.",
};

/** Node's own modules for which there is something better than words. */
const BUILTINS: Readonly<Record<string, Mend>> = {
  fs: { capability: "store" },
  sqlite: { capability: "store" },
  http: { capability: "net" },
  https: { capability: "net" },
  http2: { capability: "net" },
  net: { capability: "net" },
  tls: { capability: "net" },
  dns: { capability: "net" },
  dgram: { capability: "net" },
  os: { capability: "host" },
  process: { capability: "host" },
  child_process: { capability: "exec" },
  timers: { capability: "schedule" },
};

// No segment may be "." or "..", plain or escaped: below a library without "exports" it would lead out again.
const LIBRARY =
  /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*(?:\/(?!\.{1,2}(?:\/|$))[\w.~@+-]+)*$/i;
const OWN_FILE = /^\.\/_[a-z0-9][a-z0-9-]*\.ts$/;

/** Everything in a file by which a role would get around its capabilities, in the order of the source. */
export function findEscapes(source: Source, known: Known): Problem[] {
  const problems: Problem[] = [];
  const refuse = (start: number, reason: string, remedy: string): void =>
    void problems.push({
      file: source.file,
      line: source.lineAt(start),
      code: "E_ROLE_IMPORT",
      reason,
      remedy,
    });
  for (const { specifier, start } of importsOf(source)) {
    const refusal = judgeImport(specifier, known);
    if (refusal) refuse(start, ...refusal);
  }
  for (const { name, start } of findFreeNames(source)) {
    const mend = entry(GLOBALS, name);
    if (mend) refuse(start, `uses ${name}, which roles do not have`, inWords(mend, known));
  }
  walk(source.program, (node) => {
    if (node.type === "ImportExpression") {
      refuse(node.start, "imports while it runs", 'Write `import … from "…"` at the top of the file.');
    } else if (node.type === "MetaProperty" && node.meta.name === "import") {
      refuse(
        node.start,
        "uses import.meta, which roles do not have",
        "Keep what you need in the file itself.",
      );
    } else if (namesConstructor(node)) {
      refuse(node.start, "reaches for a constructor, and by it for Function", "Name the class itself.");
    }
  });
  return problems.sort((a, b) => a.line - b.line);
}

/** The `./_x.ts` files that a file imports, as absolute paths. */
export function ownImportsOf(source: Source): { file: string; line: number }[] {
  return importsOf(source)
    .filter(({ specifier }) => OWN_FILE.test(specifier))
    .map(({ specifier, start }) => ({
      file: resolve(dirname(source.file), specifier),
      line: source.lineAt(start),
    }));
}

function importsOf(source: Source): { specifier: string; start: number }[] {
  return source.program.body.flatMap((node) => {
    const isImport =
      node.type === "ImportDeclaration" ||
      node.type === "ExportAllDeclaration" ||
      node.type === "ExportNamedDeclaration";
    return isImport && node.source ? [{ specifier: node.source.value, start: node.start }] : [];
  });
}

function judgeImport(specifier: string, known: Known): [reason: string, remedy: string] | undefined {
  if (specifier === "#sdk" || OWN_FILE.test(specifier)) return undefined;
  if (specifier.startsWith("#")) {
    return [`imports ${specifier}; roles may import only #sdk of Voxtree`, 'Import from "#sdk".'];
  }
  if (isBuiltin(specifier)) {
    return [
      `imports ${specifier}; roles may not use Node's own modules`,
      inWords(entry(BUILTINS, specifier.replace(/^node:/, "").split("/")[0] ?? ""), known),
    ];
  }
  if (specifier.startsWith(".")) {
    const stem = basename(specifier)
      .replace(/\.[a-z]+$/, "")
      .replace(/^_/, "");
    return [
      `imports ${specifier}; beside #sdk and libraries a role may import only files of its own folder whose names begin with "_"`,
      `Put what roles share into ./_${stem}.ts and import that.`,
    ];
  }
  if (!LIBRARY.test(specifier)) {
    return [
      `imports ${specifier}, which is no library's name`,
      'Import a library by its name, such as "zod".',
    ];
  }
  const mend = entry(WRAPPED, specifier.split("/")[0] ?? "");
  return mend === undefined
    ? undefined
    : [`imports ${specifier}, which roles reach only by a capability`, inWords(mend, known)];
}

/** The mend in words; a capability is named only where there is one of that id. */
function inWords(mend: Mend | undefined, known: Known): string {
  if (typeof mend === "string") return mend;
  if (mend === undefined) return "Use what JavaScript itself has, a library, or a capability.";
  const { capability, words = "" } = mend;
  const first = known.has(capability)
    ? `Require the capability \`${capability}\` and use its handle.`
    : "No capability offers that here.";
  return `${first} ${words}`.trim();
}

function entry(table: Readonly<Record<string, Mend>>, name: string): Mend | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** Whether a node reads the property `constructor`, as a member or by taking an object apart. */
function namesConstructor(node: Node): boolean {
  if (node.type === "MemberExpression") return isConstructor(node.property, node.computed);
  if (node.type !== "ObjectPattern") return false;
  return node.properties.some((each) => each.type === "Property" && isConstructor(each.key, each.computed));
}

function isConstructor(key: Node, isComputed: boolean): boolean {
  if (key.type === "Identifier") return !isComputed && key.name === "constructor";
  return key.type === "Literal" && key.value === "constructor";
}
