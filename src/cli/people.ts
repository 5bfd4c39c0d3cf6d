import { randomFillSync } from "node:crypto";
import { existsSync } from "node:fs";
import { Argument, Option } from "commander";
import { oneLine } from "../capabilities/comm-gateway/render-terminal.ts";
import type { FailureValue } from "../envelope/index.ts";
import { isFailure } from "../envelope/index.ts";
import { ACCESSES, type KnownPerson, openPeople, type People, peoplePath } from "../people/index.ts";
import type { Access } from "../sdk/role.ts";
import { momentText } from "./moment.ts";
import { personAtShell, printJson, printText, shellConfig, type Shell } from "./shell.ts";
import { JSON_OPTION, type Verb, type VerbOptions } from "./verb.ts";

const WHO = [
  "<name or id>",
  "their name, their channel's id as `list` shows it, or the end of their id",
] as const;
/** What a record is asked for at most; an older one is read from the file. */
const ENTRIES = 200;

/** `voxtree people list|invite|role|rename|rm|record`: who may use the bot. A running one follows at once. */
export const people: Verb = ({ program, shell, action }) => {
  const by = `terminal:${personAtShell(shell)}`;
  const verb = program.command("people").description("who may use the bot: let in, change, shut out");
  verb
    .command("list", { isDefault: true })
    .description("list them")
    .option(...JSON_OPTION)
    .action(action((options) => look(shell, (open, zone) => list(shell, options, { open, zone }))));
  verb
    .command("invite")
    .description("print a code that lets one person in within an hour")
    .addOption(new Option("--role <role>", "what they may be").choices(ACCESSES).default("operator"))
    .option(...JSON_OPTION)
    .action(
      action((options) =>
        change(shell, (open, zone) => {
          const made = open.invite(options.own["role"] as Access, by);
          if (options.json) return printJson(shell, made);
          const until = momentText(made.expires, zone).slice(11, 16);
          printText(
            shell,
            `Whoever sends this to the bot is let in as ${made.role}, once and until ${until} ${zone}:\n\n  /pair ${made.code}`,
          );
        }),
      ),
    );
  verb
    .command("role")
    .description("give somebody another role")
    .argument(...WHO)
    .addArgument(new Argument("<role>", "what they may be").choices(ACCESSES))
    .action(
      action((_, which = "", role = "") =>
        change(shell, (open) =>
          tell(shell, open.setRole(which, role as Access, by), ({ name, role }) => `${name} is ${role} now.`),
        ),
      ),
    );
  verb
    .command("rename")
    .description("call somebody something else")
    .argument(...WHO)
    .argument("<new name>", "what they are called from now on")
    .action(
      action((_, which = "", name = "") =>
        change(shell, (open) =>
          tell(
            shell,
            open.rename(which, name, by),
            (person) => `${nameOf(person)} is called ${person.name} now.`,
          ),
        ),
      ),
    );
  verb
    .command("rm")
    .description("shut somebody out, from their next words on")
    .argument(...WHO)
    .action(
      action((_, which = "") =>
        change(shell, (open) =>
          tell(
            shell,
            open.remove(which, by),
            ({ name }) => `${name} is shut out. A new code would let them in again; the settings would not.`,
          ),
        ),
      ),
    );
  verb
    .command("record")
    .description("who was let in, changed or shut out, when and by whom; the newest first")
    .option(...JSON_OPTION)
    .action(action((options) => look(shell, (open, zone) => record(shell, options, { open, zone }))));
};

interface Looked {
  /** Undefined when nobody was ever let in. */
  readonly open: People | undefined;
  /** IANA time zone of the times that are shown. */
  readonly zone: string;
}

function list(shell: Shell, { json }: VerbOptions, { open, zone }: Looked): void {
  const persons = open?.list() ?? [];
  if (json) return printJson(shell, persons);
  const noOwner = persons.some(({ role }) => role === "owner") ? [] : [NO_OWNER];
  if (persons.length === 0) return printText(shell, `Nobody is let in yet. ${NO_OWNER}`);
  const rows = table(
    persons.map((person) => [
      oneLine(person.name),
      person.role,
      nameOf(person),
      momentText(person.since, zone).slice(0, 16),
    ]),
  );
  printText(shell, [...rows, "", `Times are in ${zone}.`, ...noOwner].join("\n"));
}

const NO_OWNER =
  "There is no owner: `voxtree people invite --role owner` prints a code, and whoever sends it to the bot becomes owner.";

function record(shell: Shell, { json }: VerbOptions, { open, zone }: Looked): void {
  const entries = open?.record(ENTRIES) ?? [];
  if (json) return printJson(shell, entries);
  if (entries.length === 0) return printText(shell, "Nothing was ever changed about who may use the bot.");
  const rows = entries.map(({ at, by, change, person, was, becomes }) => [
    momentText(at, zone),
    change,
    person ?? "",
    oneLine([was, becomes].filter((value) => value !== undefined).join(" → ")),
    oneLine(`by ${by}`),
  ]);
  printText(shell, [...table(rows), "", `Times are in ${zone}.`].join("\n"));
}

function tell(
  shell: Shell,
  changed: KnownPerson | FailureValue,
  say: (person: KnownPerson) => string,
): FailureValue | void {
  if (isFailure(changed)) return changed;
  printText(shell, oneLine(say(changed)));
}

/** How a person is named beyond doubt. */
function nameOf({ id, identities }: KnownPerson): string {
  return identities.map(({ channel, userId }) => oneLine(`${channel}:${userId}`)).join(" ") || id;
}

function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

/** Opens what is there for reading; a look leaves nothing behind. */
function look(shell: Shell, use: (open: People | undefined, zone: string) => void): FailureValue | void {
  return withPeople(shell, { readOnly: true }, use);
}

/** Opens, beside a running bot too, and makes the file where there is none. */
function change(shell: Shell, use: (open: People, zone: string) => FailureValue | void): FailureValue | void {
  return withPeople(shell, { readOnly: false }, (open, zone) => open && use(open, zone));
}

function withPeople(
  shell: Shell,
  { readOnly }: { readonly readOnly: boolean },
  use: (open: People | undefined, zone: string) => FailureValue | void,
): FailureValue | void {
  const config = shellConfig(shell);
  if (isFailure(config)) return config;
  const path = peoplePath(config.dataDir);
  if (readOnly && !existsSync(path)) return use(undefined, config.zone);
  const opened = openPeople({ path, readOnly, now: Date.now, random: (into) => randomFillSync(into) });
  if (isFailure(opened)) return opened;
  using open = opened;
  return use(open, config.zone);
}
