import { expect, test } from "vitest";
import { APART, measureWay, TOGETHER, type Way } from "../../bench/redis.ts";
import { startRedis } from "../support/redis.ts";

const FORMS: readonly (readonly [form: string, agents: readonly string[]])[] = [
  ["one process", TOGETHER],
  ["three processes", APART],
];
const WAYS: readonly Way[] = ["floor", "bareBullmq", "voxtreeRedis"];

test.each(WAYS.flatMap((way) => FORMS.map(([form, agents]) => ({ way, form, agents }))))(
  "the bench of $way in $form answers every question with its own answer",
  async ({ way, agents }) => {
    await using server = await startRedis();
    const figures = await measureWay({
      url: server.url,
      way,
      agents,
      size: { sequential: 10, inFlight: 20, total: 60 },
    });
    expect(figures.p50Ms).toBeGreaterThan(0);
    expect(figures.p99Ms).toBeGreaterThanOrEqual(figures.p50Ms);
    expect(figures.perSecond).toBeGreaterThan(0);
  },
);
