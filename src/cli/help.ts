import { closest } from "fastest-levenshtein";
import { failure } from "../envelope/failures.ts";
import { exitCodesText } from "./exit-codes.ts";
import type { Verb } from "./verb.ts";

/** `voxtree help [topic]`: of everything, of one verb, or the table of exit codes. */
export const help: Verb = ({ program, shell, action }) => {
  program
    .command("help")
    .description("what can be done; `help exit-codes` lists the exit codes")
    .argument("[topic]", "a verb, or exit-codes")
    .action(
      action((_, topic?: string) => {
        if (topic === undefined) return program.outputHelp();
        if (topic === "exit-codes") return void shell.stdout.write(exitCodesText());
        const command = program.commands.find((each) => each.name() === topic);
        if (command) return command.outputHelp();
        const topics = [...program.commands.map((each) => each.name()), "exit-codes"];
        const meant = topics.find((each) => each.startsWith(topic)) ?? closest(topic, topics);
        return failure("E_USAGE", `there is no help on "${topic}"; did you mean ${meant}?`);
      }),
    );
};
