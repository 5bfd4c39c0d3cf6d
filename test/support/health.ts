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

/** Resolves with what /healthz says once that suits. A process gives no other sign, so that it is asked again and again. */
export async function untilHealthy(
  port: number,
  suits: (told: Told) => boolean = ({ status }) => status === 200,
): Promise<Told> {
  for (;;) {
    const told = await healthAt(port);
    if (told && suits(told)) return told;
    await sleep(50);
  }
}
