import type { FailureValue } from "../envelope/index.ts";
import { createIds, failure, isFailure } from "../envelope/index.ts";
import { newAgent, newRole, type Written } from "./new.ts";
import { printText, shellConfig, type Shell } from "./shell.ts";
import type { Verb } from "./verb.ts";

/** `voxtree new agent <name>` and `voxtree new role <agent>/<role>`: a documented start, with its test. */
export const newVerb: Verb = ({ program, shell, action }) => {
  const verb = program.command("new").description("write a new agent or role, with its test");
  verb
    .command("agent")
    .description("write an agent with a first role")
    .argument("<name>", "its name: a to z, 0 to 9 and -")
    .option("--master <name>", "the agent that it answers to (default: the root)")
    .option("--like <name>", "an agent whose roles, settings and master it has too")
    .option("--pool <name>", "the pool in which it shares what is asked with others")
    .action(
      action(async ({ roles, own }, name = "") => {
        const [master, like, pool] = [own["master"], own["like"], own["pool"]].map((value) =>
          typeof value === "string" ? value : undefined,
        );
        const ids = createIds(Date.now);
        return tell(shell, "agent", await newAgent({ rolesDir: roles, name, master, like, pool, ids }));
      }),
    );
  verb
    .command("role")
    .description("write a role of an agent")
    .argument("<agent/role>", "such as web/dns")
    .action(
      action(async ({ roles }, path = "") => {
        const [agent = "", role = "", ...rest] = path.split("/");
        if (role === "" || rest.length > 0)
          return failure("E_USAGE", `"${path}" is not <agent>/<role>, such as web/dns.`);
        return tell(shell, "role", await newRole({ rolesDir: roles, agent, role }));
      }),
    );
};

function tell(shell: Shell, kind: "agent" | "role", written: Written | FailureValue): FailureValue | void {
  if (isFailure(written)) return written;
  const files = written.files.map((file) => `  ${file}`).join("\n");
  printText(shell, `Written:\n${files}\n${nextStep(shell, kind, written)}`);
}

/** What to do for it to answer: in one process, or with a REDIS_URL in one of its own. */
function nextStep(shell: Shell, kind: "agent" | "role", { agent, master, command }: Written): string {
  const config = shellConfig(shell);
  // Settings that do not fit are told by whatever needs them.
  const isApart = !isFailure(config) && config.redisUrl !== undefined;
  if (!isApart) return `Start it by \`npm start\` and ask \`/${command}\`.`;
  const start = master === undefined ? "`npm start`" : `\`npm run agent -- ${agent}\``;
  if (kind === "role") return `Start ${agent} anew by ${start} and ask \`/${command}\`.`;
  const steps = `Run \`voxtree provision\` and start it by ${start}`;
  if (master === undefined) return `${steps}; then ask \`/${command}\`.`;
  return `${steps}. Its master ${master} learns of it when it is started anew; then ask \`/${command}\`.`;
}
