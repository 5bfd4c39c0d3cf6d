/** What can be set, in the order in which it is documented. `.env.example` and README's table equal this. */
export const SETTINGS = [
  {
    name: "VOXTREE_DATA_DIR",
    default: "./data",
    meaning: "Folder of the ledgers; a relative one stands in the project's folder",
  },
  {
    name: "VOXTREE_LOG_LEVEL",
    default: "warn",
    meaning: "What is logged on stderr: fatal, error, warn, info, debug, trace or silent",
  },
  {
    name: "VOXTREE_KEEP_DAYS",
    default: "30",
    meaning: "Days that finished requests stay in the ledgers; fewer than 8 count as 8",
  },
  {
    name: "VOXTREE_DURABILITY",
    default: "normal",
    meaning: "normal survives a killed process; full survives a power cut too, and is slower",
  },
  { name: "TZ", default: "", meaning: "IANA time zone, such as Europe/Berlin; empty is the system's" },
  {
    name: "NET_ALLOW",
    default: "",
    meaning:
      "Hosts, addresses and CIDR ranges that checks may reach although they are not public, separated by commas or spaces",
  },
  {
    name: "REDIS_URL",
    default: "",
    meaning:
      "Redis that joins agents in processes of their own, such as redis://127.0.0.1:6379; empty runs all in one process",
  },
  {
    name: "VOXTREE_HEALTH_PORT",
    default: "",
    meaning: "Port of the loopback at which /healthz tells how the process is; empty is none",
  },
  {
    name: "TELEGRAM_BOT_TOKEN",
    default: "",
    meaning:
      "Token of the bot through which people talk with Voxtree on Telegram, from @BotFather; empty is the terminal alone",
  },
  {
    name: "TELEGRAM_ALLOWED_USERS",
    default: "",
    meaning:
      "Ids of Telegram users who are let in as operators at the first start that names them, separated by commas or spaces; later `voxtree people` says who is in",
  },
  {
    name: "WAR_ROOM_CHAT",
    default: "",
    meaning:
      "Id of the Telegram group that is told of trouble, such as -1001234567890, with /7 behind it for its topic 7; empty is the owner's private chat",
  },
  {
    name: "TELEGRAM_API_ROOT",
    default: "https://api.telegram.org",
    meaning: "Address of the Bot API; another one is a server of your own",
  },
] as const satisfies readonly { name: string; default: string; meaning: string }[];

export type SettingName = (typeof SETTINGS)[number]["name"];

/** The text of `.env.example`: every setting with its meaning and its default, commented out. */
export function envExample(): string {
  const entries = SETTINGS.map(
    ({ name, default: byDefault, meaning }) => `# ${meaning}.\n#${name}=${byDefault}\n`,
  );
  return `# Copy this file to .env and take the # off what you want to change. The environment wins over it.\n\n${entries.join("\n")}`;
}

/** The settings as a Markdown table, for the README. */
export function settingsTable(): string {
  const rows = SETTINGS.map(
    ({ name, default: byDefault, meaning }) =>
      `| \`${name}\` | ${byDefault && `\`${byDefault}\``} | ${meaning} |`,
  );
  return ["| Setting | Default | Meaning |", "|---|---|---|", ...rows].join("\n");
}
