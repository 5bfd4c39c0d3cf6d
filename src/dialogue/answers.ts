import { extractEntities, type Filled, fillParameters } from "../intent/index.ts";
import type { KnownCommand } from "./command-map.ts";
import type { Understood } from "./outcome.ts";
import {
  advance,
  askFor,
  askWhich,
  button,
  commandButton,
  draftFrom,
  parameterOf,
  requestWithin,
  run,
  toOptions,
  withoutQuestion,
} from "./request.ts";
import type { DialogueState, OpenQuestion, ParameterQuestion } from "./state.ts";
import type { Surroundings } from "./world.ts";
import { cutOut, isOneOf, matchOption, onlyFillers, plain, type Said, withoutFillers } from "./words.ts";

/**
 * Reads a text as the answer to an open question. Gives undefined when it is not one and the text clearly asks for
 * something else: then it is read as new words, and the question is over.
 */
export function answer(
  said: Said,
  state: DialogueState & { question: OpenQuestion },
  world: Surroundings,
): Understood | undefined {
  const { text } = said;
  const { question } = state;
  const { texts } = world;
  const closed = withoutQuestion(state);
  if (isOneOf(said, texts.cancelWords) || /^\s*\/cancel\b/iu.test(text)) {
    return { outcome: { kind: "closed", text: texts.dropped() }, state: closed };
  }
  if (text.trimStart().startsWith("/") && /^\s*\/[\p{L}_]/u.test(text)) return undefined;
  // A call for help is no answer to anything.
  if (isOneOf(said, texts.helpWords)) return undefined;
  if (question.kind === "choice") return answerChoice(said, { state, question }, world);
  if (question.kind === "confirmation") return answerConfirmation(said, { state, question }, world);
  return answerParameter(said, { state, question }, world);
}

interface Asked<K extends OpenQuestion["kind"]> {
  readonly state: DialogueState;
  readonly question: Extract<OpenQuestion, { kind: K }>;
}

function answerChoice(
  said: Said,
  { state, question }: Asked<"choice">,
  world: Surroundings,
): Understood | undefined {
  const { texts, map } = world;
  const known = question.options.filter((name) => map.get(name));
  const labels = [
    ...known.map((name) => [commandButton(name, world).say, name, `/${name}`, name.replaceAll("_", " ")]),
    [texts.none],
  ];
  const picked = pickOf(said, labels, world);
  if (picked === known.length)
    return { outcome: { kind: "closed", text: texts.noneOfThese() }, state: withoutQuestion(state) };
  const command = picked === undefined ? undefined : map.get(known[picked] ?? "");
  if (command) return advance(draftFrom(command, question, world), withoutQuestion(state), world);
  if (firesElse(said.text, undefined, world)) return undefined;
  const again = askWhich(
    {
      names: known,
      text: texts.pickAgain(known.length + 1),
      words: question.text,
      isPositional: question.isPositional,
    },
    state,
    world,
  );
  return { outcome: again.outcome, state };
}

/** Which label is picked. A no picks none of them, and a yes the one command where there is but one. */
function pickOf(
  said: Said,
  labels: readonly (readonly string[])[],
  { texts }: Surroundings,
): number | undefined {
  const [none, isOnlyOne] = [labels.length - 1, labels.length === 2];
  if (isOneOf(said, [...texts.noneWords, ...texts.noWords])) return none;
  return isOnlyOne && isOneOf(said, texts.yesWords) ? 0 : matchOption(said, labels, texts);
}

function answerConfirmation(
  said: Said,
  { state, question }: Asked<"confirmation">,
  world: Surroundings,
): Understood | undefined {
  const { texts, map } = world;
  const command = map.get(question.command);
  const yes = [...texts.yesWords, plain(texts.confirmYes(question.understood))];
  const picked = said.plain === "1" || isOneOf(said, yes);
  if (command && picked) return run({ command, params: question.params, wanting: [] }, world);
  if (!command || said.plain === "2" || isOneOf(said, texts.noWords)) {
    return { outcome: { kind: "closed", text: texts.notDone() }, state: withoutQuestion(state) };
  }
  if (firesElse(said.text, undefined, world)) return undefined;
  const choices = [button(texts.confirmYes(question.understood)), button(texts.confirmNo)];
  return { outcome: { kind: "ask", text: texts.confirmAgain(question.understood), choices }, state };
}

function answerParameter(
  said: Said,
  { state, question }: Asked<"parameter">,
  world: Surroundings,
): Understood | undefined {
  const { texts, map } = world;
  const command = map.get(question.command);
  const [wanting, ...others] = question.wanting;
  const parameter = command && parameterOf(command, wanting?.name ?? "");
  if (!command || !parameter || !wanting) return undefined;

  const picked = matchOption(
    said,
    wanting.options.map(({ label }) => [label]),
    texts,
  );
  const option = picked === undefined ? undefined : wanting.options[picked];
  const request = parameter.kind === "request" ? requestWithin(said.text, world) : undefined;
  if (request) {
    const params = { ...question.params, [wanting.name]: request };
    return advance({ command, params, wanting: others }, withoutQuestion(state), world);
  }
  const read: Reading = option
    ? { values: { [wanting.name]: option.value }, isWhole: true }
    : readValues(said, { command, question, world });
  if (read.several) {
    const asked: ParameterQuestion = {
      ...question,
      wanting: [{ name: wanting.name, options: read.several }, ...others],
    };
    return { outcome: askFor(asked, command, world), state: { ...state, question: asked } };
  }
  const isRead = Object.hasOwn(read.values, wanting.name);
  if (!(isRead && read.isWhole) && firesElse(said.text, isRead ? command : undefined, world))
    return undefined;
  if (!isRead) {
    const asked = askFor(question, command, world);
    const again = texts.notThat(parameter);
    return { outcome: asked.kind === "ask" ? { ...asked, text: again } : asked, state };
  }
  const params = { ...question.params, ...read.values };
  const still = others.filter(({ name }) => !Object.hasOwn(read.values, name));
  return advance({ command, params, wanting: still }, withoutQuestion(state), world);
}

interface Reading {
  readonly values: Readonly<Record<string, unknown>>;
  /** Whether the text says nothing else. */
  readonly isWhole: boolean;
  /** Values of the parameter that is asked for, where the text names several and says nothing else. */
  readonly several?: ReturnType<typeof toOptions>;
}

type Words = Pick<Parameters<typeof fillParameters>[0], "text" | "entities">;

/** The values of the parameters that are wanting; free text is taken as it stands. */
function readValues(
  said: Said,
  { command, question, world }: { command: KnownCommand; question: ParameterQuestion; world: Surroundings },
): Reading {
  const { text } = said;
  const [first] = question.wanting;
  const name = first?.name ?? "";
  const kind = parameterOf(command, name)?.kind;
  if (kind === "text" || kind === "rest" || kind === "quoted") {
    const value = text.trim().replace(/^(["'`])(.+)\1$/su, "$2");
    return { values: { [name]: parameterOf(command, name)?.isList ? [value] : value }, isWhole: false };
  }
  const read = (names: readonly string[], words: Words, isPositional: boolean): Filled => {
    const parameters = command.parameters.filter((parameter) => names.includes(parameter.name));
    return fillParameters({ parameters, ...words, isPositional });
  };
  const words = { text, entities: extractEntities(text, world) };
  const names = question.wanting.map((wanted) => wanted.name);
  const filled = [read(names, words, false), read([name], words, false)].find(({ values }) =>
    Object.hasOwn(values, name),
  );
  if (filled) return { values: filled.values, isWhole: onlyFillers(filled.rest, world.texts.fillerWords) };
  const [ambiguous] = read([name], words, false).ambiguous;
  if (ambiguous) {
    const rest = cutOut(text, ambiguous.candidates);
    const { fillerWords, followUpWords } = world.texts;
    if (onlyFillers(rest, [...fillerWords, ...followUpWords])) {
      return { values: {}, isWhole: true, several: toOptions(ambiguous.candidates) };
    }
  }
  if (isOneOf(said, world.texts.puzzledWords)) return { values: {}, isWhole: true };
  // A bare word is an answer where it stands alone.
  const [word, ...more] = withoutFillers(text, world.texts.fillerWords);
  if (word === undefined || more.length > 0) return { values: {}, isWhole: true };
  const { values } = read([name], { text: word, entities: extractEntities(word, world) }, true);
  return { values, isWhole: true };
}

/** Whether a text clearly asks for a command; `except` one does not count. */
function firesElse(text: string, except: KnownCommand | undefined, { map }: Surroundings): boolean {
  const { zone, command } = map.classifier.classify(text);
  return zone === "fire" && command !== except?.announcement.name;
}
