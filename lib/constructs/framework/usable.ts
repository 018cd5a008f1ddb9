import { App } from "cdktf";
import type { IConstruct } from "constructs";
import { packageVersion } from "../../delivery/package-root";
import { OWN_PACKAGE } from "../../framework";
import { IamTokensError } from "../../tokens";
import { isInOtherLanguage, libraryOf } from "./internals";

/** In one string: lib/build/terrain.mjs replaces a name that stands alone. */
const NAMES = "cdktf cdktn".split(" ");

/** The framework that this package has loaded. */
let ours: ReturnType<typeof libraryOf>;

/**
 * Asserts that a stack or an app comes from the framework of this package. cdktf and cdktn accept
 * the other's constructs, by the same symbols, and fail at the first member that they lack.
 *
 * @throws ERR_FRAMEWORK_MISMATCH
 */
export function assertUsable(scope: IConstruct): void {
  const theirs = libraryOf(scope.constructor, NAMES);
  ours ??= libraryOf(App, NAMES);
  if (theirs === undefined || ours === undefined || theirs.name === ours.name) return;
  const right = `${theirs.name}-iam-tokens`;
  const commands = isInOtherLanguage()
    ? ""
    : `: npm uninstall ${OWN_PACKAGE} && npm install ${right}`;
  throw new IamTokensError(
    "ERR_FRAMEWORK_MISMATCH",
    `The program uses ${theirs.name} ${theirs.version}, but ${OWN_PACKAGE} works with ${ours.name}.`,
    {
      remedy: `Install ${right} instead and import from it; constructs and state are the same${commands}.`,
    },
  );
}

/**
 * Asserts that a stack's constructs come from one version of this package: each version writes
 * blocks for theirs own provider, and a stack has one.
 *
 * @param version version of the constructs that already exist
 * @throws ERR_VERSION_MISMATCH
 */
export function assertOneVersion(stack: IConstruct, version: string): void {
  if (version === packageVersion()) return;
  throw new IamTokensError(
    "ERR_VERSION_MISMATCH",
    `The stack ${stack.node.id} has constructs of ${OWN_PACKAGE} ${version}, and the program declares more of it by ${packageVersion()}.`,
    {
      remedy: `Use one version in the stack: npm ls ${OWN_PACKAGE} names the packages that need each.`,
    },
  );
}
