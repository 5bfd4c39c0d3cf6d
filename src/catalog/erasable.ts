import type { Node } from "oxc-parser";
import { walk, type Problem, type Source } from "./source.ts";

/** Finds TypeScript that cannot be erased: Node runs the files as they are and would refuse them. */
export function findNonErasable(source: Source): Problem[] {
  const problems: Problem[] = [];
  walk(source.program, (node) => {
    const found = describe(node);
    if (found === undefined) return !isAmbient(node);
    problems.push({
      file: source.file,
      line: source.lineAt(node.start),
      code: "E_ROLE_SYNTAX",
      reason: `${found[0]} is not erasable TypeScript`,
      remedy: found[1],
    });
    return false;
  });
  return problems;
}

function describe(node: Node): readonly [what: string, remedy: string] | undefined {
  if (isAmbient(node)) return undefined;
  switch (node.type) {
    case "TSEnumDeclaration":
      return ["an enum", "Use a union of literals, or z.enum([…])."];
    case "TSModuleDeclaration":
      return ["a namespace", "Use plain exports of a ./_x.ts file."];
    case "TSParameterProperty":
      return ["a parameter property", "Declare the field and set it in the constructor."];
    case "TSImportEqualsDeclaration":
      return ["`import … =`", 'Write `import … from "…"`.'];
    case "TSExportAssignment":
      return ["`export =`", "Write `export default`."];
    case "TSTypeAssertion":
      return ["an assertion in angle brackets", "Write `value as Type`."];
    case "Decorator":
      return ["a decorator", "Call the function instead."];
    case "AccessorProperty":
    case "TSAbstractAccessorProperty":
      return ["an accessor field", "Write a getter and a setter."];
    case "JSXElement":
    case "JSXFragment":
      return ["JSX", "Build the reply with md`…`."];
    default:
      return undefined;
  }
}

function isAmbient(node: Node): boolean {
  return "declare" in node && node.declare;
}
