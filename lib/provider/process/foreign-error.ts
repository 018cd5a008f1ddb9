/*
 * Errors that are not ours, as far as they can be told: their texts may hold a secret. They are
 * known by their shape and not by instanceof, since errors of Node's own modules come from another
 * realm under test runners and in worker contexts.
 */

/** The class of an error. */
export function classOf(error: unknown): string {
  const name = property(error, "name");
  return typeof name === "string" && /^[A-Za-z]{1,60}$/.test(name) ? name : "Error";
}

/** The code of an error of Node or of the system, such as ENOENT; empty when it has none. */
export function systemCodeOf(error: unknown): string {
  const code = property(error, "code");
  return typeof code === "string" && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : "";
}

function property(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
