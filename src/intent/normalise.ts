import type { Entity } from "./entity.ts";

/** Words of one text, lower-cased and bare; entities stand in them as tokens of their type. */
export type Words = readonly string[];

const MAX_LENGTH = 1000;
// Type tokens are one private-use character each; those that a person wrote are taken out first.
const TYPE_TOKENS = {
  site: "\ue010",
  email: "\ue011",
  port: "\ue012",
  duration: "\ue013",
  quoted: "\ue014",
} as const;
const RESERVED = /[\ue010-\ue014]/gu;
const TOKEN = /[\ue010-\ue014]|[\p{L}\p{N}]+/gu;
const SINGLE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const SINGLES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+/gu;
const NON_ASCII = /[^\u0000-\u007f]/u;
const SENTENCE_END = /[.!?。！？]+(?=\s|$)|[。！？\n]+/u;

/** The words of a text as a whole, and of each of its sentences where it has several. */
export function normalise(text: string, entities: readonly Entity[]): Words[] {
  const typed = withTypeTokens(text, entities).slice(0, MAX_LENGTH);
  const whole = wordsOf(typed);
  const sentences = typed
    .split(SENTENCE_END)
    .map(wordsOf)
    .filter((words) => words.length > 0);
  return sentences.length > 1 ? [whole, ...sentences] : [whole];
}

function withTypeTokens(text: string, entities: readonly Entity[]): string {
  let typed = "";
  let end = 0;
  for (const entity of entities) {
    const token = tokenOf(entity);
    if (token === undefined || entity.start < end) continue;
    typed += `${bare(text.slice(end, entity.start))} ${token} `;
    end = entity.end;
  }
  return typed + bare(text.slice(end));
}

function bare(text: string): string {
  return text.replaceAll(RESERVED, " ");
}

function tokenOf(entity: Entity): string | undefined {
  switch (entity.kind) {
    case "url":
    case "host":
      // One token for both: people write either for the same thing.
      return TYPE_TOKENS.site;
    case "port":
      return entity.attached ? "" : `port ${TYPE_TOKENS.port}`;
    case "email":
      return TYPE_TOKENS.email;
    case "duration":
      return TYPE_TOKENS.duration;
    case "quoted":
      return TYPE_TOKENS.quoted;
    default:
      return undefined;
  }
}

function wordsOf(text: string): Words {
  let plain = text;
  if (NON_ASCII.test(text))
    plain = text.normalize("NFKC").toLowerCase().normalize("NFD").replaceAll(/\p{M}/gu, "");
  plain = plain
    .toLowerCase()
    .replaceAll(/['’‘ʼ]/gu, "")
    .replaceAll(/\p{Nd}+/gu, "0");
  const words = plain.match(TOKEN) ?? [];
  return SINGLE.test(plain) ? words.flatMap((word) => word.match(SINGLES) ?? []) : words;
}

const SPELLED_TOKENS = new Map<string, string>(
  Object.entries(TYPE_TOKENS).map(([name, token]) => [token, `<${name}>`]),
);

/** A word as people may read it: type tokens by their names, such as `<site>`. */
export function spellWord(word: string): string {
  return SPELLED_TOKENS.get(word) ?? word;
}

/** Whether a word stands for an entity. */
export function isTypeToken(word: string): boolean {
  return SPELLED_TOKENS.has(word);
}
