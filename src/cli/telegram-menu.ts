import type { TelegramChannel } from "../capabilities/comm-gateway/telegram/index.ts";
import type { Clock } from "../envelope/index.ts";
import type { CommandAnnouncement } from "../sdk/announcement.ts";

/** What the chat itself answers to, in the words of a menu. */
const ITSELF = [
  { name: "help", description: "What you can ask for" },
  { name: "tree", description: "Who does the work, and whether they are there" },
  { name: "last", description: "The last reply once more" },
  { name: "cancel", description: "Drop what is open or in work" },
];
/** How often the menu is compared with what there is. */
const LOOK_MS = 5000;

/** Makes the bot's menu follow the commands that can be asked for, until it is stopped. */
export function keepMenu(
  channel: Pick<TelegramChannel, "showCommands">,
  {
    commands,
    clock,
  }: {
    readonly commands: () => readonly Pick<CommandAnnouncement, "name" | "description">[];
    readonly clock: Pick<Clock, "after">;
  },
): { stop(): void } {
  let stopTimer = (): void => undefined;
  let shown = "";
  const look = (): void => {
    const menu = [
      ...commands().map(({ name, description }) => ({ name, description: inEnglish(description) })),
      ...ITSELF,
    ];
    const text = JSON.stringify(menu);
    if (text !== shown) channel.showCommands(menu);
    shown = text;
    stopTimer = clock.after(LOOK_MS, look);
  };
  look();
  return { stop: () => stopTimer() };
}

function inEnglish(description: CommandAnnouncement["description"]): string {
  return typeof description === "string"
    ? description
    : (description["en"] ?? Object.values(description)[0] ?? "");
}
