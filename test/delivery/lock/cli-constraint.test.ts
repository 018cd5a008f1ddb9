import fc from "fast-check";
import { cliMatches } from "../../../lib/delivery/lock/cli-constraint";
import "../../constructs/support";
import { expectOften } from "../../support/expect-often";
import { fuzz } from "../../support/fuzz";

/** The command line's own function. Loaded behind the environment that the support sets. */
const { versionMatchesConstraint } = jest.requireActual<{
  versionMatchesConstraint(version: string, constraint: string): boolean;
}>("@cdktf/cli-core/src/lib/dependencies/version-constraints");

/** The command line's own answer; it throws at a version that cannot be read. */
function cliSays(required: string, locked: string): boolean {
  try {
    return versionMatchesConstraint(required, locked);
  } catch {
    return false;
  }
}

// What the property below does not make.
test.each([
  ["1.2.3-beta.1", "1.2.3-beta.1"],
  ["~> 1.2.3-beta.1", "~> 1.2.3-beta.1"],
  ["latest", ">= 0"],
  ["1.0.0", "latest"],
])("required %j against locked %j: as the command line sees it", (required, locked) => {
  expect(cliMatches(required, locked)).toBe(cliSays(required, locked));
});

test("both agree on any constraint", () => {
  const part = fc.nat({ max: 4 });
  const version = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("."));
  const operator = fc.constantFrom("", "=", "!=", ">", ">=", "<", "<=", "~>");
  const constraint = fc
    .tuple(operator, fc.constantFrom("", " "), version)
    .map((parts) => parts.join(""));
  const constraints = fc
    .array(constraint, { minLength: 1, maxLength: 3 })
    .map((parts) => parts.join(", "));
  fc.assert(
    fc.property(constraints, constraints, (required, locked) => {
      expectOften(cliMatches(required, locked)).toBe(cliSays(required, locked));
    }),
    fuzz(3000),
  );
});
