import { LineCounter, isMap, isPair, isScalar, isSeq, parseDocument, type Document, type Node } from "yaml";
import { z } from "zod";
import { failure, isFailure, type FailureValue } from "../envelope/index.ts";
import type { Known } from "./known.ts";
import { didYouMean, shownPath } from "./suggest.ts";

const NAME = /^[a-z][a-z0-9-]*$/;

/** Names by which an agent's ledger tells people, and the agent itself, from its neighbours. */
const TAKEN_NAMES: ReadonlySet<string> = new Set(["people", "self"]);

/** Why no agent can have a name that is spelt well, and what to do; undefined when one can. */
export function refuseAgentName(name: string): string | undefined {
  if (!TAKEN_NAMES.has(name)) return undefined;
  return `Voxtree itself goes by ${name}; choose another, such as ${name}-desk`;
}

/** What `agent.yml` says of an agent. No secret stands in it. */
export const AgentManifest = z.strictObject({
  id: z.uuid().toLowerCase().describe("Who the agent is for good, a UUID; `voxtree new agent` makes one."),
  name: z
    .string()
    .regex(NAME)
    .refine((name) => refuseAgentName(name) === undefined, {
      error: ({ input }) => refuseAgentName(String(input)),
    })
    .describe("What the agent is called; unique in the tree."),
  master_id: z
    .union([z.uuid().toLowerCase(), z.literal("")])
    .describe('The id of the agent that this one answers to; "" for the root.'),
  pool: z
    .string()
    .regex(NAME)
    .optional()
    .describe(
      "Agents of one pool below the same master offer their commands together; requests are spread over them.",
    ),
  autostart: z.boolean().default(true).describe("Whether the agent starts with the tree."),
  roles: z
    .array(z.string().regex(NAME))
    .refine((names) => new Set(names).size === names.length, "names a role twice")
    .describe("The role files of this folder that the agent has, without .ts."),
  concurrency: z.int().min(1).max(1024).default(32).describe("How many requests it works on at a time."),
  vantage: z.string().min(1).optional().describe("From where its checks look, as answers show it."),
  capabilities: z
    .record(z.string(), z.unknown())
    .default({})
    .describe("Settings of capabilities, by the capability's id."),
});
export type AgentManifest = z.output<typeof AgentManifest>;

/** The JSON Schema of agent.yml, for editors. */
export function agentManifestSchema(): Record<string, unknown> {
  return { title: "A Voxtree agent", ...z.toJSONSchema(AgentManifest, { io: "input" }) };
}

/** Where in a manifest something stands, so that the tree's checks can name the line. */
export interface ManifestFile {
  readonly file: string;
  readonly manifest: AgentManifest;
  /** The line, from 1, of a top-level key. */
  readonly lineOf: (key: keyof AgentManifest) => number;
}

/** Parses the text of an agent.yml. A failure names the file, and a line for each thing that is wrong. */
export function parseManifest(
  text: string,
  { file, known }: { readonly file: string; readonly known: Known },
): ManifestFile | FailureValue {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const lineAt = (offset: number): number => lines.linePos(offset).line;
  const refuse = (wrong: readonly { line: number; text: string }[]): FailureValue =>
    failure("E_MANIFEST", wrong.map((each) => `${shownPath(file)}:${each.line}: ${each.text}`).join("\n"));

  if (document.errors.length > 0) {
    return refuse(
      document.errors.map((error) => ({
        line: lineAt(error.pos[0]),
        text: `is not valid YAML: ${error.message.split(/ at line|\n/)[0]}`,
      })),
    );
  }
  const written = readValues(document);
  if (isFailure(written)) return refuse([{ line: 1, text: written.text }]);
  const parsed = AgentManifest.safeParse(written.values);
  const lineOf = (path: readonly PropertyKey[]): number => lineAt(offsetOf(document, path));
  if (!parsed.success) {
    const isWritten = (path: readonly PropertyKey[]): boolean => document.hasIn(path);
    return refuse(parsed.error.issues.flatMap((issue) => describeIssue(issue, { lineOf, isWritten })));
  }
  if (parsed.data.master_id === "" && parsed.data.pool !== undefined) {
    const text = "pool does not fit: the root has no master that could spread requests; take it out";
    return refuse([{ line: lineOf(["pool"]), text }]);
  }
  const unknown = Object.keys(parsed.data.capabilities).filter((id) => !known.has(id));
  if (unknown.length > 0) {
    return refuse(
      unknown.map((id) => ({
        line: lineOf(["capabilities", id]),
        text: `capabilities has settings for ${id}, which is no capability${didYouMean(id, known.keys())}`,
      })),
    );
  }
  return { file, manifest: parsed.data, lineOf: (key) => lineOf([key]) };
}

function readValues(document: Document.Parsed): { values: unknown } | FailureValue {
  try {
    return { values: document.toJS() };
  } catch (error) {
    // yaml throws here alone: aliases that unfold without end.
    return failure("E_MANIFEST", error instanceof Error ? error.message : String(error));
  }
}

interface Written {
  readonly lineOf: (path: readonly PropertyKey[]) => number;
  readonly isWritten: (path: readonly PropertyKey[]) => boolean;
}

function describeIssue(
  issue: z.core.$ZodIssue,
  { lineOf, isWritten }: Written,
): { line: number; text: string }[] {
  const key = issue.path.map(String).join(".");
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((name) => ({
      line: lineOf([...issue.path, name]),
      text: `there is no ${name}${didYouMean(name, Object.keys(AgentManifest.shape))}`,
    }));
  }
  const line = lineOf(issue.path);
  if (issue.path.length === 0)
    return [{ line, text: "must be a list of keys and values, such as `name: web`" }];
  const fault = isWritten(issue.path) ? "does not fit" : "is missing";
  const wanted = issue.code === "custom" ? issue.message : (WANTED[key] ?? issue.message);
  return [{ line, text: `${key} ${fault}: ${wanted}` }];
}

const WANTED: Readonly<Record<string, string>> = {
  id: "write a UUID of the agent's own",
  name: "write a to z, 0 to 9 and -, beginning with a letter",
  pool: "write a to z, 0 to 9 and -, beginning with a letter",
  roles: "write the list of the agent's role files, without .ts",
  master_id: 'write the master\'s id, or "" for the root',
};

/** The offset of a key in the document, or of the nearest thing around it that is written. */
function offsetOf(document: Document.Parsed, path: readonly PropertyKey[]): number {
  let node: Node | null | undefined = document.contents;
  let offset = node?.range?.[0] ?? 0;
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find((item) => isPair(item) && isScalar(item.key) && item.key.value === step);
      if (pair === undefined || !isScalar(pair.key)) return offset;
      offset = pair.key.range?.[0] ?? offset;
      node = pair.value as Node | null;
    } else if (isSeq(node) && typeof step === "number") {
      node = node.items[step] as Node | null | undefined;
      offset = node?.range?.[0] ?? offset;
    } else {
      return offset;
    }
  }
  return offset;
}
