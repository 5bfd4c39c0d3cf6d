import { z } from "zod";

/** What a role has the war room told. The same kind, target and labels from the same agent are one incident. */
export const Alert = z.strictObject({
  /** What sort of trouble it is, such as "watch.http". */
  kind: z.string().min(1).max(64),
  /** What is in trouble, such as "https://shop.example". */
  target: z.string().min(1).max(200),
  state: z.enum(["firing", "resolved"]),
  /** crit rings, warn comes without a sound, info stands in lists alone. */
  severity: z.enum(["crit", "warn", "info"]),
  /** One line: "HTTP 503". */
  summary: z.string().min(1).max(300),
  /** What was seen, in further lines. */
  evidence: z.array(z.string().max(500)).max(20).readonly().optional(),
  /** When it began; ISO 8601. */
  since: z.iso.datetime({ offset: true }).optional(),
  labels: z.record(z.string().min(1).max(64), z.string().max(200)).readonly().optional(),
  /** What to do, or to ask, next. */
  next: z.string().max(300).optional(),
});
export type Alert = z.output<typeof Alert>;
