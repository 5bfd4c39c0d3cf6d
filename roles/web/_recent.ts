import type { Store } from "#sdk";
import { z } from "zod";

/** A page that was asked about, as it was asked for, and what came of it. */
export const RecentPage = z.object({
  url: z.url(),
  expect: z.int().optional(),
  contains: z.string().optional(),
  timeoutMs: z.int().optional(),
  family: z.literal([4, 6]).optional(),
  verdict: z.enum(["ok", "fail", "inconclusive"]),
  /** Grows with each page that is asked about. */
  turn: z.int(),
});
export type RecentPage = z.output<typeof RecentPage>;

const PREFIX = "page ";
const KEPT = 20;

/** The pages asked about, the last one first. */
export function recentPages(store: Store): RecentPage[] {
  return store
    .list(PREFIX)
    .flatMap(([, value]) => {
      const page = RecentPage.safeParse(value);
      return page.success ? [page.data] : [];
    })
    .sort((a, b) => b.turn - a.turn);
}

/** Remembers a page as the last one asked about, and forgets those long ago. One key a page: checks run side by side. */
export function rememberPage(store: Store, page: Omit<RecentPage, "turn">): void {
  const others = recentPages(store).filter(({ url }) => url !== page.url);
  store.set(`${PREFIX}${page.url}`, { ...page, turn: (others[0]?.turn ?? 0) + 1 });
  for (const { url } of others.slice(KEPT - 1)) store.delete(`${PREFIX}${url}`);
}
