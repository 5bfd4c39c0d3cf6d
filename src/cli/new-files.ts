/** What `voxtree new` writes: a start that answers, and says where to go on. */

/** The text of a new agent's manifest. `schema` is the path of its JSON Schema, for editors. */
export function manifestText(agent: {
  readonly id: string;
  readonly name: string;
  readonly master: { readonly id: string; readonly name: string } | undefined;
  readonly role: string;
  readonly schema: string;
  readonly pool: string | undefined;
}): string {
  const { id, name, master, role, schema, pool } = agent;
  return `# yaml-language-server: $schema=${schema}

# Who the agent is, for good: its memory hangs on this.
id: ${id}
# What it is called; unique in the tree.
name: ${name}
# ${master === undefined ? "It answers to nobody: it is the root." : `It answers to ${master.name}.`}
master_id: "${master?.id ?? ""}"
# Agents of one pool below the same master offer their commands together.
${pool === undefined ? "# pool: web" : `pool: ${pool}`}

# The role files of this folder that it has, without .ts. A file that is not listed here is not run.
roles:
  - ${role}

# How many requests it works on at a time.
# concurrency: 32

# From where its checks look; shown under its answers.
# vantage: berlin-1

# Settings of the capabilities that its roles require, by the capability's id. No secrets.
# capabilities:
#   net: {}
`;
}

/** The text of a new role with one command, which answers from the first minute. */
export function roleText({ command, title }: { readonly command: string; readonly title: string }): string {
  return `import { defineRole, param } from "#sdk";
import { z } from "zod";

/** Says back what it is told. Write here what the role is for. */
export default defineRole({
  // The capabilities that the role needs, such as "net" or "store"; each arrives as a handle in \`run\`.
  requires: [],
  commands: {
    // People reach it as /${command.replaceAll("_", " ")}, or in their own words.
    ${command}: {
      description: "Say back what ${title} is told",
      // What people would write when they want this: three to ten for each language.
      prompts: {
        en: ["tell ${title} hello", "what does ${title} say", "ask ${title} about the sky"],
        de: ["sag ${title} hallo", "was sagt ${title}", "frag ${title} nach dem Himmel"],
      },
      // What it takes. param.host(), param.when() and the like are found in plain words.
      params: z.object({ words: param.rest().default("hello").describe("What to say back") }),
      // What it answers besides the text, for whoever asks by program.
      data: z.object({ words: z.string() }),
      run({ request }, { words }) {
        const heard = request.language.startsWith("de") ? "hat gehört" : "heard";
        return { verdict: "ok", text: \`${title} \${heard}: \${words}\`, data: { words } };
      },
    },
  },
});
`;
}

/** The text of a new role's test. */
export function testText(role: {
  readonly name: string;
  readonly command: string;
  readonly title: string;
}): string {
  const { name, command, title } = role;
  return `import { tryCommand } from "#sdk/testing";
import { expect, test } from "vitest";
import role from "./${name}.ts";

test("${title} says back what it is told", async () => {
  const reply = await tryCommand(role, "${command}", { words: "good morning" });
  expect(reply).toMatchObject({ verdict: "ok", text: "${title} heard: good morning" });
});

test("${title} answers a German in German", async () => {
  const reply = await tryCommand(role, "${command}", { words: "moin" }, { request: { language: "de" } });
  expect(reply).toMatchObject({ text: "${title} hat gehört: moin", data: { words: "moin" } });
});
`;
}
