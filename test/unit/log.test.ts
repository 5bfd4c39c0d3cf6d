import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { createLog } from "../../src/log.ts";

function capture(isTTY: boolean): { lines: string[]; stream: { isTTY: boolean; write(line: string): void } } {
  const lines: string[] = [];
  return { lines, stream: { isTTY, write: (line) => void lines.push(line) } };
}

describe("the log", () => {
  it("writes JSON lines with the facts of the child where nobody reads along", () => {
    const { lines, stream } = capture(false);
    createLog({ level: "info", stream }).child({ agent: "web" }).warn("slow", { ms: 12 });
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ level: 40, agent: "web", ms: 12, msg: "slow" });
  });

  it("writes one readable line an entry in a terminal", () => {
    const { lines, stream } = capture(true);
    createLog({ level: "info", stream }).child({ agent: "web" }).warn("slow", { ms: 12, url: "a b" });
    expect(lines.join("")).toMatch(/^\d\d:\d\d:\d\d warn slow agent=web ms=12 url="a b"\n$/);
  });

  it("lets nothing in an entry steer the terminal or break the line", () => {
    const { lines, stream } = capture(true);
    createLog({ level: "info", stream }).info("a\u001b[2J\nb", {
      x: "\u001b[31mred",
      y: "\u009b2J",
      z: "\u202e",
    });
    expect(lines.join("")).toMatch(/^\S+ info a b x=red y=[^\n]*\n$/);
    expect(lines.join("")).not.toMatch(/[\u001b\u009b\u202e]/);
  });

  it("keeps quiet below its level", () => {
    const { lines, stream } = capture(false);
    const log = createLog({ level: "warn", stream });
    log.debug("no");
    log.info("no");
    log.error("yes");
    expect(lines).toHaveLength(1);
  });

  it("goes to stderr, never to stdout", async () => {
    const source = new URL("../../src/log.ts", import.meta.url).href;
    const script = `import { createLog } from ${JSON.stringify(source)}; createLog({ level: "info" }).error("here");`;
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [
      "--input-type=module",
      "-e",
      script,
    ]);
    expect(stdout).toBe("");
    expect(JSON.parse(stderr)).toMatchObject({ level: 50, msg: "here" });
  });
});
