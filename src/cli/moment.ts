/** A moment (Unix ms) as operators read it: ISO date and time to the millisecond, in a zone. */
export function momentText(at: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
  return `${parts.format(at)}.${String(at % 1000).padStart(3, "0")}`;
}
