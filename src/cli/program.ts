import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command, CommanderError } from "commander";
import { safeText } from "../capabilities/comm-gateway/render-terminal.ts";
import { isFailure } from "../envelope/failures.ts";
import { agent } from "./agent.ts";
import { ask } from "./ask.ts";
import { dead } from "./dead.ts";
import { dev } from "./dev.ts";
import { doctor } from "./doctor.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import { explain } from "./explain.ts";
import { help } from "./help.ts";
import { init } from "./init.ts";
import { newVerb } from "./new-verb.ts";
import { people } from "./people.ts";
import { provision } from "./provision.ts";
import { printFailure, type Shell } from "./shell.ts";
import { start } from "./start.ts";
import { trace } from "./trace.ts";
import { tree } from "./tree.ts";
import { readOptions, type Verb, type VerbScope } from "./verb.ts";

/** In the order in which help lists them. */
const VERBS: readonly Verb[] = [
  start,
  init,
  agent,
  dev,
  ask,
  tree,
  trace,
  dead,
  people,
  explain,
  doctor,
  newVerb,
  provision,
  help,
];

/** Runs one command line (without node and script) and resolves to its exit code. Throws only on defects. */
export async function runProgram(argv: readonly string[], shell: Shell): Promise<number> {
  let exitCode: number = EXIT_CODES.ok.code;
  const program = new Command("voxtree");
  program
    .description("A team's operations desk in chat: people ask in plain words, a tree of agents answers.")
    .version(versionOf(shell.projectDir), "-V, --version")
    .option("--roles <dir>", "folder of the agents (default: the project's roles/)")
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void shell.stdout.write(text),
      writeErr: (text) => void shell.stderr.write(safeText(text)),
    })
    .helpCommand(false)
    .showSuggestionAfterError()
    .exitOverride();

  const scope: VerbScope = {
    program,
    shell,
    action:
      (work) =>
      async (...given) => {
        // Commander hands over the arguments, then the options, then the command.
        const command = given.at(-1) as Command;
        const options = readOptions(command, shell);
        const words = given
          .slice(0, -2)
          .flat()
          .filter((word) => typeof word === "string");
        const outcome = await work(options, ...words);
        if (isFailure(outcome)) exitCode = printFailure(shell, outcome, options.json);
        else exitCode = outcome ?? exitCode;
      },
  };
  for (const verb of VERBS) verb(scope);

  if (argv.length === 0) {
    program.outputHelp();
    return exitCode;
  }
  try {
    await program.parseAsync([...argv], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Commander has said on stderr what does not fit; help and version end this way too.
    if (error.exitCode !== 0) return EXIT_CODES.usage.code;
  }
  return exitCode;
}

function versionOf(projectDir: string): string {
  const { version } = JSON.parse(readFileSync(join(projectDir, "package.json"), "utf8")) as {
    version: string;
  };
  return version;
}
