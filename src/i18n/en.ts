/** What a question about a parameter can say. */
export interface Wanted {
  readonly name: string;
  readonly kind: string;
  /** The parameter's own description. */
  readonly description: string | undefined;
  readonly minimum: number;
  readonly maximum: number;
}

interface Kind {
  readonly question: string;
  readonly noun: string;
  readonly example: string;
}

const KINDS: ReadonlyMap<string, Kind> = new Map(
  Object.entries({
    url: { question: "Which web address?", noun: "web address", example: "https://example.com" },
    host: { question: "Which host?", noun: "host", example: "example.com or 192.0.2.7" },
    port: { question: "Which port?", noun: "port", example: "443" },
    email: { question: "Which e-mail address?", noun: "e-mail address", example: "ann@example.com" },
    duration: { question: "How long?", noun: "length of time", example: "5 min" },
    when: { question: "When?", noun: "time", example: "tomorrow at 9" },
    request: { question: "What shall I look at?", noun: "check", example: "is example.com up?" },
  }),
);

const FRAME_AHEAD =
  /^\s*(?:(?:please|bitte|can you|could you)\s+)*(?:(?:watch|monitor|observe|keep (?:an |your )?eyes? on|keep watching|überwache|überwach|beobachte|behalte|check)\s+)+(?:(?:that|whether|if|ob|dass)\s+)?/iu;
const FRAME_BEHIND =
  /\s*(?:[,;.]\s*)?(?:(?:and|und)\s+)?(?:(?:tell|alert|notify|warn|ping)\s+(?:me|us|the team|everybody)|let (?:me|us) know|(?:sag|melde?)\s+(?:es\s+)?(?:mir|uns)|im auge)(?:\s.*)?$/iu;
/** What is left of "every 5 min" and "alle 5 min" when the length of time has been taken out. */
const EACH = /(?<![\p{L}\p{N}])(?:every|each|once|alle|jede[nrs]?)(?![\p{L}\p{N}])/giu;

/** The bot's own words in English. One such catalogue a language; every text says what to do next. */
export const en = {
  /** Words that end a question. */
  cancelWords: [
    "cancel",
    "stop",
    "never mind",
    "nevermind",
    "forget it",
    "abort",
    "quit",
    "exit",
    "abbrechen",
  ],
  /** Words of somebody who has not understood a question; none of them is an answer. */
  puzzledWords: [
    "what",
    "which",
    "which one",
    "why",
    "how",
    "huh",
    "sorry",
    "i don't know",
    "no idea",
    "dunno",
  ],
  /** Words that answer a choice with none of them. */
  noneWords: ["none of these", "none", "neither", "none of them", "something else"],
  yesWords: ["yes", "y", "yes please", "ok", "okay", "sure", "confirm", "do it", "go ahead", "yep", "yeah"],
  noWords: ["no", "n", "nope", "no thanks", "don't", "do not"],
  /** Words that ask for the last request once more. */
  againWords: [
    "again",
    "once more",
    "repeat",
    "retry",
    "try again",
    "and again",
    "same again",
    "check again",
  ],
  /** Words that may stand around something new for the last request: "and example.org?", "what about port 22 then?". */
  followUpWords: ["and", "what", "how", "about", "now", "then", "with", "for", "on", "the", "same", "or"],
  /** Words that may stand around an answer or an address without changing it. */
  fillerWords: [
    "please",
    "pls",
    "it",
    "is",
    "its",
    "it's",
    "use",
    "take",
    "the",
    "on",
    "at",
    "in",
    "hm",
    "well",
    "ok",
  ],
  greetWords: [
    "hello",
    "hello there",
    "hi",
    "hi there",
    "hey",
    "hey there",
    "good morning",
    "good afternoon",
    "good evening",
    "good day",
  ],
  thankWords: [
    "thanks",
    "thank you",
    "thanks a lot",
    "thank you very much",
    "many thanks",
    "thx",
    "ty",
    "cheers",
  ],
  helpWords: ["help", "help me", "what can you do", "what can i ask"],
  ordinals: ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"],

  /** What a request within another one says, without the words that frame it: "watch that … and tell us here". */
  withoutFrame: (text: string): string =>
    text
      .replace(FRAME_AHEAD, "")
      .replace(FRAME_BEHIND, "")
      .replaceAll(EACH, " ")
      .replace(/^[\s,:"“”„]+|[\s,."“”]+$/gu, ""),

  none: "None of these",
  whichCommand: (count: number): string =>
    count === 1
      ? "I am not sure that I understand. Do you mean this?"
      : "I am not sure which of these you mean. Pick one:",
  whichInGroup: (prefix: string): string => `/${prefix} has these commands. Pick one:`,
  pickAgain: (count: number): string =>
    `That is not one of the choices. Send a number from 1 to ${count}, or “cancel”.`,
  noneOfThese: (): string =>
    "All right, none of these. Say it in other words, or see /help for what I can do.",
  welcome: (): string => "You are welcome.",
  dropped: (): string => "All right, I have dropped that question. Ask me something else, or see /help.",

  askParameter(wanted: Wanted): string {
    const known = KINDS.get(wanted.kind);
    if (known) return `${known.question} For example ${known.example}. Say “cancel” to drop this.`;
    const about = wanted.description === undefined ? "" : ` (${wanted.description})`;
    return `What is the ${spaced(wanted.name)}?${about}${range(wanted)} Say “cancel” to drop this.`;
  },
  pickParameter: (wanted: Wanted): string => `You named several. Which ${nounOf(wanted)} do you mean?`,
  chooseParameter: (wanted: Wanted): string => `Which ${spaced(wanted.name)}? Pick one:`,
  notThat(wanted: Wanted): string {
    const known = KINDS.get(wanted.kind);
    if (known) return `I see no ${known.noun} in that. Send something like ${known.example}, or “cancel”.`;
    return `I cannot read the ${spaced(wanted.name)} from that.${range(wanted)} Say “cancel” to drop this.`;
  },
  doesNotFit(words: string, wanted: Wanted): string {
    const about = wanted.description === undefined ? "" : ` for ${wanted.description}`;
    return `“${words}” does not fit${about}.${range(wanted)} Say it again with another value.`;
  },
  notTaken: (name: string, command: string): string =>
    `/${command} does not take “${name}”. “/help ${command}” lists what it takes.`,
  cannotFill: (name: string, command: string): string =>
    `“${spaced(name)}” cannot be given in words, so /${command} cannot be asked for here. Its role file must take simpler parameters.`,

  confirm: (description: string, understood: string): string =>
    `This cannot be undone: ${lowerFirst(description)}.\n${understood}\nShall I do it? Say “yes” or “no”.`,
  confirmAgain: (understood: string): string => `I wait for a “yes” or a “no” to this: ${understood}`,
  confirmYes: (understood: string): string => `Yes, ${understood}`,
  confirmNo: "No",
  notDone: (): string => "All right, I have not done it.",
  nothingAsked: (): string => "There is no question open. Tell me what to do, or see /help.",

  outOfScope: (examples: readonly string[]): string => `I cannot help with that. ${canDo(examples)}`,
  empty: (examples: readonly string[]): string => `That was empty. ${canDo(examples)}`,
  unknownSlash: (word: string, suggestion: string | undefined): string =>
    suggestion === undefined
      ? `There is no command /${word}. See /help for what there is.`
      : `There is no command /${word}. Did you mean /${suggestion}? See /help for what there is.`,
} as const;

/** The bot's own words in one language. */
export type Catalogue = typeof en;

function canDo(examples: readonly string[]): string {
  if (examples.length === 0) return "Nothing that I could do is running just now; see /tree.";
  const lines = examples.map((example) => `• ${example}`);
  return `Try one of these:\n${lines.join("\n")}\n/help lists all that I can do.`;
}

function nounOf({ kind, name }: Wanted): string {
  return KINDS.get(kind)?.noun ?? spaced(name);
}

function range({ minimum, maximum }: Wanted): string {
  const low = minimum > -2_147_483_648;
  const high = maximum < 2_147_483_648;
  if (low && high) return ` A number from ${minimum} to ${maximum}.`;
  if (low) return ` A number from ${minimum}.`;
  return high ? ` A number up to ${maximum}.` : "";
}

function spaced(name: string): string {
  return name
    .replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, " ")
    .replaceAll(/[_-]+/gu, " ")
    .toLowerCase();
}

function lowerFirst(text: string): string {
  return text.replace(/^\p{Lu}(?=\p{Ll})/u, (first) => first.toLowerCase()).replace(/\.$/u, "");
}
