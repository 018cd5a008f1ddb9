/**
 * How the CDKTF command line compares a version constraint of a stack with one in the lock file. It
 * differs from Terraform: the first number of the required constraint is taken for a version, which
 * must satisfy every part of the locked one. Only that command line's behaviour matters here, so
 * this copies it (a test compares the two).
 */
export function cliMatches(required: string, locked: string): boolean {
  const version = coerce(required);
  return (
    version !== undefined && locked.split(",").every((part) => satisfies(version, part.trim()))
  );
}

type Version = readonly [major: number, minor: number, patch: number];

function satisfies(version: Version, constraint: string): boolean {
  const operator = /~>|>=|<=|>|<|=|!=/.exec(constraint)?.[0] ?? "=";
  const text = constraint.replace(operator, "").trim();
  const bound = coerce(text);
  if (bound === undefined) return operator === "!=";
  const order = compare(version, bound);
  switch (operator) {
    case "=":
      return order === 0;
    case "!=":
      return order !== 0;
    case ">=":
      return order >= 0;
    case "<=":
      return order <= 0;
    case ">":
      return order > 0;
    case "<":
      return order < 0;
    default:
      return (
        /^\d+(?:\.\d+){0,2}(?:-[\w.-]+)?$/.test(text) &&
        order >= 0 &&
        compare(version, pessimisticEnd(text, bound)) < 0
      );
  }
}

/** The first version that `~>` excludes: the last given part may grow. */
function pessimisticEnd(text: string, [major, minor]: Version): Version {
  return text.split(".").length >= 3 ? [major, minor + 1, 0] : [major + 1, 0, 0];
}

/** The first part of a string that looks like a version; missing numbers are 0. */
function coerce(text: string): Version | undefined {
  const match = /(?:^|\D)(\d{1,16})(?:\.(\d{1,16}))?(?:\.(\d{1,16}))?(?:$|\D)/.exec(text);
  if (!match) return undefined;
  const version: Version = [Number(match[1]), Number(match[2] ?? 0), Number(match[3] ?? 0)];
  return version.every(Number.isSafeInteger) ? version : undefined;
}

function compare(a: Version, b: Version): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}
