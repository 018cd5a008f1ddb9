/**
 * The result of an action on what may have gone, or belongs to somebody else: a file, a process.
 * Undefined if it fails.
 */
export function quietly<Result>(action: () => Result): Result | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
