/**
 * `text` with the part between `<!-- generated: name -->` and `<!-- end: name -->` replaced by `body`,
 * for documents that are written by hand around what is generated.
 * @throws {Error} when the two markers do not stand in the text once each and in this order.
 */
export function withSection(text: string, name: string, body: string): string {
  const begin = `<!-- generated: ${name} -->`;
  const end = `<!-- end: ${name} -->`;
  const [before, middle, ...tooMany] = text.split(begin);
  const [, after, ...tooManyEnds] = middle?.split(end) ?? [];
  if (before === undefined || after === undefined || tooMany.length > 0 || tooManyEnds.length > 0) {
    throw new Error(`Write ${begin} and, after it, ${end} once each where the section is to stand.`);
  }
  return `${before}${begin}\n${body.trim()}\n${end}${after}`;
}
