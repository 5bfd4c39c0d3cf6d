import { urlOfHost } from "./addresses.ts";
import type { Entity } from "./entity.ts";
import { escapePattern, type Parameter } from "./parameters.ts";

/** A value that a stretch of the text could give a parameter. */
export interface Found {
  readonly value: unknown;
  /** The value as people would write it. */
  readonly label: string;
  readonly start: number;
  readonly end: number;
  /** Whether it is of the parameter's own kind, rather than made from another. */
  readonly isExact: boolean;
}

/** A name of one part, as machines have in a network of their own. Only taken where a host was asked for by name. */
const SINGLE_NAME = /^[\p{L}\p{N}](?:[\p{L}\p{N}._-]*[\p{L}\p{N}])?$/u;
const YES = /^(?:yes|true|on|1)$/iu;
const NO = /^(?:no|false|off|0)$/iu;

/** The entities that begin at an offset. */
export type EntitiesAt = (start: number) => readonly Entity[];

export function indexByStart(entities: readonly Entity[]): EntitiesAt {
  const byStart = Map.groupBy(entities, ({ start }) => start);
  return (start) => byStart.get(start) ?? [];
}

/** What an entity gives a parameter: its value, or one made from it (a URL's host, a host's URL); undefined if nothing. */
export function convert(entity: Entity, parameter: Parameter, at: EntitiesAt): Found | undefined {
  const isExact = entity.kind === parameter.kind || (entity.kind === "quoted" && isText(parameter));
  const found = (value: unknown, end = entity.end): Found => ({
    value,
    label: typeof value === "string" ? value : entity.text,
    start: entity.start,
    end,
    isExact,
  });
  switch (parameter.kind) {
    case "url": {
      if (entity.kind === "url") return found(entity.value);
      if (entity.kind !== "host") return undefined;
      const port = at(entity.end).find(({ kind }) => kind === "port");
      return port?.kind === "port" && port.attached
        ? found(urlOfHost(entity.value, port.value), port.end)
        : found(urlOfHost(entity.value));
    }
    case "host":
      if (entity.kind === "host") return found(entity.value);
      return entity.kind === "url" ? foundIf(hostOfUrl(entity.value), found) : undefined;
    case "port":
      if (entity.kind === "port") return found(entity.value);
      if (entity.kind === "url") return foundIf(portOfUrl(entity.value), found);
      return entity.kind === "number" && entity.unit === undefined && isWithin(entity.value, parameter)
        ? found(entity.value)
        : undefined;
    case "number":
      return (entity.kind === "number" || entity.kind === "port") && isWithin(entity.value, parameter)
        ? found(entity.value)
        : undefined;
    case "text":
    case "rest":
    case "quoted":
      return entity.kind === "quoted" ? found(entity.value) : undefined;
    case "email":
    case "duration":
    case "when":
      return entity.kind === parameter.kind ? found(entity.value) : undefined;
    default:
      return undefined;
  }
}

/** What one bare word gives a parameter that was named, or that the word was put in the place of. */
export function convertWord(word: string, parameter: Parameter): unknown {
  switch (parameter.kind) {
    case "text":
    case "rest":
    case "quoted":
      return word;
    case "host":
      return isSingleName(word) ? word : undefined;
    case "url":
      // A name with a dot that looked like a file's among other words.
      return isSingleName(word) && word.includes(".") ? urlOfHost(word) : undefined;
    case "flag":
      return YES.test(word) ? true : NO.test(word) ? false : undefined;
    default:
      return undefined;
  }
}

/** Where the text names one of a parameter's choices; "read only" is the choice `read_only`. */
export function findChoices(text: string, parameter: Parameter): Found[] {
  return parameter.choices.flatMap((choice) => {
    const name = String(choice)
      .split(/[\s_-]+/u)
      .map(escapePattern)
      .join(String.raw`[\s_-]+`);
    const pattern = new RegExp(String.raw`(?<![\p{L}\p{N}_-])${name}(?![\p{L}\p{N}_-])`, "giu");
    return [...text.matchAll(pattern)].map(({ 0: words, index }) => ({
      value: choice,
      label: String(choice),
      start: index,
      end: index + words.length,
      isExact: true,
    }));
  });
}

function isSingleName(word: string): boolean {
  return word.length <= 253 && SINGLE_NAME.test(word);
}

function isText({ kind }: Parameter): boolean {
  return kind === "text" || kind === "rest";
}

function foundIf<T>(value: T | undefined, found: (value: T) => Found): Found | undefined {
  return value === undefined ? undefined : found(value);
}

function hostOfUrl(url: string): string | undefined {
  const host = URL.parse(url)?.hostname.replaceAll(/[[\]]/gu, "");
  return host === "" ? undefined : host;
}

/** The port that is written in an address, even where it is the scheme's own. */
function portOfUrl(url: string): number | undefined {
  const port = url.match(/^[^:]+:\/\/(?:[^/?#@]*@)?(?:\[[^\]]*\]|[^/?#:]*):(\d{1,5})/u)?.[1];
  return port === undefined ? undefined : Number(port);
}

function isWithin(value: number, { isInteger, minimum, maximum }: Parameter): boolean {
  return value >= minimum && value <= maximum && (!isInteger || Number.isInteger(value));
}
