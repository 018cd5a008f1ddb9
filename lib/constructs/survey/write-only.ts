import type { IConstruct } from "constructs";

/**
 * On a construct: names of write-only arguments that hold for everything in it. As a symbol, it
 * holds for all copies of the package.
 */
const WRITE_ONLY = Symbol.for("cdktf-iam-tokens/WriteOnlyArguments");

type Marked = { [WRITE_ONLY]?: Set<string> };

/** The names that were given for a construct and everything in it. */
export function writeOnlyNamesOf(scope: IConstruct): Set<string> {
  const marked = scope as IConstruct & Marked;
  const names = marked[WRITE_ONLY] ?? new Set<string>();
  Object.defineProperty(scope, WRITE_ONLY, { value: names });
  return names;
}

/**
 * Whether an argument is known to be write-only: by the usual suffix `_wo` of its name or of a
 * block around it, or because the user added it.
 *
 * @param names on the way to the argument
 */
export function isWriteOnly(user: IConstruct, type: string, names: readonly string[]): boolean {
  if (names.some((name) => name.endsWith("_wo"))) return true;
  const wanted = names.flatMap((name) => [name, `${type}.${name}`]);
  return user.node.scopes.some((scope) => {
    const given = (scope as IConstruct & Marked)[WRITE_ONLY];
    return given !== undefined && wanted.some((name) => given.has(name));
  });
}
