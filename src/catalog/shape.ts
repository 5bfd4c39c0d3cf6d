import type { Node, ObjectExpression, Program } from "oxc-parser";
import { z } from "zod";
import type { FailureCode } from "../envelope/index.ts";
import { Description, Prompts } from "../sdk/announcement.ts";
import { BUILTIN_NAMES } from "../sdk/builtin-names.ts";
import { literalOf, objectOf, propertiesOf, unwrap } from "./literals.ts";
import type { Problem, Source } from "./source.ts";
import { asName, didYouMean } from "./suggest.ts";

/** What a role says of itself without being run. */
export interface Shape {
  readonly requires: readonly { readonly id: string; readonly line: number }[];
  readonly commands: readonly { readonly name: string; readonly line: number }[];
  readonly problems: readonly Problem[];
}

const COMMAND_NAME = /^[a-z][a-z0-9_]*$/;
/** Names that the chat itself answers to. */
export const CHAT_NAMES: ReadonlySet<string> = new Set(BUILTIN_NAMES);
const ROLE_KEYS = ["requires", "commands", "events", "on"];

/** The parts of a command that must be literals, so that they are known before the role runs. */
const LITERAL_PARTS: Readonly<Record<string, z.ZodType>> = {
  description: Description,
  prompts: Prompts,
  effect: z.enum(["read", "change", "destroy"], 'must be "read", "change" or "destroy"'),
  access: z.enum(["viewer", "operator", "owner"], 'must be "viewer", "operator" or "owner"'),
  approval: z.literal("operator", 'must be "operator"'),
};
const COMMAND_KEYS = [...Object.keys(LITERAL_PARTS), "params", "data", "timeoutMs", "run"];

/** Reads the one `export default defineRole({ … })` of a role file; what is not as it must be is a problem. */
export function readShape(source: Source): Shape {
  const reader = createReader(source);
  const role = reader.definition();
  if (role === undefined) return { requires: [], commands: [], problems: reader.problems };
  const parts = reader.parts(role, { what: "defineRole", allowed: ROLE_KEYS });
  const requires = parts.get("requires");
  const commands = parts.get("commands");
  return {
    requires: requires === undefined ? [] : reader.requires(requires),
    commands: commands === undefined ? [] : reader.commands(commands),
    problems: reader.problems,
  };
}

function createReader(source: Source) {
  const problems: Problem[] = [];
  const refuse = (
    node: { start: number },
    reason: string,
    rest: { remedy: string; code?: FailureCode },
  ): void =>
    void problems.push({
      file: source.file,
      line: source.lineAt(node.start),
      code: rest.code ?? "E_ROLE_SHAPE",
      reason,
      remedy: rest.remedy,
    });

  function refuseNonLiteral(what: string, { found, start }: { found: string; start: number }): void {
    const kind = /^(?:requires|prompts)\b/.test(what) ? "literals" : "a literal";
    const reason = `${what} must be written as ${kind}; found ${found} at line ${source.lineAt(start)}`;
    refuse({ start }, reason, {
      remedy: "Write the values out where they stand: no variable, spread, call or ${}.",
    });
  }

  function definition(): ObjectExpression | undefined {
    const remedy = "Write `export default defineRole({ … })` in one piece.";
    const exported = source.program.body.find((node) => node.type === "ExportDefaultDeclaration");
    if (exported === undefined) {
      refuse({ start: 0 }, "has no default export", { remedy });
      return undefined;
    }
    const call = unwrap(exported.declaration);
    const defineRole = sdkName(source.program, "defineRole");
    if (call.type !== "CallExpression" || call.callee.type !== "Identifier") {
      refuse(call, `exports ${call.type} by default, not a call of defineRole`, { remedy });
      return undefined;
    }
    if (defineRole === undefined || call.callee.name !== defineRole) {
      refuse(call, `calls ${call.callee.name}, which is not defineRole of #sdk`, {
        remedy: 'Write `import { defineRole } from "#sdk"` and call that.',
      });
      return undefined;
    }
    const argument = call.arguments[0];
    const object = argument && objectOf(argument);
    if (object === undefined || call.arguments.length !== 1) {
      const found = argument === undefined ? "nothing" : argument.type;
      refuse(argument ?? call, `defineRole must be given one object literal; found ${found}`, { remedy });
      return undefined;
    }
    return object;
  }

  /** The named parts of an object literal; unknown and repeated names are refused. */
  function parts(
    object: ObjectExpression,
    of: { what: string; allowed: readonly string[] },
  ): Map<string, Node> {
    const found = new Map<string, Node>();
    for (const property of propertiesOf(object)) {
      if ("not" in property) {
        refuseNonLiteral(`the names in ${of.what}`, property.not);
      } else if (!of.allowed.includes(property.key)) {
        const reason = `${of.what} has no ${property.key}${didYouMean(property.key, of.allowed)}`;
        refuse(property.node, reason, { remedy: `Use ${of.allowed.join(", ")}.` });
      } else if (found.has(property.key)) {
        refuse(property.node, `${property.key} stands twice in ${of.what}`, {
          remedy: "Keep one of the two.",
        });
      } else {
        found.set(property.key, property.node.value);
      }
    }
    return found;
  }

  function requires(node: Node): Shape["requires"] {
    const list = unwrap(node);
    const value = literalOf(list);
    if ("not" in value) {
      refuseNonLiteral("requires", value.not);
      return [];
    }
    const ids = z.array(z.string()).safeParse(value.value);
    if (!ids.success || list.type !== "ArrayExpression") {
      refuse(list, "requires must be a list of capabilities", { remedy: 'Write `requires: ["net"]`.' });
      return [];
    }
    return ids.data.map((id, i) => ({ id, line: source.lineAt(list.elements[i]?.start ?? list.start) }));
  }

  function commands(node: Node): Shape["commands"] {
    const object = objectOf(node);
    if (object === undefined) {
      refuseNonLiteral("commands", { found: node.type, start: node.start });
      return [];
    }
    const seen = new Map<string, number>();
    for (const property of propertiesOf(object)) {
      if ("not" in property) {
        refuseNonLiteral("the names in commands", property.not);
        continue;
      }
      const { key, node: at } = property;
      const first = seen.get(key);
      if (first !== undefined) {
        const reason = `defines the command ${key} twice, first at line ${first}`;
        refuse(at, reason, { code: "E_ROLE_DUPLICATE", remedy: "Rename one of the two." });
        continue;
      }
      seen.set(key, source.lineAt(at.start));
      checkName(key, at);
      checkCommand(key, at.value);
    }
    return [...seen].map(([name, line]) => ({ name, line }));
  }

  function checkName(name: string, at: Node): void {
    if (CHAT_NAMES.has(name)) {
      const remedy = `Choose another name, such as ${name}_it.`;
      refuse(at, `the command ${name} has a name that the chat itself answers to`, { remedy });
    } else if (!COMMAND_NAME.test(name)) {
      const better = asName(name, "_");
      refuse(at, `the command ${name} does not match ${COMMAND_NAME.source}`, {
        remedy: better === "" ? "Use a to z, 0 to 9 and _." : `Name it ${better}.`,
      });
    }
  }

  function checkCommand(name: string, node: Node): void {
    const object = objectOf(node);
    if (object === undefined) {
      refuseNonLiteral(`the command ${name}`, { found: node.type, start: node.start });
      return;
    }
    const found = parts(object, { what: `the command ${name}`, allowed: COMMAND_KEYS });
    for (const needed of ["description", "run"]) {
      if (found.has(needed)) continue;
      refuse(object, `the command ${name} has no ${needed}`, { remedy: `Add ${needed} to it.` });
    }
    for (const [part, schema] of Object.entries(LITERAL_PARTS)) {
      const written = found.get(part);
      if (written === undefined) continue;
      const value = literalOf(written);
      if ("not" in value) {
        refuseNonLiteral(`${part} of the command ${name}`, value.not);
        continue;
      }
      const parsed = schema.safeParse(value.value);
      if (parsed.success) continue;
      const wanted = parsed.error.issues[0]?.message ?? "does not fit";
      refuse(written, `${part} of the command ${name} ${wanted}`, { remedy: `Correct ${part}.` });
    }
  }

  return { problems, definition, parts, requires, commands };
}

/** The name under which a file imports something from `#sdk`. */
function sdkName(program: Program, imported: string): string | undefined {
  for (const node of program.body) {
    if (node.type !== "ImportDeclaration" || node.source.value !== "#sdk") continue;
    for (const item of node.specifiers) {
      if (item.type !== "ImportSpecifier" || item.importKind === "type") continue;
      const name = item.imported.type === "Identifier" ? item.imported.name : item.imported.value;
      if (name === imported) return item.local.name;
    }
  }
  return undefined;
}
