import type { Parameter } from "../intent/index.ts";

/** A request as a slash command that asks for exactly this: `/http url=https://example.com expect=404`. */
export function spellRequest(
  command: string,
  params: Readonly<Record<string, unknown>>,
  parameters: readonly Parameter[],
): string {
  const known = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  const isRequest = (name: string): boolean => known.get(name)?.kind === "request";
  const parts = Object.entries(params).map(([name, value]) =>
    isRequest(name) ? spellWithin(value) : `${name}=${spellValue(value, known.get(name))}`,
  );
  return [`/${command}`, ...parts].join(" ");
}

/** A request within another stands there in its own words. */
function spellWithin(value: unknown): string {
  const { words } = value as { readonly words: string };
  return words.replace(/^\//u, "");
}

function spellValue(value: unknown, parameter: Parameter | undefined): string {
  if (Array.isArray(value)) return value.map((one) => spellValue(one, parameter)).join(",");
  if (parameter?.kind === "duration" && typeof value === "number") return spellDuration(value);
  if (typeof value !== "string") return JSON.stringify(value);
  const isBare = /^[^\s"'`“„«,;]+$/u.test(value);
  return isBare ? value : value.includes('"') ? `“${value}”` : `"${value}"`;
}

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1000],
  ["ms", 1],
] as const;

function spellDuration(ms: number): string {
  const [unit, size] = UNITS.find(([, size]) => ms !== 0 && ms % size === 0) ?? ["ms", 1];
  return `${ms / size}${unit}`;
}
