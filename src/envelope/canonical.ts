/**
 * Canonical JSON: one spelling for one value, so that bytes can be hashed, signed and compared.
 * VOLT v0.1: UTF-8, no white space, keys sorted bytewise at every level, integral numbers without `.0`,
 * no exponent where avoidable, strings in NFC.
 */

const NON_ASCII = /[^\u0000-\u007f]/;
const NEEDS_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/;

/**
 * Writes a JSON-safe value in its one canonical spelling. Properties that are `undefined` are left out.
 * @throws {TypeError} for what JSON cannot hold (functions, NaN, bigint, cycles) and for keys that are equal after NFC.
 */
export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case "string":
      return canonicalString(value);
    case "number":
      return canonicalNumber(value);
    case "boolean":
      return value ? "true" : "false";
    case "object":
      if (value === null) return "null";
      return Array.isArray(value) ? canonicalArray(value) : canonicalObject(value);
    default:
      throw new TypeError(`a ${typeof value} has no place in JSON`);
  }
}

/** The value and its text when the text is already canonical, else `undefined`: refuses duplicate keys and numbers beyond 2^53. */
export function parseCanonical(text: string): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return canonicalJson(value) === text ? { value } : undefined;
  } catch {
    return undefined;
  }
}

function canonicalString(text: string): string {
  const composed = NON_ASCII.test(text) ? text.normalize("NFC") : text;
  return NEEDS_ESCAPE.test(composed) ? JSON.stringify(composed) : `"${composed}"`;
}

function canonicalArray(items: readonly unknown[]): string {
  let text = "[";
  for (let i = 0; i < items.length; i++) text += (i === 0 ? "" : ",") + canonicalJson(items[i] ?? null);
  return `${text}]`;
}

function canonicalObject(value: object): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new TypeError(`a ${value.constructor.name} has no place in JSON`);
  }
  const keys = Object.keys(value);
  keys.sort(keys.some((key) => NON_ASCII.test(key)) ? compareBytes : undefined);
  let text = "{";
  let previous: string | undefined;
  for (const key of keys) {
    const member = (value as Record<string, unknown>)[key];
    if (member === undefined) continue;
    const name = canonicalString(key);
    if (name === previous) throw new TypeError(`two keys are the same after NFC: ${name}`);
    text += `${previous === undefined ? "" : ","}${name}:${canonicalJson(member)}`;
    previous = name;
  }
  return `${text}}`;
}

/** UTF-8 order is code point order; JavaScript's own order differs for surrogate pairs. */
function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a.normalize("NFC")), Buffer.from(b.normalize("NFC")));
}

function canonicalNumber(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`${value} has no place in JSON`);
  const text = JSON.stringify(value);
  if (text === "-0") return "0";
  return text.includes("e") ? withoutExponent(text) : text;
}

function withoutExponent(text: string): string {
  const sign = text.startsWith("-") ? "-" : "";
  const [mantissa = "", exponent = ""] = text.slice(sign.length).split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  if (point >= digits.length) return sign + digits + "0".repeat(point - digits.length);
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}
