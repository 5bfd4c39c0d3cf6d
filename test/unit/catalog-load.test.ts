import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import {
  loadRole,
  readAgent,
  type AnyRole,
  type DisabledRole,
  type LoadedRole,
} from "../../src/catalog/index.ts";
import { createProjectFolder } from "../support/project-folder.ts";

const KNOWN = new Map([["net", { rootOnly: false }]]);
const HEAD = 'import { defineRole, param } from "#sdk";\nimport { z } from "zod";\n';
const MANIFEST = 'id: 01900000-0000-7000-8000-000000000001\nname: a\nmaster_id: ""\nroles: [tried]\n';

async function load(
  text: string,
  between?: (dir: string) => Promise<void>,
): Promise<LoadedRole | DisabledRole> {
  await using folder = await createProjectFolder({ "agent.yml": MANIFEST, "tried.ts": HEAD + text });
  const agent = await readAgent(folder.dir, KNOWN);
  if ("failure" in agent) throw new Error(agent.text);
  const [role] = agent.roles;
  if (role === undefined) throw new Error(agent.disabled[0]?.reason);
  await between?.(folder.dir);
  return await loadRole(role);
}

test("a loaded role can be run and is announced with the schema of what it takes", async () => {
  const loaded = await load(`export default defineRole({
  requires: ["net"],
  commands: {
    greet: {
      description: { en: "Greet", de: "Grüßen" },
      prompts: ["say hello"],
      params: z.object({ host: param.host(), times: z.int().default(1) }),
      effect: "change",
      timeoutMs: 5_000,
      run: (_context, { host, times }) => ({ text: host.repeat(times) }),
    },
    bare: { description: "Nothing", run: () => ({ text: "nothing" }) },
  },
  on: { on_boot() {} },
});\n`);
  if (!("role" in loaded && "announcements" in loaded)) throw new Error("disabled");
  expect(loaded).toMatchObject({
    name: "tried",
    requires: ["net"],
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(loaded.announcements).toEqual([
    {
      name: "greet",
      description: { en: "Greet", de: "Grüßen" },
      prompts: ["say hello"],
      input: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        properties: {
          host: expect.objectContaining({ type: "string", entity: "host" }),
          times: expect.objectContaining({ type: "integer", default: 1 }),
        },
        required: ["host"],
      },
      effect: "change",
      timeoutMs: 5_000,
    },
    {
      name: "bare",
      description: "Nothing",
      prompts: [],
      input: { $schema: "https://json-schema.org/draft/2020-12/schema", type: "object", properties: {} },
      effect: "read",
      timeoutMs: 60_000,
    },
  ]);
  const role: AnyRole = loaded.role;
  const context = Object.create(null) as Parameters<AnyRole["commands"][string]["run"]>[0];
  expect(await role.commands["greet"]?.run(context, { host: "a", times: 3 })).toEqual({ text: "aaa" });
  expect(role.commands["constructor"]).toBeUndefined();
  expect(Object.keys(role.on)).toEqual(["on_boot"]);
});

test.each([["z.date()"], ["z.bigint()"], ["z.map(z.string(), z.string())"]])(
  "parameters of %s disable the role at the command's line",
  async (type) => {
    const loaded = await load(`export default defineRole({
  commands: {
    fine: { description: "Fine", run: () => ({ text: "" }) },
    remind: {
      description: "Remind",
      params: z.object({ at: ${type} }),
      run: () => ({ text: "" }),
    },
  },
});\n`);
    expect(loaded).toMatchObject({
      role: "tried",
      line: 6,
      code: "E_ROLE_SCHEMA",
      reason: expect.stringMatching(
        /^the parameters of the command remind cannot be written as JSON Schema: /,
      ),
    });
  },
);

test.each([
  ["params: z.string()", "commands.go.params: must be a z.object({ … })"],
  ["data: 5", "commands.go.data: must be a z.object({ … })"],
  ["timeoutMs: -1", "commands.go.timeoutMs: "],
])("a value of the wrong kind that only running shows disables the role: %s", async (part, reason) => {
  const command = `go: { description: "Go", ${part}, run: () => ({ text: "" }) }`;
  expect(await load(`export default defineRole({ commands: { ${command} } });\n`)).toMatchObject({
    code: "E_ROLE_SHAPE",
    line: 3,
    reason: expect.stringContaining(`exports no role: ${reason}`),
  });
});

test("an event that the framework does not raise disables the role", async () => {
  expect(await load("export default defineRole({ on: { on_boots() {} } });\n")).toMatchObject({
    code: "E_ROLE_SHAPE",
  });
});

test("what the top level throws disables the role with its line", async () => {
  expect(
    await load('if (Math.PI > 3) throw new Error("no luck");\nexport default defineRole({});\n'),
  ).toMatchObject({
    code: "E_ROLE_LOAD",
    line: 3,
    reason: "threw while it was loaded: no luck",
  });
});

test("a library that is not installed disables the role with the command that installs it", async () => {
  expect(
    await load('import x from "no-such-library";\nexport default defineRole({ on: x });\n'),
  ).toMatchObject({
    code: "E_ROLE_LOAD",
    remedy: "Run `npm install no-such-library`.",
  });
});

test("a file that changed since it was read is not run", async () => {
  const loaded = await load("export default defineRole({});\n", (dir) =>
    writeFile(`${dir}/tried.ts`, 'throw new Error("was run");\n'),
  );
  expect(loaded).toMatchObject({ code: "E_ROLE_LOAD", reason: "changed while it was being loaded" });
});
