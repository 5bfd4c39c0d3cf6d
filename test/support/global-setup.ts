import { provideRedis } from "./redis-binary.ts";

/** Runs once before all tests. Where no Redis server can be had, the tests that need one fail, and no others. */
export default async function setup(): Promise<void> {
  await provideRedis().catch((error: unknown) => console.error((error as Error).message));
}
