import { setTimeout as sleep } from "node:timers/promises";

/** What /healthz of a process says. */
export interface Told {
  readonly status: number;
  readonly health: Readonly<Record<string, unknown>>;
}

/** Asks /healthz at a port of the loopback; undefined when nobody listens there. */
export async function healthAt(port: number): Promise<Told | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/healthz`);
    return { status: response.status, health: (await response.json()) as Told["health"] };
  } catch {
    return undefined;
  }
}

const MOST_ASKED = 1200;
const EVERY_MS = 50;

/** Resolves with what /healthz says once that suits. A process gives no other sign, so that it is asked again and again. */
export async function untilHealthy(
  port: number,
  suits: (told: Told) => boolean = ({ status }) => status === 200,
): Promise<Told> {
  let last: Told | undefined;
  for (let n = 0; n < MOST_ASKED; n += 1) {
    last = await healthAt(port);
    if (last && suits(last)) return last;
    await sleep(EVERY_MS);
  }
  throw new Error(`/healthz at ${port} does not say what it was asked for: ${JSON.stringify(last)}`);
}
