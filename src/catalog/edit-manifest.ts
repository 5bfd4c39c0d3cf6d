import { isSeq, parseDocument } from "yaml";

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
  return document.toString({ lineWidth: 0, flowCollectionPadding: /\[\s/.test(text) });
}
