import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, normalize, sep } from "node:path";
import { Visitor, parseSync } from "oxc-parser";

/** One import of a file: a file of the repository, or a library. Imports of types count. */
export interface Import {
  readonly from: string;
  /** A path from the repository's root, or a library's name ("node:fs", "zod"). */
  readonly to: string;
  readonly isLibrary: boolean;
}

/** The files below some folders, as paths from the repository's root with "/". */
export function filesBelow(...folders: readonly string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).split(sep).join("/"))
      .sort(),
  );
}

/** Every import of the TypeScript files below some folders. */
export function importsBelow(...folders: readonly string[]): Import[] {
  const aliases = (JSON.parse(readFileSync("package.json", "utf8")) as { imports: Record<string, string> })
    .imports;
  return filesBelow(...folders)
    .filter((file) => file.endsWith(".ts"))
    .flatMap((from) =>
      specifiersOf(from).map((specifier) => {
        const alias = aliases[specifier];
        if (alias !== undefined) return { from, to: normalize(alias), isLibrary: false };
        if (!specifier.startsWith(".")) return { from, to: libraryOf(specifier), isLibrary: true };
        return { from, to: join(dirname(from), specifier).split(sep).join("/"), isLibrary: false };
      }),
    );
}

/** The circles of a graph of imports, each as the files that it goes through. */
export function circlesIn(imports: readonly Import[]): string[][] {
  const next = new Map<string, string[]>();
  for (const { from, to, isLibrary } of imports) {
    if (!isLibrary) next.set(from, [...(next.get(from) ?? []), to]);
  }
  const circles: string[][] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file);
    if (start >= 0) circles.push([...path.slice(start), file]);
    if (start >= 0 || done.has(file)) return;
    for (const to of next.get(file) ?? []) visit(to, [...path, file]);
    done.add(file);
  };
  for (const file of next.keys()) visit(file, []);
  return circles;
}

function specifiersOf(file: string): string[] {
  const text = readFileSync(file, "utf8");
  const { program, module } = parseSync(file, text, { lang: "ts", sourceType: "module" });
  const found = new Set<string>();
  for (const each of module.staticImports) found.add(each.moduleRequest.value);
  for (const each of module.staticExports) {
    for (const entry of each.entries) if (entry.moduleRequest) found.add(entry.moduleRequest.value);
  }
  for (const { moduleRequest } of module.dynamicImports) {
    const literal = /^(["'])(.*)\1$/.exec(text.slice(moduleRequest.start, moduleRequest.end))?.[2];
    if (literal !== undefined) found.add(literal);
  }
  new Visitor({ TSImportType: (node) => void found.add(node.source.value) }).visit(program);
  return [...found];
}

function libraryOf(specifier: string): string {
  if (specifier.startsWith("node:")) return specifier;
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}
