import type { ParameterKind } from "../sdk/parameter-kind.ts";
import { convert, convertWord, type EntitiesAt, findChoices, type Found, indexByStart } from "./convert.ts";
import { createClaims, type Claims, type Entity } from "./entity.ts";
import { MAX_LENGTH } from "./extract.ts";
import type { Parameter } from "./parameters.ts";

export interface FillOptions {
  /** What the command takes, as readParameters reads it from its JSON Schema. */
  readonly parameters: readonly Parameter[];
  readonly text: string;
  /** What extractEntities found in the text. */
  readonly entities: readonly Entity[];
  /** Whether every word is meant for a parameter, as behind a slash command; then free text fills in order, too. */
  readonly isPositional?: boolean;
}

/** The parameters that a text gives. */
export interface Filled {
  readonly values: Readonly<Record<string, unknown>>;
  /** Required parameters that the text does not give. */
  readonly missing: readonly string[];
  /** Required parameters for which it gives several values. */
  readonly ambiguous: readonly { readonly name: string; readonly candidates: readonly Found[] }[];
  /** What is left of the text. */
  readonly rest: string;
}

/** The kinds that are recognised by themselves, the more particular before the more general. */
const BY_TYPE: readonly ParameterKind[] = [
  "url",
  "email",
  "host",
  "port",
  "when",
  "duration",
  "choice",
  "quoted",
  "number",
  "text",
];

/**
 * Fills a command's parameters from a text: those that are named in it ("timeout 5s", "expect=404"), then required ones by
 * their type, several of one type in the order in which they stand. Optional parameters stay out unless they are named.
 */
export function fillParameters(options: FillOptions): Filled {
  const { parameters, text, entities, isPositional = false } = options;
  const claims = createClaims(text.length);
  const reading = createReading(text, { entities, claims });
  const values = new Map<string, unknown>();
  const ambiguous: { name: string; candidates: readonly Found[] }[] = [];
  const open = (kind?: ParameterKind): Parameter[] =>
    parameters.filter(
      (parameter) =>
        parameter.isRequired &&
        !values.has(parameter.name) &&
        !ambiguous.some(({ name }) => name === parameter.name) &&
        (kind === undefined || parameter.kind === kind),
    );

  for (const parameter of parameters) {
    const named = findNamed(parameter, reading);
    if (named !== undefined) values.set(parameter.name, named);
  }
  for (const kind of BY_TYPE) {
    const wanting = open(kind);
    const [first] = wanting;
    if (!first) continue;
    const found = candidates(first, reading);
    const list = wanting.find(({ isList }) => isList);
    if (list && found.length > 0) {
      take(claims, found);
      values.set(
        list.name,
        found.map(({ value }) => value),
      );
    } else if (found.length > wanting.length) {
      for (const { name } of wanting) ambiguous.push({ name, candidates: found });
    } else {
      for (const [i, one] of found.entries()) {
        take(claims, [one]);
        values.set(wanting[i]?.name ?? "", one.value);
      }
    }
  }
  fillSelfNamed(parameters, { entities, claims, values });
  if (isPositional) fillByPosition(parameters, { ...reading, values, isRequired: true });
  if (isPositional) fillByPosition(parameters, { ...reading, values, isRequired: false });

  for (const parameter of parameters) {
    if (parameter.kind !== "rest" || values.has(parameter.name)) continue;
    if (!parameter.isRequired && !isPositional) continue;
    const quoted = candidates(parameter, reading);
    const left = quoted.length === 1 ? quoted[0]?.value : leftOver(text, claims);
    if (left === "") continue;
    values.set(parameter.name, left);
    claims.claim(0, text.length);
  }
  return {
    values: Object.fromEntries(
      parameters.filter(({ name }) => values.has(name)).map(({ name }) => [name, values.get(name)]),
    ),
    missing: open().map(({ name }) => name),
    ambiguous,
    rest: leftOver(text, claims),
  };
}

interface Reading {
  readonly text: string;
  /** The part of it that is searched. */
  readonly head: string;
  readonly entities: readonly Entity[];
  readonly at: EntitiesAt;
  readonly claims: Claims;
  /** The end of the bare word that stands at an offset of the head. */
  wordEnd(at: number): number;
}

const NO_WORD = /[\s"“„«`']/u;

/** Looks at what is behind the part that is searched only when everything left over is asked for. */
function createReading(
  text: string,
  { entities, claims }: { readonly entities: readonly Entity[]; readonly claims: Claims },
): Reading {
  const head = text.slice(0, MAX_LENGTH);
  let ends: Int32Array | undefined;
  return {
    text,
    head,
    entities,
    at: indexByStart(entities),
    claims,
    wordEnd(at) {
      if (!ends) {
        ends = new Int32Array(head.length + 1).fill(head.length);
        for (let i = head.length - 1; i >= 0; i--) {
          ends[i] = NO_WORD.test(head[i] ?? "") ? i : (ends[i + 1] ?? 0);
        }
      }
      return ends[at] ?? at;
    },
  };
}

/** Values that could fill a parameter, each once: of its own kind, or else those that can be made from others. */
function candidates(parameter: Parameter, { head, entities, at, claims }: Reading): Found[] {
  const all =
    parameter.kind === "choice"
      ? findChoices(head, parameter).filter(({ start, end }) => claims.isFree(start, end))
      : entities.flatMap((entity) => {
          // A URL that has already given its host may still give its port.
          const isFree =
            claims.isFree(entity.start, entity.end) || (parameter.kind === "port" && entity.kind === "url");
          return (isFree && convert(entity, parameter, at)) || [];
        });
  const exact = all.filter(({ isExact }) => isExact);
  const seen = new Set<unknown>();
  return (exact.length > 0 ? exact : all)
    .sort((a, b) => a.start - b.start)
    .filter(({ value }) => !seen.has(value) && seen.add(value));
}

function take(claims: Claims, found: readonly Found[]): void {
  for (const { start, end } of found) claims.claim(start, end);
}

/** The value that stands behind a parameter's name; of a list all that follow, as in "hosts=a.example, b.example". */
function findNamed(parameter: Parameter, reading: Reading): unknown {
  const { head, at, claims } = reading;
  const choices = Map.groupBy(findChoices(head, parameter), (found) => found.start);
  const typedAt = (start: number): Found | undefined => {
    for (const entity of at(start)) {
      const found = convert(entity, parameter, at);
      if (found) return found;
    }
    return choices.get(start)?.[0];
  };

  for (const match of head.matchAll(parameter.calledBy)) {
    const start = match.index + match[0].length;
    const isAssigned = match[1] !== undefined;
    const found = typedAt(start) ?? (isAssigned ? wordAt(start, parameter, reading) : undefined);
    if (!found || !claims.isFree(match.index, found.end)) continue;
    claims.claim(match.index, found.end);
    if (!parameter.isList) return found.value;
    const values = [found.value];
    for (let end = found.end; ;) {
      const gap = head.slice(end, end + 20).match(/^\s*(?:,\s*(?:and|und)?|and|und)\s*/iu)?.[0].length;
      const next = gap === undefined ? undefined : typedAt(end + gap);
      if (!next || !claims.isFree(end, next.end)) return values;
      claims.claim(end, next.end);
      values.push(next.value);
      ({ end } = next);
    }
  }
  return undefined;
}

function wordAt(start: number, parameter: Parameter, { head, wordEnd }: Reading): Found | undefined {
  const end = wordEnd(start);
  const word = head.slice(start, end);
  const value = word === "" ? undefined : convertWord(word, parameter);
  return value === undefined ? undefined : { value, label: word, start, end, isExact: false };
}

interface Filling {
  readonly entities: readonly Entity[];
  readonly claims: Claims;
  readonly values: Map<string, unknown>;
}

/** A port, and a distance in time, say themselves what they are, so that they fill an optional parameter, too. */
function fillSelfNamed(parameters: readonly Parameter[], { entities, claims, values }: Filling): void {
  const every = parameters.find(({ name, kind }) => kind === "duration" && /^every(?:$|[_A-Z])/u.test(name));
  if (every && !every.isRequired && !values.has(every.name)) {
    const [only, ...others] = entities.filter(
      (entity) => entity.kind === "duration" && entity.isEach && claims.isFree(entity.start, entity.end),
    );
    if (only && others.length === 0) {
      claims.claim(only.start, only.end);
      values.set(every.name, inPlace(every, only.value));
    }
  }
  for (const parameter of parameters) {
    if (parameter.kind !== "port" || parameter.isRequired || values.has(parameter.name)) continue;
    const ports = entities.filter(({ kind, start, end }) => kind === "port" && claims.isFree(start, end));
    const [only] = ports;
    if (!only || ports.length > 1) continue;
    claims.claim(only.start, only.end);
    values.set(parameter.name, inPlace(parameter, only.value));
  }
}

/** One value as a parameter takes it. */
function inPlace({ isList }: Parameter, value: unknown): unknown {
  return isList ? [value] : value;
}

/** Gives what is left, in order, to the parameters that have nothing yet; the last free text takes all of it. */
function fillByPosition(
  parameters: readonly Parameter[],
  reading: Reading & Filling & { readonly isRequired: boolean },
): void {
  const { text, head, claims, values, isRequired } = reading;
  const words = [...head.matchAll(/\S+/gu)];
  // What is claimed stays claimed, so the first free word only moves on.
  let next = 0;
  const hasRest = parameters.some(({ kind }) => kind === "rest");
  const wanting = parameters.filter(
    (parameter) =>
      parameter.isRequired === isRequired && !values.has(parameter.name) && parameter.kind !== "rest",
  );
  for (const [i, parameter] of wanting.entries()) {
    const typed = isRequired ? undefined : candidates(parameter, reading).find(({ isExact }) => isExact);
    const isLastText =
      parameter.kind === "text" && !hasRest && !wanting.slice(i + 1).some(({ kind }) => kind === "text");
    if (typed) {
      claims.claim(typed.start, typed.end);
      values.set(parameter.name, inPlace(parameter, typed.value));
    } else if (isLastText) {
      const left = leftOver(text, claims);
      if (left === "") continue;
      claims.claim(0, text.length);
      values.set(parameter.name, inPlace(parameter, left));
    } else {
      const isTaken = ({ 0: { length }, index }: RegExpExecArray): boolean =>
        !claims.isFree(index, index + length);
      for (let word = words[next]; word && isTaken(word); word = words[next]) next++;
      const word = words[next];
      const value = word && convertWord(word[0], parameter);
      if (!word || value === undefined) continue;
      claims.claim(word.index, word.index + word[0].length);
      values.set(parameter.name, inPlace(parameter, value));
    }
  }
}

/** What nobody has claimed, with its line breaks; where something was cut out, one space stands. */
function leftOver(text: string, claims: Claims): string {
  const left: string[] = [];
  let isCut = false;
  for (let i = 0; i < text.length; i++) {
    if (!claims.isFree(i, i + 1)) {
      isCut = true;
      continue;
    }
    const character = text[i] ?? "";
    if (isCut) {
      const isBehindSpace = /^\s?$/u.test(left.at(-1) ?? "");
      if (character === " " && isBehindSpace) continue;
      if (!isBehindSpace && /[\p{L}\p{N}]/u.test(character)) left.push(" ");
    }
    left.push(character);
    isCut = false;
  }
  return left.join("").trim();
}
