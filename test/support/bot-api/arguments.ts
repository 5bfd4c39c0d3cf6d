import type { IncomingMessage } from "node:http";
import type { Arguments } from "./shapes.ts";

/** The arguments of a call: those of the query, and over them those of a body in JSON or a form. Undefined: unreadable. */
export async function readArguments(
  request: IncomingMessage,
  query: URLSearchParams,
): Promise<Arguments | undefined> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const given: Record<string, unknown> = Object.fromEntries(query);
  if (body.length === 0) return given;
  const type = request.headers["content-type"] ?? "";
  try {
    if (type.startsWith("application/json")) {
      const parsed: unknown = JSON.parse(body.toString("utf8"));
      return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)
        ? { ...given, ...parsed }
        : undefined;
    }
    const form = await new Response(body, { headers: { "content-type": type } }).formData();
    return { ...given, ...Object.fromEntries(form) };
  } catch {
    return undefined;
  }
}

/** A text; numbers count as what they are written as. Missing: "". */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
}

/** A whole number, also when it comes written out; undefined when there is none. */
export function numberOf(value: unknown): number | undefined {
  const written = textOf(value);
  return /^-?\d+$/.test(written) ? Number(written) : undefined;
}

export function isTrue(value: unknown): boolean {
  return value === true || /^(?:true|yes|1)$/i.test(textOf(value));
}

type Structure =
  | { readonly kind: "absent" }
  | { readonly kind: "unreadable" }
  | { readonly kind: "given"; readonly value: unknown };

/** An object or array, which a form or query carries as JSON text. `absent`: not given; `unreadable`: no JSON. */
export function structureOf(value: unknown): Structure {
  if (value === undefined || value === null || value === "") return { kind: "absent" };
  if (typeof value !== "string") return { kind: "given", value };
  try {
    return { kind: "given", value: JSON.parse(value) as unknown };
  } catch {
    return { kind: "unreadable" };
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
