import type { CheckScope, Finding } from "./finding.ts";

/** Whether this Node can run Voxtree. */
export function checkNode({ nodeVersion }: CheckScope): readonly Finding[] {
  const major = Number(nodeVersion.split(".")[0]);
  if (major >= 24) return [{ name: "node", state: "ok", text: nodeVersion }];
  return [
    {
      name: "node",
      state: "fail",
      text: `${nodeVersion} is too old; 24 or newer is needed`,
      remedy: "Run `npm ci`, which brings the project's own Node, or install Node 24.",
    },
  ];
}
