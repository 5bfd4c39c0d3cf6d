/** Lets everything happen that waits for nothing but the event loop. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 30; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** Asks again and again whether something has come about elsewhere; the test's own time limit ends it. */
export async function waitFor(isThere: () => Promise<boolean>): Promise<void> {
  while (!(await isThere())) await new Promise((resolve) => setTimeout(resolve, 50));
}

/** Turns the event loop until a condition holds; fails after `most` turns. */
export async function until(condition: () => boolean, most = 200_000): Promise<void> {
  for (let i = 0; !condition(); i++) {
    if (i === most) throw new Error("what was waited for has not come about");
    await new Promise((resolve) => setImmediate(resolve));
  }
}
