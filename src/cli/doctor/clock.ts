import { isFailure } from "../../envelope/failures.ts";
import type { CheckScope, Finding } from "./finding.ts";

const EARLIEST = Date.UTC(2025, 0);
const LATEST = Date.UTC(2100, 0);
/** A clock that is kept right by small steps stays below this. */
const JUMP_MS = 1_000;

/** Whether the time of day can be believed: ids, deadlines and ages rest on it. */
export function checkClock({ clock, config }: CheckScope): readonly Finding[] {
  const wallMs = clock.wallMs();
  const remedy = "Set the clock, and let NTP keep it (`timedatectl set-ntp true`).";
  if (!(wallMs >= EARLIEST && wallMs < LATEST)) {
    const text = `it is said to be ${new Date(wallMs).toISOString()}, which cannot be`;
    return [{ name: "clock", state: "fail", text, remedy }];
  }
  const jumpMs = Math.round(wallMs - (clock.startedAtMs + clock.monotonicMs()));
  if (Math.abs(jumpMs) > JUMP_MS) {
    return [
      { name: "clock", state: "warn", text: `jumped by ${jumpMs} ms since this process started`, remedy },
    ];
  }
  const zone = isFailure(config) ? "UTC" : config.zone;
  const time = new Date(wallMs).toLocaleString("sv-SE", { timeZone: zone });
  return [{ name: "clock", state: "ok", text: `${time} in ${zone}` }];
}
