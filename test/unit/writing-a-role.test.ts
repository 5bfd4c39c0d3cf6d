import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { readTree } from "../../src/catalog/index.ts";
import { newAgent, newRole } from "../../src/cli/new.ts";
import { createIds } from "../../src/envelope/index.ts";
import { createProjectFolder } from "../support/project-folder.ts";

const KNOWN = new Map([
  ["net", { rootOnly: false }],
  ["store", { rootOnly: false }],
]);
const run = promisify(execFile);
const bin = (path: string): string => join(process.cwd(), "node_modules", path);

/** The files that the page has in full, by their path below roles/. */
async function filesOfPage(): Promise<Map<string, string>> {
  const page = await readFile("docs/writing-a-role.md", "utf8");
  const files = [...page.matchAll(/^`roles\/(\S+\.ts)`\n\n```ts\n(.*?)^```$/gms)];
  return new Map(files.map(([, path, text]) => [path ?? "", text ?? ""]));
}

test("who follows the page gets agents that are fit to run, fit their types, and pass their tests", async () => {
  await using folder = await createProjectFolder({
    "tsconfig.json":
      '{ "extends": "../../tsconfig.json", "include": ["roles", "../../src/capabilities"], "exclude": [] }',
    "vitest.config.ts": 'export default { test: { include: ["**/*.test.ts"], maxWorkers: 1 } };\n',
  });
  const rolesDir = join(folder.dir, "roles");
  const ids = createIds(() => Date.UTC(2026, 0, 1));
  await newAgent({ rolesDir, name: "root", ids });
  await newAgent({ rolesDir, name: "ops", master: "root", ids });
  await newAgent({ rolesDir, name: "weather", master: "ops", ids });
  await newRole({ rolesDir, agent: "ops", role: "storm" });

  const files = await filesOfPage();
  expect([...files.keys()].sort()).toEqual([
    "ops/storm.test.ts",
    "ops/storm.ts",
    "weather/_forecast.ts",
    "weather/weather.test.ts",
    "weather/weather.ts",
  ]);
  for (const [path, text] of files) await writeFile(join(rolesDir, path), text);

  const { agents, problems } = await readTree(rolesDir, KNOWN);
  expect(problems).toEqual([]);
  expect(agents.flatMap(({ disabled }) => disabled)).toEqual([]);
  expect(
    agents.flatMap(({ roles }) => roles.flatMap(({ commands }) => commands.map(({ name }) => name))),
  ).toEqual(["ops", "storm", "root", "weather"]);
  const types = await run(process.execPath, [bin("typescript/bin/tsc"), "-p", folder.dir]).catch(
    (error: { stdout: string }) => error,
  );
  expect(types.stdout).toBe("");
  const env = { ...process.env, NO_COLOR: "1" };
  const tests = await run(
    process.execPath,
    [bin("vitest/vitest.mjs"), "run", "--root", rolesDir, "weather", "storm"],
    { env },
  );
  expect(tests.stdout).toMatch(/Tests\s+5 passed \(5\)/);
  const written = [...files.keys()].map((path) => join(rolesDir, path));
  await run(process.execPath, [bin("oxfmt/bin/oxfmt"), "-c", ".oxfmtrc.json", "--check", ...written]);
});
