/**
 * Canonical JSON: one spelling for one value, so that bytes can be hashed, signed and compared.
 * VOLT v0.1: UTF-8, no white space, keys sorted bytewise at every level, integral numbers without `.0`,
 * no exponent where avoidable, strings in NFC.
 */

/** How deep arrays and objects may stand in one another: bounds the recursion over what a neighbour sent, and ends cycles. */
export const CANONICAL_MAX_DEPTH = 64;

// Below U+0300 every text is in NFC as it stands.
const PLAIN = /^[\u0020\u0021\u0023-\u005b\u005d-\u02ff]*$/;
const BEYOND_ASCII = /[^\u0000-\u007f]/;
// NFC takes quadratic time over a run of combining marks: 600 kB of them would stop the process for 17 s.
// So runs are broken by U+034F after thirty, the Stream-Safe Text Process of Unicode's Annex 15.
const RUN_OF_MARKS = /[\p{M}--\u034f]{2,}/gv;
const THIRTY_BEFORE_ANOTHER = /.{30}(?=.)/gu;

/**
 * Writes a JSON-safe value in its one canonical spelling. Properties that are `undefined` are left out.
 * @throws {TypeError} for what JSON cannot hold (functions, NaN, bigint, class instances), for keys that are equal
 * after NFC, for the key `__proto__`, and for more than `CANONICAL_MAX_DEPTH` levels, hence for cycles.
 */
export function canonicalJson(value: unknown): string {
  return write(value, 0);
}

/**
 * The value of a text that is already canonical, else `undefined`. Since the text must equal its own canonical form,
 * duplicate keys, white space, other spellings of a number and numbers that a double cannot hold are all refused.
 */
export function parseCanonical(text: string): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return canonicalJson(value) === text ? { value } : undefined;
  } catch {
    return undefined;
  }
}

/** What is wrong with a text that `parseCanonical` refused, for logs; it repeats none of the text. */
export function whyNotCanonical(text: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "is not JSON";
  }
  try {
    const canonical = canonicalJson(value);
    let same = 0;
    while (same < text.length && text[same] === canonical[same]) same++;
    return `differs from its canonical form at character ${same}`;
  } catch (error) {
    return error instanceof TypeError ? error.message : "cannot be written canonically";
  }
}

function write(value: unknown, depth: number): string {
  switch (typeof value) {
    case "string":
      return PLAIN.test(value) ? `"${value}"` : JSON.stringify(composed(value));
    case "number":
      return writeNumber(value);
    case "boolean":
      return value ? "true" : "false";
    case "object":
      if (value === null) return "null";
      if (depth === CANONICAL_MAX_DEPTH) {
        throw new TypeError(`is nested deeper than ${CANONICAL_MAX_DEPTH} levels`);
      }
      return Array.isArray(value) ? writeArray(value, depth + 1) : writeObject(value, depth + 1);
    default:
      throw new TypeError(`a ${typeof value} has no place in JSON`);
  }
}

function composed(text: string): string {
  return inShortRuns(inShortRuns(text).normalize("NFC"));
}

function inShortRuns(text: string): string {
  if (text.length <= 30) return text;
  return text.replace(RUN_OF_MARKS, (run) => run.replace(THIRTY_BEFORE_ANOTHER, "$&\u034f"));
}

function writeArray(items: readonly unknown[], depth: number): string {
  let text = "[";
  for (let i = 0; i < items.length; i++) {
    if (i > 0) text += ",";
    text += write(items[i] ?? null, depth);
  }
  return `${text}]`;
}

function writeObject(value: object, depth: number): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new TypeError(`a ${value.constructor?.name ?? "class instance"} has no place in JSON`);
  }
  let text = "{";
  let previous: string | undefined;
  for (const key of sortedKeys(value)) {
    const member = (value as Record<string, unknown>)[key];
    if (member === undefined) continue;
    if (key === "__proto__") throw new TypeError("a key __proto__ has no place in an envelope");
    const name = write(key, depth);
    if (name === previous) throw new TypeError("two keys of one object are the same after NFC");
    text += previous === undefined ? `${name}:` : `,${name}:`;
    text += write(member, depth);
    previous = name;
  }
  return `${text}}`;
}

function sortedKeys(value: object): readonly string[] {
  const keys = Object.keys(value);
  if (keys.some((key) => BEYOND_ASCII.test(key))) return keys.sort(compareComposed);
  // What was parsed from a canonical text stands in order already.
  for (let i = 1; i < keys.length; i++) if ((keys[i - 1] ?? "") > (keys[i] ?? "")) return keys.sort();
  return keys;
}

function compareComposed(a: string, b: string): number {
  return compareCodePoints(composed(a), composed(b));
}

/** UTF-8's order is that of code points; JavaScript's own, by UTF-16 unit, puts surrogate pairs before U+E000 to U+FFFF. */
function compareCodePoints(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  for (let i = 0; i < end; i++) {
    const difference = rank(a.charCodeAt(i)) - rank(b.charCodeAt(i));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

function writeNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e21) return `${value}`; // -0 too is written 0
  if (!Number.isFinite(value)) throw new TypeError(`${value} has no place in JSON`);
  const text = `${value}`;
  return text.includes("e") ? withoutExponent(text) : text;
}

function withoutExponent(text: string): string {
  const sign = text.startsWith("-") ? "-" : "";
  const [mantissa = "", exponent = ""] = text.slice(sign.length).split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  return sign + digits + "0".repeat(point - digits.length);
}
