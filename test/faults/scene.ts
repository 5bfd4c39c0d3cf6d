import { judge, type Verdict } from "./judge.ts";
import type { Away } from "./faults.ts";
import type { Command } from "./tree.ts";
import type { Question, Trace, World } from "./world.ts";

/** One test's part of a world that several tests share: what was asked and done before it counts for nothing. */
export interface Scene {
  /** Everything before now counts for nothing. */
  begin(): void;
  readonly trail: readonly Trace[];
  readonly questions: readonly Question[];
  /** How often roles have said this. */
  count(did: Trace["did"]): number;
  /** Asks the same of several, each in the name of one of three people. */
  askMany(count: number, command: Command, ms: number): readonly Question[];
  /** Resolves when every question has a reply. */
  allAnswered(questions?: readonly Question[]): Promise<void>;
  verdict(redisAway?: readonly Away[]): Verdict;
}

const ASKERS = ["ann", "ben", "cleo"];

export function createScene(world: World): Scene {
  let seen = 0;
  let asked = 0;
  const scene: Scene = {
    begin() {
      seen = world.trail.length;
      asked = world.questions.length;
    },
    get trail() {
      return world.trail.slice(seen);
    },
    get questions() {
      return world.questions.slice(asked);
    },
    count: (what) => scene.trail.filter(({ did }) => did === what).length,
    askMany: (count, command, ms) =>
      Array.from({ length: count }, (_, i) => world.ask(command, { ms, asker: ASKERS[i % 3] ?? "" })),
    async allAnswered(questions = scene.questions) {
      await Promise.all(questions.map((question) => world.answered(question)));
    },
    verdict: (redisAway = []) =>
      judge({ questions: scene.questions, trail: scene.trail, agents: world.agents, redisAway }),
  };
  scene.begin();
  return scene;
}
