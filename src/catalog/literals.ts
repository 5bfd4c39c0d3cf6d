import type { Expression, Node, ObjectExpression, ObjectProperty } from "oxc-parser";

/** What stands in the source where a literal was wanted. */
export interface NotLiteral {
  readonly found: string;
  readonly start: number;
}

/** A literal's value as it stands in the source: text, number, truth value, list or object, or what is there instead. */
export function literalOf(node: Node): { value: unknown } | { not: NotLiteral } {
  const inner = unwrap(node);
  switch (inner.type) {
    case "Literal":
      return "regex" in inner || "bigint" in inner ? refused(inner) : { value: inner.value };
    case "TemplateLiteral":
      return inner.expressions.length === 0
        ? { value: inner.quasis.map(({ value }) => value.cooked).join("") }
        : { not: { found: "${}", start: inner.expressions[0]?.start ?? inner.start } };
    case "ArrayExpression": {
      const values: unknown[] = [];
      for (const element of inner.elements) {
        if (element === null) return refused(inner);
        const item = literalOf(element);
        if ("not" in item) return item;
        values.push(item.value);
      }
      return { value: values };
    }
    case "ObjectExpression": {
      const values: [string, unknown][] = [];
      for (const property of propertiesOf(inner)) {
        if ("not" in property) return property;
        const item = literalOf(property.node.value);
        if ("not" in item) return item;
        values.push([property.key, item.value]);
      }
      return { value: Object.fromEntries(values) };
    }
    default:
      return refused(inner);
  }
}

/** The properties of an object literal with their names; what hides a name (a spread, `[x]`) is told instead. */
export function propertiesOf(
  object: ObjectExpression,
): ({ key: string; node: ObjectProperty } | { not: NotLiteral })[] {
  return object.properties.map((node) => {
    if (node.type === "SpreadElement") return refused(node);
    const key = keyOf(node);
    return key === undefined ? refused(node.key) : { key, node };
  });
}

/** The object literal that an expression is, if it is one. */
export function objectOf(node: Node): ObjectExpression | undefined {
  const inner = unwrap(node);
  return inner.type === "ObjectExpression" ? inner : undefined;
}

/** What is below `as …` and `satisfies …`, which leave a literal a literal. */
export function unwrap(node: Node): Node {
  return node.type === "TSAsExpression" || node.type === "TSSatisfiesExpression"
    ? unwrap(node.expression)
    : node;
}

function keyOf(node: ObjectProperty): string | undefined {
  const key: Expression | ObjectProperty["key"] = node.key;
  if (!node.computed && key.type === "Identifier") return key.name;
  return key.type === "Literal" && typeof key.value === "string" ? key.value : undefined;
}

function refused(node: Node): { not: NotLiteral } {
  return { not: { found: node.type, start: node.start } };
}
