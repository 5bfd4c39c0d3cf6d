import { renderTerminal } from "../capabilities/comm-gateway/render-terminal.ts";
import { checkClock } from "./doctor/clock.ts";
import { checkFolder, checkDisk } from "./doctor/disk.ts";
import type { Check, CheckScope, Finding } from "./doctor/finding.ts";
import { checkLedgers } from "./doctor/ledgers.ts";
import { checkNode } from "./doctor/node.ts";
import { checkRedis } from "./doctor/redis.ts";
import { checkRoles } from "./doctor/roles.ts";
import { checkRunning } from "./doctor/running.ts";
import { checkSettings } from "./doctor/settings.ts";
import { checkTelegram } from "./doctor/telegram.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import { KNOWN_CAPABILITIES } from "./known.ts";
import { isColourful, printJson, shellConfig } from "./shell.ts";
import { JSON_OPTION, type Verb } from "./verb.ts";

/** In the order in which they are shown. */
const CHECKS: readonly Check[] = [
  checkNode,
  checkSettings,
  checkFolder,
  checkDisk,
  checkClock,
  checkLedgers,
  checkRedis,
  checkTelegram,
  checkRoles,
  checkRunning,
];

/** `voxtree doctor`: whether everything that Voxtree stands on is well; exit code 1 when something is not. */
export const doctor: Verb = ({ program, shell, action }) => {
  program
    .command("doctor")
    .description(
      "check Node, settings, data folder, disk, clock, ledgers, Redis, Telegram, roles and who runs",
    )
    .option(...JSON_OPTION)
    .action(
      action(async ({ roles, json }) => {
        const findings = await examine({
          config: shellConfig(shell),
          rolesDir: roles,
          known: KNOWN_CAPABILITIES,
          nodeVersion: process.versions.node,
          clock: {
            wallMs: Date.now,
            monotonicMs: () => performance.now(),
            startedAtMs: performance.timeOrigin,
          },
        });
        const isHealthy = findings.every(({ state }) => state !== "fail");
        if (json) printJson(shell, { isHealthy, checks: findings });
        else shell.stdout.write(`${findingsText(findings, isColourful(shell.stdout))}\n`);
        return isHealthy ? EXIT_CODES.ok.code : EXIT_CODES.failed.code;
      }),
    );
};

/** Runs every check; one that breaks is a finding too. */
export async function examine(scope: CheckScope, checks: readonly Check[] = CHECKS): Promise<Finding[]> {
  const found = await Promise.all(
    checks.map(async (check) => {
      try {
        return await check(scope);
      } catch (error) {
        const text = `could not be checked: ${error instanceof Error ? error.message : String(error)}`;
        return [{ name: check.name, state: "fail" as const, text }];
      }
    }),
  );
  return found.flat();
}

const VERDICTS = { ok: "ok", warn: "inconclusive", fail: "fail" } as const;

function findingsText(findings: readonly Finding[], isColour: boolean): string {
  const widest = Math.max(...findings.map(({ name }) => name.length));
  return findings
    .map(({ name, state, text, remedy }) => {
      const words = remedy === undefined ? text : `${text}\n${remedy}`;
      const indented = words.replaceAll("\n", `\n${" ".repeat(widest + 5)}`);
      const reply = { text: `${name.padEnd(widest)}  ${indented}`, verdict: VERDICTS[state] };
      return renderTerminal(reply, { isColour, width: Infinity });
    })
    .join("\n");
}
