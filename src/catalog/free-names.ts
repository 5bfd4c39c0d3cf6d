import type { ArrowFunctionExpression, Function as OxcFunction, Node } from "oxc-parser";
import { childrenOf, type Source } from "./source.ts";

/** A use of a name that the file itself does not declare. */
export interface FreeName {
  readonly name: string;
  readonly start: number;
}

interface Scope {
  readonly parent: Scope | undefined;
  /** Where `var` lands: a function's body or the module. */
  readonly isVarScope: boolean;
  readonly names: Set<string>;
}

/**
 * Every use of a name as a value that no scope of the file binds, in the order of the source.
 * Types are not uses, and what only types declare (`declare const`, `import type`, overloads) binds nothing.
 */
export function findFreeNames(source: Source): FreeName[] {
  const uses: { name: string; start: number; scope: Scope }[] = [];
  const use = (name: string, start: number, scope: Scope): void => void uses.push({ name, start, scope });
  visit(source.program, { parent: undefined, isVarScope: true, names: new Set() }, use);
  // Resolved at the end, since functions and `var` may be used above where they stand.
  return uses
    .filter(({ name, scope }) => !isBound(name, scope))
    .map(({ name, start }) => ({ name, start }))
    .sort((a, b) => a.start - b.start);
}

type Use = (name: string, start: number, scope: Scope) => void;

function visit(node: Node, scope: Scope, use: Use): void {
  const each = (nodes: readonly (Node | null | undefined)[], inside = scope): void => {
    for (const child of nodes) if (child) visit(child, inside, use);
  };
  switch (node.type) {
    case "Identifier":
      return use(node.name, node.start, scope);
    case "MemberExpression":
      return each([node.object, node.computed ? node.property : null]);
    case "Property":
      return each([node.computed ? node.key : null, node.value]);
    case "MethodDefinition":
    case "PropertyDefinition":
      if (node.type === "PropertyDefinition" && node.declare) return undefined;
      return each([node.computed ? node.key : null, node.value]);
    case "MetaProperty":
    case "BreakStatement":
    case "ContinueStatement":
    case "TSDeclareFunction":
    case "TSEmptyBodyFunctionExpression":
    case "ExportAllDeclaration":
      return undefined;
    case "LabeledStatement":
      return each([node.body]);
    case "ImportDeclaration":
      if (node.importKind === "type") return undefined;
      for (const item of node.specifiers) {
        if (item.type !== "ImportSpecifier" || item.importKind !== "type") scope.names.add(item.local.name);
      }
      return undefined;
    case "ExportNamedDeclaration":
      if (node.exportKind === "type") return undefined;
      if (node.source !== null) return undefined;
      return each([node.declaration, ...node.specifiers.map((item) => item.local)]);
    case "VariableDeclaration":
      if (node.declare) return undefined;
      for (const { id, init } of node.declarations) {
        bind(id, { names: node.kind === "var" ? varScope(scope) : scope, scope, use });
        each([init]);
      }
      return undefined;
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      return visitFunction(node, scope, use);
    case "ClassDeclaration":
    case "ClassExpression": {
      if (node.declare) return undefined;
      if (node.type === "ClassDeclaration" && node.id) scope.names.add(node.id.name);
      const inner = below(scope);
      if (node.id) inner.names.add(node.id.name);
      return each([node.superClass, node.body], inner);
    }
    case "StaticBlock":
      return each(node.body, below(scope, true));
    case "CatchClause": {
      const inner = below(scope);
      if (node.param) bind(node.param, { names: inner, scope: inner, use });
      return each([node.body], inner);
    }
    case "BlockStatement":
    case "ForStatement":
    case "ForInStatement":
    case "ForOfStatement":
      return each(childrenOf(node), below(scope));
    case "SwitchStatement":
      visit(node.discriminant, scope, use);
      return each(node.cases, below(scope));
    case "TSAsExpression":
    case "TSSatisfiesExpression":
    case "TSNonNullExpression":
    case "TSInstantiationExpression":
    case "TSTypeAssertion":
    case "TSExportAssignment":
      return each([node.expression]);
    default:
      if (node.type.startsWith("TS")) return undefined;
      return each(childrenOf(node));
  }
}

function visitFunction(node: ArrowFunctionExpression | OxcFunction, scope: Scope, use: Use): void {
  if (node.type === "FunctionDeclaration" && node.id) scope.names.add(node.id.name);
  // Parameters have a scope of their own: their defaults do not see what the body declares.
  const outer = below(scope, true);
  if (node.type === "FunctionExpression" && node.id) outer.names.add(node.id.name);
  for (const param of node.params) bind(param, { names: outer, scope: outer, use });
  const inner = below(outer, true);
  if (node.body?.type === "BlockStatement") for (const line of node.body.body) visit(line, inner, use);
  else if (node.body) visit(node.body, inner, use);
}

/** Adds what a pattern declares to `names`; its defaults and computed keys are uses in `scope`. */
function bind(pattern: Node, into: { names: Scope; scope: Scope; use: Use }): void {
  const inside = (node: Node | null): void => {
    if (node) bind(node, into);
  };
  switch (pattern.type) {
    case "Identifier":
      return void into.names.names.add(pattern.name);
    case "ObjectPattern":
      return pattern.properties.forEach(inside);
    case "ArrayPattern":
      return pattern.elements.forEach(inside);
    case "Property":
      if (pattern.computed) visit(pattern.key, into.scope, into.use);
      return inside(pattern.value);
    case "AssignmentPattern":
      inside(pattern.left);
      return visit(pattern.right, into.scope, into.use);
    case "RestElement":
      return inside(pattern.argument);
    case "TSParameterProperty":
      return inside(pattern.parameter);
    default:
      return undefined;
  }
}

function below(parent: Scope, isVarScope = false): Scope {
  return { parent, isVarScope, names: new Set() };
}

function varScope(scope: Scope): Scope {
  return scope.isVarScope || scope.parent === undefined ? scope : varScope(scope.parent);
}

function isBound(name: string, scope: Scope): boolean {
  return scope.names.has(name) || (scope.parent !== undefined && isBound(name, scope.parent));
}
