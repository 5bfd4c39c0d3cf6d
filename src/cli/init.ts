import { Option } from "commander";
import { failure, type FailureValue } from "../envelope/index.ts";
import type { Verb } from "./verb.ts";

/**
 * `voxtree init`: first contact with Telegram. Checks the token, pairs the owner, finds the war room, and writes both into
 * `.env`; asks for what is missing at a terminal. What is well already stays as it is.
 */
export const init: Verb = ({ program, shell, action }) => {
  program
    .command("init")
    .description("set up Telegram: the bot's token, its owner, the war room")
    .option(
      "--war-room <chat>",
      "id of the chat that is told of trouble, such as -1001234567890 or -1001234567890/7",
    )
    .option("--wait", "wait until somebody has become the owner, without a terminal too")
    .addOption(new Option("--token <token>").hideHelp())
    .action(
      action(async ({ own }) => {
        if (own["token"] !== undefined) return TOKEN_IN_SIGHT;
        const { setUp } = await import("./init/set-up.ts"); // with the library for Telegram, which most verbs need not load
        const warRoom = own["warRoom"];
        return setUp(shell, {
          warRoom: typeof warRoom === "string" ? warRoom : undefined,
          isWaiting: own["wait"] === true,
        });
      }),
    );
};

const TOKEN_IN_SIGHT: FailureValue = failure(
  "E_USAGE",
  "A token on a command line stands in the list of processes and in the shell's history: give it as TELEGRAM_BOT_TOKEN in the environment, or run `voxtree init` at a terminal, which asks for it. Have @BotFather revoke the one that was given here.",
);
