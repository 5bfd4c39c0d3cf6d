/** The stack or the words of whatever was thrown: roles throw anything, and telling of it must not fail as well. */
export function describeError(error: unknown): string {
  try {
    const text: unknown = error instanceof Error ? (error.stack ?? error.message) : error;
    return String(text);
  } catch {
    return "something that cannot be told in words was thrown";
  }
}
