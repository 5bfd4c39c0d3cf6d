import { type Context, type Failure, type Markup, md } from "#sdk";
import {
  type Child,
  descriptionOf,
  examplesOf,
  type Offered,
  type Offering,
  thingsToTry,
} from "./_offers.ts";
import { parameterLines } from "./_parameters.ts";

type Outcome = ReturnType<Context<["understanding"]>["understanding"]["understand"]>;
/** What the chat itself answers to. */
type Builtin = Extract<Outcome, { kind: "builtin" }>["name"];

const BUILTINS: Readonly<Record<Builtin, string>> = {
  help: "What you can ask for; “/help http” says more about one command",
  tree: "Who does the work, and whether they are there",
  last: "My last reply once more",
  cancel: "Drop the question that is open, or else what I am working on for you",
  start: "What this is",
};

/** What is shown above the first prompt. */
export function greeting(map: Offering): Markup {
  return lines(...tryLines(map), md`/help lists all that I can do, Ctrl-D leaves.`);
}

/** /start */
export function introduction(map: Offering): Markup {
  return lines(
    md`**Hello, I am your operations desk.**`,
    md`Ask me in plain words. I work out who can do it, pass it on and bring you the answer.`,
    md``,
    ...tryLines(map),
    md`/help lists all that I can do, /tree shows who does it.`,
  );
}

function tryLines(map: Offering): Markup[] {
  const examples = thingsToTry(map);
  if (examples.length === 0) return [md`Nobody is here yet who could do something. Look again with /tree.`];
  return [md`Try one of these:`, ...examples.map((example) => md`• ${example}`)];
}

/** /help: every command in one line, by who offers it; with a command's name, what that one takes. */
export function help(map: Offering, topic: string): Markup {
  const wanted = topic.trim().replace(/^\//u, "").toLowerCase();
  if (wanted === "") return helpOnAll(map);
  const command = map.commands.find(({ name }) => name === wanted.replaceAll(/[\s-]+/gu, "_"));
  return command ? helpOnOne(command) : md`There is no command “${wanted}”. /help lists what there is.`;
}

function helpOnAll({ commands, children }: Offering): Markup {
  const whoOffers = ({ name }: Offered): readonly Child[] =>
    children.filter((child) => child.commands.includes(name));
  // What several offer together is one command, told once.
  const groups = children
    .map((child) => commands.filter((command) => whoOffers(command)[0] === child))
    .filter((offered) => offered.length > 0)
    .map((offered) => {
      const by = children.filter((child) => offered.some((command) => whoOffers(command).includes(child)));
      return lines(heading(by), ...offered.map(commandLine), md``);
    });
  return lines(
    ...groups,
    md`**Always**`,
    ...Object.entries(BUILTINS).map(([name, does]) => md`\`/${name}\` ${does}`),
    md``,
    md`Plain words do as well as commands.`,
  );
}

function heading(by: readonly Child[]): Markup {
  const names = by.map(({ name }) => name).join(", ");
  const isThere = by.some(({ state }) => state === "online");
  return isThere ? md`**${names}**` : md`**${names}** (offline just now)`;
}

function commandLine(command: Offered): Markup {
  const [example] = examplesOf(command);
  const line = md`\`/${command.name}\` ${descriptionOf(command)}`;
  return example === undefined ? line : md`${line}\n    _${example}_`;
}

const MOST_EXAMPLES = 5;

function helpOnOne(command: Offered): Markup {
  const parameters = parameterLines(command);
  const examples = examplesOf(command);
  return lines(
    md`\`/${command.name}\` ${descriptionOf(command)}`,
    ...(parameters.length === 0 ? [md`It takes nothing.`] : [md``, md`**It takes**`]),
    ...parameters.map(({ name, words }) => md`• \`${name}\`: ${words}`),
    ...(examples.length === 0 ? [] : [md``, md`**Say for example**`]),
    ...examples.slice(0, MOST_EXAMPLES).map((example) => md`• ${example}`),
  );
}

/** /tree: the root and its children, and how to start one that is not there. What stands below them is theirs to know. */
export function tree({ children }: Offering): Markup {
  return lines(...treeLines(children));
}

function treeLines(children: readonly Child[]): Markup[] {
  if (children.length === 0)
    return [md`**root** has no children: nobody can do anything yet. See \`voxtree tree\`.`];
  return [
    md`**root**`,
    ...children.flatMap(({ name, state, commands }, i) => {
      const isLast = i === children.length - 1;
      const branch = isLast ? "└─" : "├─";
      const offers =
        commands.length === 0 ? "no commands" : commands.map((command) => `/${command}`).join(" ");
      if (state === "online") return [md`${branch} **${name}** ● ${offers}`];
      return [
        md`${branch} **${name}** ○ ${state} ${offers}`,
        md`${isLast ? "  " : "│ "} Start it by \`npm run agent -- ${name}\``,
      ];
    }),
  ];
}

/** /cancel */
export function cancelled(count: number): string {
  if (count === 0) return "There is nothing of yours in work. Ask me something, or see /help.";
  return count === 1 ? "I have cancelled your request." : `I have cancelled your ${count} requests.`;
}

export const NOTHING_YET = "I have not said anything here yet. Ask me something, or see /help.";

/**
 * A failure as a reply: what happened, and what to do about it. `request` asks for the same once more, which is offered
 * of nothing that may have changed something already.
 */
export function failed(
  { failure, text, retryable }: Failure,
  { request, effect }: { readonly request: string; readonly effect: Offered["effect"] | undefined },
): {
  text: Markup;
  verdict: "inconclusive";
  buttons?: { label: string; say: string }[];
} {
  const base = { verdict: "inconclusive" as const };
  const mayBeDone = failure === "E_TIMEOUT" && effect !== "read";
  if (retryable !== true || mayBeDone || request.length > 1000) return { ...base, text: md`${text}` };
  return {
    ...base,
    text: lines(md`${text}`, md`Once more: \`${request}\``),
    buttons: [{ label: "Try again", say: request }],
  };
}

function lines(...parts: readonly Markup[]): Markup {
  return { markup: parts.flatMap((part, i) => (i === 0 ? part : md`\n${part}`).markup) };
}
