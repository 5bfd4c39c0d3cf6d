import { existsSync } from "node:fs";
import { isFailure, systemClock } from "../../envelope/index.ts";
import { openPeople, peoplePath } from "../../people/index.ts";
import type { CheckScope, Finding } from "./finding.ts";

/** Whether Telegram takes the bot's token, and whether anybody may use the bot, where there is a token. */
export async function checkTelegram({ config }: CheckScope): Promise<readonly Finding[]> {
  if (isFailure(config) || !config.telegram) return [];
  const { token, apiRoot } = config.telegram;
  // Loaded late: its library is large, and not everybody has a bot.
  const { createTelegramClient } = await import("../../capabilities/comm-gateway/telegram/index.ts");
  const client = createTelegramClient({ token, apiRoot, clock: systemClock() });
  try {
    const outcome = await client.call("getMe", {});
    if (outcome.kind === "done") {
      const owner = ownerIn(config.dataDir);
      return [{ name: "telegram", state: "ok", text: `@${outcome.result.username} answers` }, ...owner];
    }
    const { kind, text } = outcome.why;
    const isRefused = kind === "unauthorised" || (kind === "refused" && text.startsWith("404"));
    return [
      isRefused
        ? {
            name: "telegram",
            state: "fail",
            text: `the token is refused (${text})`,
            remedy: "Get a valid one from @BotFather and set TELEGRAM_BOT_TOKEN.",
          }
        : {
            name: "telegram",
            state: "fail",
            text: `${new URL(apiRoot).host} cannot be reached (${text})`,
            remedy:
              "Check the network, a proxy or firewall on the way, and TELEGRAM_API_ROOT: until then nobody is heard or answered.",
          },
    ];
  } finally {
    client.close();
  }
}

/** The bot obeys nobody until somebody has paired with it. */
function ownerIn(dataDir: string): readonly Finding[] {
  const path = peoplePath(dataDir);
  const remedy = "Run `voxtree start` and send the bot the /pair code that it shows.";
  const nobody = { name: "people", state: "warn", text: "the bot has no owner yet", remedy } as const;
  if (!existsSync(path)) return [nobody];
  const people = openPeople({ path, now: Date.now, random: (into) => into, readOnly: true });
  if (isFailure(people)) return [{ name: "people", state: "fail", text: people.text }];
  const known = people.list();
  people.close();
  if (!known.some(({ role }) => role === "owner")) return [nobody];
  return [{ name: "people", state: "ok", text: `${known.length} may use the bot` }];
}
