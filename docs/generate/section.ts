/**
 * `text` with the part between `<!-- generated: name -->` and `<!-- end: name -->` replaced by `body`,
 * for documents that are written by hand around what is generated.
 * @throws {Error} when the two markers do not stand in the text once each and in this order.
 */
export function withSection(text: string, name: string, body: string): string {
  const { before, after } = split(text, name);
  return `${before}${beginOf(name)}\n${body.trim()}\n${endOf(name)}${after}`;
}

/**
 * What stands between the two markers.
 * @throws {Error} as `withSection`.
 */
export function sectionOf(text: string, name: string): string {
  return split(text, name).middle.trim();
}

function split(text: string, name: string): { before: string; middle: string; after: string } {
  const [before, rest, ...tooMany] = text.split(beginOf(name));
  const [middle, after, ...tooManyEnds] = rest?.split(endOf(name)) ?? [];
  const isOnceEach = tooMany.length === 0 && tooManyEnds.length === 0;
  if (before === undefined || middle === undefined || after === undefined || !isOnceEach) {
    throw new Error(
      `Write ${beginOf(name)} and, after it, ${endOf(name)} once each where the section is to stand.`,
    );
  }
  return { before, middle, after };
}

function beginOf(name: string): string {
  return `<!-- generated: ${name} -->`;
}

function endOf(name: string): string {
  return `<!-- end: ${name} -->`;
}
