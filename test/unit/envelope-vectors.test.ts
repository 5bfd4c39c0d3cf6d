import { describe, expect, test } from "vitest";
import { AeeEnvelope, canonicalJson, parseCanonical } from "../../src/envelope/index.ts";
import published from "../vectors/aee/published.json" with { type: "json" };
import rules from "../vectors/aee/rules.json" with { type: "json" };

interface Case {
  rule: string;
  verdict: string;
  field?: string;
  set?: Record<string, unknown>;
  omit?: string[];
  keeps?: string[];
}

describe("the published AEE examples", () => {
  test.each(published)("$source is accepted as it stands", ({ envelope }) => {
    expect(AeeEnvelope.parse(envelope)).toEqual(envelope);
  });

  test.each(published)("$source survives its canonical text", ({ envelope }) => {
    expect(parseCanonical(canonicalJson(envelope))?.value).toEqual(envelope);
  });
});

describe("the AEE rules", () => {
  const cases: Case[] = rules.cases;
  const build = ({ set = {}, omit = [] }: Case): Record<string, unknown> =>
    Object.fromEntries(Object.entries({ ...rules.base, ...set }).filter(([key]) => !omit.includes(key)));

  test.each(cases.filter((one) => one.verdict === "valid"))("accepted: $rule", (one) => {
    const envelope = build(one);
    const parsed = AeeEnvelope.parse(envelope);
    expect(parsed).toEqual(envelope);
    for (const key of one.keeps ?? []) expect(Object.keys(parsed)).toContain(key);
  });

  test.each(cases.filter((one) => one.verdict === "invalid"))("refused: $rule", (one) => {
    const parsed = AeeEnvelope.safeParse(build(one));
    expect(parsed.error?.issues.map((issue) => issue.path.join("."))).toContain(one.field);
  });
});
