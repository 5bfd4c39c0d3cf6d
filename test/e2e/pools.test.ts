import { expect, test } from "vitest";
import { createOwnTree } from "../support/own-tree.ts";
import { runVoxtree } from "../support/program.ts";

test("after `new agent web-2 --like web --pool web` each command is offered once, and both answer", async () => {
  const count = `import { defineRole } from "#sdk";
export default defineRole({
  requires: ["store"],
  commands: {
    count: {
      description: "Count the questions",
      run({ store }) {
        const n = Number(store.get("n") ?? 0) + 1;
        store.set("n", n);
        return { text: \`number \${n}\` };
      },
    },
  },
});
`;
  await using tree = await createOwnTree({ web: { count } });
  const made = await runVoxtree(["new", "agent", "web-2", "--like", "web", "--pool", "web"], tree);
  expect(made).toMatchObject({ code: 0, err: "" });
  expect(made.out).toMatch(
    /^Written:\n {2}\S+web\/agent\.yml\n {2}\S+web-2\/count\.ts\n {2}\S+web-2\/agent\.yml\nStart it by `npm start` and ask `\/count`\.\n$/,
  );
  const [explained, doctor] = await Promise.all([
    runVoxtree(["explain", "/count"], tree),
    runVoxtree(["doctor"], tree),
  ]);
  expect(explained.out).toContain("runs /count");
  expect(doctor.out).toMatch(/✅ roles +3 agents, \d+ roles\n/);

  const input = ["/help", ...Array.from({ length: 4 }, () => "/count")].join("\n");
  const chat = await runVoxtree(["start"], { ...tree, input });
  expect(chat.out.match(/^\/count /gm)).toHaveLength(1);
  // Each of the two counts for itself.
  expect(chat.out.match(/number \d/g)?.sort()).toEqual(["number 1", "number 1", "number 2", "number 2"]);
});
