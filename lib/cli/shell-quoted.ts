/**
 * In single quotes, in which a POSIX shell takes every character as it is but the single quote
 * itself.
 */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * A path in a command that people copy: a cloned repository chooses the names of its folders, and
 * `$(…)` in double quotes is run. What could be a command to the terminal becomes a `?`, which
 * stands for any character.
 */
export function pathInShell(path: string): string {
  if (/^[\w@%+=:,./-]+$/.test(path)) return path;
  return shellQuoted(path).replace(/[\p{C}\u2028\u2029]/gu, "'?'");
}
