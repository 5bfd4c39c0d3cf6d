import { readFile } from "node:fs/promises";
import { parseSync } from "oxc-parser";
import { expect, test } from "vitest";

async function exportedNames(file: string): Promise<string[]> {
  const { module } = parseSync(file, await readFile(file, "utf8"), { lang: "ts" });
  const entries = module.staticExports.flatMap((statement) => statement.entries);
  return entries.map(({ exportName }) => exportName.name ?? "*").sort();
}

test("the author of a role is offered these names and no others", async () => {
  const names = await exportedNames("src/sdk/index.ts");
  expect(names).toEqual([
    "Access",
    "AgentGoneError",
    "Alert",
    "Answer",
    "Attachment",
    "BaseContext",
    "Button",
    "Capabilities",
    "CapabilityId",
    "Command",
    "Context",
    "Effect",
    "Events",
    "Failure",
    "InboundMessage",
    "Log",
    "Markup",
    "ParameterKind",
    "Reply",
    "Request",
    "Role",
    "StepScope",
    "Store",
    "Verdict",
    "defineRole",
    "md",
    "param",
    "parameterKind",
    "show",
  ]);
  expect(names.length).toBeLessThanOrEqual(30);
});

test("the author of a test is offered these names and no others", async () => {
  expect(await exportedNames("src/sdk/testing/index.ts")).toEqual([
    "ChildAnswer",
    "Handles",
    "Overrides",
    "StandIn",
    "Traces",
    "Tried",
    "TriedReply",
    "createMemoryStore",
    "tryCommand",
    "tryEvent",
  ]);
});
