import { type Entity, extractEntities, fillParameters, parseSlash } from "../intent/index.ts";
import { BUILTIN_NAMES, type BuiltinName } from "../sdk/builtin-names.ts";
import { answer } from "./answers.ts";
import { thingsToTry, type KnownCommand } from "./command-map.ts";
import type { Understood } from "./outcome.ts";
import { advance, askWhich, draftFrom, withoutQuestion } from "./request.ts";
import { type DialogueState, MEMORY_MS } from "./state.ts";
import { cutOut, isOneOf, onlyFillers, readSaid, type Said } from "./words.ts";
import { type Surroundings, surroundings, type World } from "./world.ts";

/** A command that scores less is not worth a button. */
const WORTH_OFFERING = 0.1;
const MOST_ADDRESSES = 20;

/**
 * Decides what a person's words ask for, in the light of what was said before in the same chat. Pure: the same words,
 * state and world give the same outcome.
 */
export function understand(text: string, state: DialogueState, outside: World): Understood {
  const world = surroundings(outside);
  const fresh = withoutOld(state, world);
  if (text.trim() === "") {
    return { outcome: { kind: "empty", text: world.texts.empty(thingsToTry(world.map)) }, state: fresh };
  }
  const said = readSaid(text);
  const { question } = fresh;
  const answered = question && answer(said, { ...fresh, question }, world);
  return answered ?? begin(said, fresh, world);
}

function withoutOld({ question, last }: DialogueState, { now }: Surroundings): DialogueState {
  const isFresh = (at: number): boolean => now.getTime() - at < MEMORY_MS;
  return {
    ...(question && isFresh(question.askedAt) ? { question } : {}),
    ...(last && isFresh(last.at) ? { last } : {}),
  };
}

function begin(said: Said, state: DialogueState, world: Surroundings): Understood {
  const closed = withoutQuestion(state);
  return (
    readSlash(said.text, state, world) ??
    readPlainBuiltin(said, closed, world) ??
    readBareName(said, closed, world) ??
    readFollowUp(said, closed, world) ??
    readBareAddress(said.text, closed, world) ??
    readFreeText(said, closed, world)
  );
}

function readSlash(text: string, state: DialogueState, world: Surroundings): Understood | undefined {
  const { map, texts } = world;
  const names = [...BUILTIN_NAMES, ...map.names.filter((name) => !isBuiltin(name))];
  const slash = parseSlash(text, names);
  if (!slash) return undefined;
  const closed = withoutQuestion(state);
  if (slash.kind === "unknown") {
    // A slip of the finger does not end a question.
    return { outcome: { kind: "refuse", text: texts.unknownSlash(slash.word, slash.suggestion) }, state };
  }
  if (slash.kind === "group") {
    const words = text.trim().replace(/^\/\S+\s*/u, "");
    const asked = { names: slash.names, text: texts.whichInGroup(slash.prefix), words, isPositional: true };
    return askWhich(asked, closed, world);
  }
  const { name, args } = slash;
  if (isBuiltin(name)) return { outcome: { kind: "builtin", name, argument: args }, state: closed };
  const command = map.get(name);
  return command && advance(draftFrom(command, { text: args, isPositional: true }, world), closed, world);
}

function isBuiltin(name: string): name is BuiltinName {
  return (BUILTIN_NAMES as readonly string[]).includes(name);
}

/** What people say to anybody: a greeting, thanks, a call for help. */
function readPlainBuiltin(said: Said, state: DialogueState, { texts }: Surroundings): Understood | undefined {
  if (isOneOf(said, texts.thankWords)) return { outcome: { kind: "closed", text: texts.welcome() }, state };
  const phrases = { start: texts.greetWords, help: texts.helpWords, cancel: texts.cancelWords } as const;
  const name = (["start", "help", "cancel"] as const).find((each) => isOneOf(said, phrases[each]));
  return name && { outcome: { kind: "builtin", name, argument: "" }, state };
}

/** A command's name and nothing else does as well without its slash. */
function readBareName(said: Said, state: DialogueState, world: Surroundings): Understood | undefined {
  const command = world.map.get(said.plain.replaceAll(/[\s-]/gu, "_"));
  if (command?.announcement.effect !== "read") return undefined;
  return advance(draftFrom(command, { text: "", isPositional: true }, world), state, world);
}

/** "again", and "and example.org?": the last request once more, or with something else in its place. Only for what changes nothing. */
function readFollowUp(said: Said, state: DialogueState, world: Surroundings): Understood | undefined {
  const { text } = said;
  const { last } = state;
  const command = last && world.map.get(last.command);
  if (!last || !command) return undefined;
  if (isOneOf(said, world.texts.againWords))
    return advance({ command, params: last.params, wanting: [] }, state, world);
  if (command.announcement.effect !== "read" || !startsFollowUp(text, world)) return undefined;
  const { values, ambiguous, rest } = fillParameters({
    parameters: command.parameters,
    text,
    entities: extractEntities(text, world),
  });
  const isNew = Object.keys(values).length > 0 && ambiguous.length === 0;
  if (!isNew || !onlyFillers(rest, world.texts.followUpWords)) return undefined;
  return advance({ command, params: { ...last.params, ...values }, wanting: [] }, state, world);
}

function startsFollowUp(text: string, { texts }: Surroundings): boolean {
  const [first = ""] = text.toLowerCase().match(/[\p{L}']+/u) ?? [];
  return texts.followUpWords.some((word) => word === first);
}

/** An address and nothing else: what is asked for is the command that takes just that, if there is one. */
function readBareAddress(text: string, state: DialogueState, world: Surroundings): Understood | undefined {
  const entities = extractEntities(text);
  const isAddress = entities.some(({ kind }) => kind === "url" || kind === "host" || kind === "email");
  // Each command is tried on all of them; a list of more is no bare address.
  if (!isAddress || entities.length > MOST_ADDRESSES) return undefined;
  const rest = cutOut(text, entities);
  if (!onlyFillers(rest, world.texts.fillerWords)) return undefined;

  const fitting = world.map.commands.filter((command) => takesJust({ text, entities }, command, world));
  const exact = fitting.filter(({ parameters }) =>
    entities.every(({ kind }) => parameters.some((parameter) => parameter.kind === kind)),
  );
  const best = exact.length > 0 ? exact : fitting;
  const [only] = best;
  if (!only) return undefined;
  if (best.length === 1) return advance(draftFrom(only, { text, isPositional: false }, world), state, world);
  const names = best.slice(0, 3).map(({ announcement }) => announcement.name);
  return askWhich(
    { names, text: world.texts.whichCommand(names.length), words: text, isPositional: false },
    state,
    world,
  );
}

function takesJust(
  words: { readonly text: string; readonly entities: readonly Entity[] },
  { announcement, parameters }: KnownCommand,
  world: Surroundings,
): boolean {
  if (announcement.effect !== "read" || !parameters.some(({ isRequired }) => isRequired)) return false;
  const { missing, ambiguous, rest } = fillParameters({ parameters, ...words });
  const takesAnything = parameters.some(
    ({ kind, isRequired }) => isRequired && (kind === "rest" || kind === "text"),
  );
  return (
    !takesAnything && missing.length + ambiguous.length === 0 && onlyFillers(rest, world.texts.fillerWords)
  );
}

function readFreeText(said: Said, state: DialogueState, world: Surroundings): Understood {
  const { text } = said;
  const { map, texts } = world;
  const { zone, command: best, candidates } = map.classifier.classify(text);
  const command = map.get(best ?? "");
  if (zone === "fire" && command)
    return advance(draftFrom(command, { text, isPositional: false }, world), state, world);
  if (zone === "ask") {
    const names = candidates
      .filter(({ score }) => score >= WORTH_OFFERING)
      .map((candidate) => candidate.command);
    return askWhich(
      { names, text: texts.whichCommand(names.length), words: text, isPositional: false },
      state,
      world,
    );
  }
  if (
    isOneOf(said, [...texts.yesWords, ...texts.noWords, ...texts.noneWords]) ||
    /^\s*\d{1,2}\s*$/u.test(text)
  ) {
    return { outcome: { kind: "refuse", text: texts.nothingAsked() }, state };
  }
  const likely = candidates
    .filter(({ score }) => score >= WORTH_OFFERING)
    .map((candidate) => candidate.command);
  return { outcome: { kind: "refuse", text: texts.outOfScope(thingsToTry(map, likely)) }, state };
}
