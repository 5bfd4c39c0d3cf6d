import { FAILURES, isFailure } from "../../envelope/failures.ts";
import type { CheckScope, Finding } from "./finding.ts";

/** Whether the environment and .env can be read. */
export function checkSettings({ config }: CheckScope): readonly Finding[] {
  if (!isFailure(config)) return [{ name: "settings", state: "ok", text: `durability ${config.durability}` }];
  return [{ name: "settings", state: "fail", text: config.text, remedy: FAILURES[config.failure].remedy }];
}
