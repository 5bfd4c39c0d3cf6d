import { type Document, isMap, isScalar, isSeq, type Pair, parseDocument, type YAMLMap } from "yaml";

/**
 * The text of an agent.yml with one more role in its allow-list, comments kept. The text must be a manifest
 * that has been read; a role that is listed already leaves it as it is.
 */
export function withRole(text: string, role: string): string {
  const document = parseDocument(text);
  const roles = document.get("roles");
  if (!isSeq(roles)) throw new TypeError("the manifest has no list of roles");
  if (roles.toJSON().includes(role)) return text;
  // An empty list can only be written as [ ]; with something in it, a line each reads better.
  if (roles.items.length === 0) roles.flow = false;
  roles.add(role);
  return write(document, text);
}

/** The text of an agent.yml that names a pool, comments kept; the text must be a manifest that has been read. */
export function withPool(text: string, pool: string): string {
  const document = parseDocument(text);
  if (document.get("pool") === pool) return text;
  setPool(document, pool);
  return write(document, text);
}

/**
 * The text of an agent.yml for another agent of the same kind: all that the manifest says, comments included, but for
 * its id, name and pool. Its `vantage` becomes a comment: where the other one looks from is for people to say.
 */
export function asTwin(
  text: string,
  twin: { readonly id: string; readonly name: string; readonly pool: string },
): string {
  const document = parseDocument(withoutVantage(text));
  document.set("id", twin.id);
  document.set("name", twin.name);
  setPool(document, twin.pool);
  return write(document, text);
}

function setPool(document: Document, pool: string): void {
  if (document.has("pool")) {
    document.set("pool", pool);
    return;
  }
  const map = contentsOf(document);
  const pair = document.createPair("pool", pool) as Pair;
  if (isScalar(pair.key) && map.flow !== true) {
    pair.key.commentBefore = " Agents of one pool below the same master offer their commands together.";
  }
  // Beside whom it answers to: that is what the pool belongs to.
  map.items.splice(placeOf(map, "master_id") + 1, 0, pair);
}

function withoutVantage(text: string): string {
  const document = parseDocument(text);
  const map = contentsOf(document);
  const pair = map.items[placeOf(map, "vantage")];
  if (!pair) return text;
  const from = isScalar(pair.key) ? pair.key.range?.[0] : undefined;
  const to = isScalar(pair.value) ? pair.value.range?.[1] : undefined;
  if (map.flow === true || from === undefined || to === undefined) {
    document.delete("vantage");
    return write(document, text);
  }
  const commented = text.slice(from, to).replaceAll(/^/gm, "# ");
  return `${text.slice(0, from)}${commented}${text.slice(to)}`;
}

function contentsOf(document: Document): YAMLMap {
  if (!isMap(document.contents)) throw new TypeError("the manifest is no list of keys and values");
  return document.contents;
}

function placeOf(map: YAMLMap, key: string): number {
  return map.items.findIndex((pair) => isScalar(pair.key) && pair.key.value === key);
}

function write(document: Document, before: string): string {
  return document.toString({ lineWidth: 0, flowCollectionPadding: /[[{]\s/.test(before) });
}
