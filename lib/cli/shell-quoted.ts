/**
 * In single quotes, in which a POSIX shell takes every character literally except the single quote
 * itself.
 */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * A path in a command that people copy: a cloned repository chooses the names of its folders, and a
 * shell runs `$(…)` in double quotes. Every character that may control the terminal becomes a `?`,
 * which matches any character.
 */
export function pathInShell(path: string): string {
  if (/^[\w@%+=:,./-]+$/.test(path)) return path;
  if (process.platform === "win32") return pathInPowerShell(path);
  return shellQuoted(path).replace(/[\p{C}\u2028\u2029]/gu, "'?'");
}

/** Its single quotes are literal as well; file names there have no control characters. */
function pathInPowerShell(path: string): string {
  if (/^[\w+=:.\\/-]+$/.test(path)) return path;
  return `'${path.replaceAll("'", "''").replace(/[\p{C}\u2028\u2029]/gu, "?")}'`;
}
