/** Freezes a JSON value at every level, in place, and gives it back. */
export function deepFrozen<T>(value: T): T {
  const open: unknown[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== "object" || next === null || Object.isFrozen(next)) continue;
    Object.freeze(next);
    for (const member of Object.values(next))
      if (typeof member === "object" && member !== null) open.push(member);
  }
  return value;
}
