import type { Effect } from "../sdk/role.ts";
import type { Background } from "./background.ts";
import { condense, fairShare } from "./condense.ts";
import type { Entity } from "./entity.ts";
import { extractEntities } from "./extract.ts";
import { type FeatureVector, nameFeatures, vectorOf } from "./features.ts";
import { normalise, spellWord, type Words } from "./normalise.ts";
import { fitRidge, type Sample } from "./ridge.ts";
import { createVocabulary, type Vocabulary } from "./vocabulary.ts";
import { type Zone, zoneOf } from "./zones.ts";

/** What the classifier knows of a command. */
export interface ClassifiedCommand {
  readonly name: string;
  /** Each language's description; each counts as one more prompt. */
  readonly descriptions: readonly string[];
  readonly prompts: readonly string[];
  readonly effect: Effect;
}

interface Candidate {
  readonly command: string;
  readonly score: number;
}

/** What a text most likely asks for. Scores are near 1 for a prompt itself and near 0 for what nobody offers. */
export interface Decision {
  readonly zone: Zone;
  /** The best command, whatever the zone; undefined when there are none. */
  readonly command: string | undefined;
  readonly score: number;
  readonly second: number;
  /** The three best, best first. */
  readonly candidates: readonly Candidate[];
}

/** A decision with what led to it. */
export interface Explanation extends Decision {
  /** The words that were scored: the whole text or its most telling sentence, entities by their types. */
  readonly scored: string;
  /** What spoke most for or against the best command, strongest first; pieces of words stand between dots. */
  readonly features: readonly { readonly feature: string; readonly contribution: number }[];
  readonly entities: readonly Entity[];
}

export interface Classifier {
  classify(text: string): Decision;
  explain(text: string): Explanation;
}

const CANDIDATES = 3;
const EXPLAINED_FEATURES = 12;

/** So many samples are learnt in a few dozen milliseconds; the time grows with their third power. */
const MOST_SAMPLES = 600;
/** Reading a text takes some 20 µs. */
const MOST_TEXTS = 3000;

/**
 * Learns to tell commands apart from their prompts and descriptions, in well under a second however many there are; how it
 * decides never changes afterwards. Up to 600 texts each teach by themselves. Where there are more, each command's are
 * brought together into as many groups as fit; of more than 3000, each command's first ones count. Commands after the
 * first 600 are not recognised in plain words.
 */
export function createClassifier(options: {
  readonly commands: readonly ClassifiedCommand[];
  readonly background: Background;
}): Classifier {
  const { background } = options;
  const commands = options.commands.slice(0, MOST_SAMPLES);
  const vocabulary = createVocabulary();
  const samples = readSamples(commands, background, vocabulary);
  const model = fitRidge(samples, commands.length, vocabulary);

  const score = (entities: readonly Entity[], text: string): Scored => {
    const segments = normalise(text, entities).map((words) => {
      const vector = vectorOf(words, background);
      const scores = model.score(vector);
      return { words, vector, scores, top: Math.max(0, ...scores) };
    });
    return segments.reduce((best, segment) => (segment.top > best.top ? segment : best));
  };

  return {
    classify: (text) => decide(commands, score(extractEntities(text), text).scores),
    explain(text) {
      const entities = extractEntities(text);
      const { words, vector, scores } = score(entities, text);
      const decision = decide(commands, scores);
      const best = commands.findIndex(({ name }) => name === decision.command);
      const names = nameFeatures(words);
      const features = [...vector.hashes].map((hash, i) => {
        const alone = { hashes: Int32Array.of(hash), values: Float64Array.of(vector.values[i] ?? 0) };
        return {
          feature: names.get(hash) ?? "",
          contribution: model.score(alone)[best] ?? 0,
        };
      });
      return {
        ...decision,
        scored: words.map(spellWord).join(" "),
        features: features
          .filter(({ contribution }) => contribution !== 0)
          .sort((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution))
          .slice(0, EXPLAINED_FEATURES),
        entities,
      };
    },
  };
}

function readSamples(
  commands: readonly ClassifiedCommand[],
  background: Background,
  vocabulary: Vocabulary,
): Sample[] {
  const texts = commands.map(({ prompts, descriptions }) => [...new Set([...prompts, ...descriptions])]);
  const counts = texts.map(({ length }) => length);
  const readable = fairShare(counts, MOST_TEXTS);
  const groups = fairShare(
    counts.map((count) => Math.min(count, readable)),
    MOST_SAMPLES,
  );
  const rows = texts.map((own) =>
    own.slice(0, readable).map((text) => {
      const [whole = []] = normalise(text, extractEntities(text));
      return vocabulary.learn(vectorOf(whole, background));
    }),
  );
  const scratch = new Float64Array(vocabulary.size);
  return rows.flatMap((own, label) => condense(own, groups, scratch).map((group) => ({ ...group, label })));
}

interface Scored {
  readonly words: Words;
  readonly vector: FeatureVector;
  readonly scores: Float64Array;
  readonly top: number;
}

function decide(commands: readonly ClassifiedCommand[], scores: Float64Array): Decision {
  const order: number[] = [];
  for (let label = 0; label < scores.length; label++) {
    let at = order.length;
    while (at > 0 && (scores[label] ?? 0) > (scores[order[at - 1] ?? 0] ?? 0)) at--;
    if (at < CANDIDATES) order.splice(at, 0, label);
    if (order.length > CANDIDATES) order.length = CANDIDATES;
  }
  const candidates = order.map((label) => ({
    command: commands[label]?.name ?? "",
    score: scores[label] ?? 0,
  }));
  const [top, next] = candidates;
  const score = top?.score ?? 0;
  const second = next?.score ?? 0;
  const effect = commands[order[0] ?? 0]?.effect ?? "read";
  return { zone: zoneOf(effect, score, second), command: top?.command, score, second, candidates };
}
