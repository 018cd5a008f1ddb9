import type { CtyObject } from "../plugin/cty/value";
import type { Diagnostic } from "../plugin/provider";
import { IamTokensError } from "../tokens";
import { isKnown, textArgument } from "./argument";
import { check } from "./diagnostics";

/**
 * Refuses a stack of another version of the package. Terraform sees to it that a provider which it
 * launches is of the version that the stack requires, but it does not ask a running one that it is
 * attached to.
 */
export function refuseOtherVersion(
  config: CtyObject,
  version: string | undefined,
): readonly Diagnostic[] {
  const wanted = textArgument(config, "package_version");
  if (version === undefined || !isKnown(wanted) || wanted === version) return [];
  return check(["package_version"], () => {
    throw new IamTokensError(
      "ERR_VERSION_MISMATCH",
      `The stack was synthesized by version ${shown(wanted)} of cdktf-iam-tokens, and the provider that runs is ${version}.`,
    );
  });
}

function shown(version: string): string {
  return /^[\w.+-]{1,40}$/.test(version) ? version : "(not a version)";
}
