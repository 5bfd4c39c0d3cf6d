import { extractEntities, fillParameters, type Found, type Parameter, parseSlash } from "../intent/index.ts";
import type { Catalogue } from "../i18n/index.ts";
import type { Button } from "../sdk/reply.ts";
import type { KnownCommand } from "./command-map.ts";
import type { Understood } from "./outcome.ts";
import { spellRequest } from "./spell.ts";
import type { DialogueState, ParameterQuestion } from "./state.ts";
import { cutOut, onlyFillers } from "./words.ts";
import type { Surroundings } from "./world.ts";

type Wanting = ParameterQuestion["wanting"][number];

/** What a command's request says so far. */
export interface Draft {
  readonly command: KnownCommand;
  readonly params: Readonly<Record<string, unknown>>;
  /** Parameters to ask for, with what there is to choose from. */
  readonly wanting: readonly Wanting[];
  /** Words that set a parameter ("expect=9999") and could not be read. */
  readonly unread?: string | undefined;
}

/** Drafts a request for a command from the words that ask for it. */
export function draftFrom(
  command: KnownCommand,
  words: { readonly text: string; readonly isPositional: boolean },
  world: Surroundings,
): Draft {
  const needsClock = command.parameters.some(({ kind }) => kind === "when");
  const later = command.parameters.find(({ kind }) => kind === "request");
  const filled = fillParameters({
    parameters: command.parameters.filter((parameter) => parameter !== later),
    text: words.text,
    // What the words say beyond the parameters is another request's, whatever its place.
    isPositional: words.isPositional && !later,
    entities: extractEntities(words.text, needsClock ? world : undefined),
  });
  const request = later && requestWithin(filled.rest, world);
  const missing = later && !request ? [...filled.missing, later.name] : filled.missing;
  const several = new Map(filled.ambiguous.map(({ name, candidates }) => [name, toOptions(candidates)]));
  const wanting = command.parameters
    .filter(({ name }) => several.has(name) || missing.includes(name))
    .map(({ name, choices }) => ({
      name,
      options: several.get(name) ?? choices.map((choice) => ({ label: String(choice), value: choice })),
    }));
  if (!later) return { command, params: filled.values, wanting, unread: findAssignment(filled.rest) };
  return { command, params: request ? { ...filled.values, [later.name]: request } : filled.values, wanting };
}

/**
 * The request that a text asks for, where it is a part of another one ("watch https://example.com"): a command that only
 * looks, with all that it takes. Undefined when none is clear.
 */
export function requestWithin(text: string, world: Surroundings): RequestWithin | undefined {
  const { map, texts } = world;
  const words = texts.withoutFrame(text);
  const fit = (
    command: KnownCommand | undefined,
    said: string,
    isPositional: boolean,
  ): RequestWithin | undefined => {
    if (command?.announcement.effect !== "read" || takesRequest(command)) return undefined;
    const draft = draftFrom(command, { text: said, isPositional }, world);
    if (draft.wanting.length > 0 || draft.unread !== undefined) return undefined;
    const { name } = command.announcement;
    return {
      command: name,
      params: draft.params,
      words: spellRequest(name, draft.params, command.parameters),
    };
  };
  const slash = parseSlash(words.startsWith("/") ? words : `/${words}`, map.names);
  if (slash?.kind === "command") {
    const asked = fit(map.get(slash.name), slash.args, true);
    if (asked) return asked;
  }
  const entities = extractEntities(words);
  const isAddress = onlyFillers(cutOut(words, entities), texts.fillerWords);
  const { candidates } = map.classifier.classify(words);
  const likely = candidates.find(({ command }) => map.get(command)?.announcement.effect === "read");
  const fitting = map.commands.filter(({ parameters }) =>
    parameters.some(({ isRequired, kind }) => isRequired && entities.some((entity) => entity.kind === kind)),
  );
  if (isAddress) return onlyOne(fitting.flatMap((command) => fit(command, words, false) ?? []));
  return likely && likely.score >= WORTH_ASKING ? fit(map.get(likely.command), words, false) : undefined;
}

/** What a role asks for later. */
export interface RequestWithin {
  readonly command: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The same as a slash command. */
  readonly words: string;
}

/** Of what is within another request, a command that scores less is not clear enough. */
const WORTH_ASKING = 0.3;

function takesRequest({ parameters }: KnownCommand): boolean {
  return parameters.some(({ kind }) => kind === "request");
}

function onlyOne<T>(all: readonly T[]): T | undefined {
  return all.length === 1 ? all[0] : undefined;
}

/** The first word of what is left of a text that sets a parameter by its name. */
function findAssignment(rest: string): string | undefined {
  return rest.split(/\s+/u).find((word) => /^(?:--)?\p{L}[\p{L}\p{N}_-]*=/u.test(word));
}

/** Carries a request on: asks for what is missing, then for a confirmation where the command destroys something, then runs it. */
export function advance(draft: Draft, state: DialogueState, world: Surroundings): Understood {
  const { command, params, wanting } = draft;
  const { name, effect } = command.announcement;
  const { texts } = world;
  if (draft.unread !== undefined) {
    return {
      outcome: { kind: "refuse", text: misfit(draft.unread, command, texts) },
      state: withoutQuestion(state),
    };
  }
  const unfillable = wanting.find((wanted) => parameterOf(command, wanted.name)?.kind === "other");
  if (unfillable) {
    return {
      outcome: { kind: "refuse", text: texts.cannotFill(unfillable.name, name) },
      state: withoutQuestion(state),
    };
  }
  const [first, ...others] = wanting;
  if (first) {
    const question = {
      kind: "parameter" as const,
      askedAt: world.now.getTime(),
      command: name,
      params: { ...params },
      wanting: [first, ...others],
    };
    return { outcome: askFor(question, command, world), state: { ...state, question } };
  }
  const understood = spellRequest(name, params, command.parameters);
  if (effect === "destroy") {
    const question = {
      kind: "confirmation" as const,
      askedAt: world.now.getTime(),
      command: name,
      params: { ...params },
      understood,
    };
    const choices = [button(texts.confirmYes(understood)), button(texts.confirmNo)];
    return {
      outcome: { kind: "ask", text: texts.confirm(command.description, understood), choices },
      state: { ...state, question },
    };
  }
  return run(draft, world);
}

function misfit(words: string, { announcement, parameters }: KnownCommand, texts: Catalogue): string {
  const [name = ""] = words.replace(/^--/u, "").split("=");
  const parameter = parameters.find((each) => each.name.toLowerCase() === name.toLowerCase());
  return parameter ? texts.doesNotFit(words, parameter) : texts.notTaken(name, announcement.name);
}

/** The request itself, with nothing left to ask. */
export function run({ command, params }: Draft, world: Surroundings): Understood {
  const { name } = command.announcement;
  return {
    outcome: {
      kind: "run",
      command: name,
      params,
      understood: spellRequest(name, params, command.parameters),
    },
    state: { last: { command: name, params: { ...params }, at: world.now.getTime() } },
  };
}

/** Asks which of several commands is meant. */
export function askWhich(
  asked: {
    readonly names: readonly string[];
    readonly text: string;
    readonly words: string;
    readonly isPositional: boolean;
  },
  state: DialogueState,
  world: Surroundings,
): Understood {
  const question = {
    kind: "choice" as const,
    askedAt: world.now.getTime(),
    options: [...asked.names],
    text: asked.words,
    isPositional: asked.isPositional,
  };
  const choices = [...asked.names.map((name) => commandButton(name, world)), button(world.texts.none)];
  return { outcome: { kind: "ask", text: asked.text, choices }, state: { ...state, question } };
}

/** The button that stands for a command: its description, which asks for it even when the question is long gone. */
export function commandButton(name: string, { map }: Surroundings): Button {
  return button(map.get(name)?.description ?? `/${name}`);
}

/** The question for the first parameter that is wanting. */
export function askFor(
  question: ParameterQuestion,
  command: KnownCommand,
  world: Surroundings,
): Understood["outcome"] {
  const [wanting] = question.wanting;
  const parameter = parameterOf(command, wanting?.name ?? "");
  const { texts } = world;
  if (!wanting || !parameter) return { kind: "refuse", text: texts.nothingAsked() };
  const choices = wanting.options.map(({ label }) => button(label));
  if (choices.length === 0) return { kind: "ask", text: texts.askParameter(parameter), choices };
  const text =
    parameter.choices.length > 0 ? texts.chooseParameter(parameter) : texts.pickParameter(parameter);
  return { kind: "ask", text, choices };
}

export function parameterOf(command: KnownCommand, name: string): Parameter | undefined {
  return command.parameters.find((parameter) => parameter.name === name);
}

export function withoutQuestion({ last }: DialogueState): DialogueState {
  return last === undefined ? {} : { last };
}

const LONGEST_LABEL = 64;

/** At most so many characters, ended after a word where there is one to end after. */
function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  const cut = text.slice(0, length - 1);
  const end = text[length - 1] === " " ? cut.length : cut.lastIndexOf(" ");
  return `${(end > length / 2 ? cut.slice(0, end) : cut).replace(/[\s,;:.(]+$/u, "")}…`;
}

export function button(text: string): Button {
  return { label: shorten(text, LONGEST_LABEL), say: text.slice(0, 1000) };
}

/** Values that were found, to choose from. */
export function toOptions(found: readonly Found[]): Wanting["options"] {
  return found.map(({ label, value }) => ({ label, value }));
}
