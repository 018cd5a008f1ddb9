import { errorCodeOf, IamTokensError } from "../../tokens";
import { checkCliConfiguration, checkPluginCache } from "./checks/cli-configuration";
import { checkCredentials, checkIssue } from "./checks/credentials";
import { checkClock, checkIdentityService } from "./checks/identity-service";
import { checkEnvironment, checkNode, checkTerraform } from "./checks/machine";
import { checkProject, checkRequiredProviders } from "./checks/project";
import { checkLockFiles, checkProviderFiles } from "./checks/provider-files";
import { checkRotationAge } from "./checks/rotation-age";
import { checkSecretFiles, checkValueFiles } from "./checks/secret-files";
import type { DoctorContext } from "./doctor-context";
import { type Check, type Finding, type Findings, failure, failureOf } from "./finding";

/** The checks by their stable names, in the order of their dependencies. */
const CHECK_OF = {
  node: checkNode,
  terraform: checkTerraform,
  project: checkProject,
  "required-providers": checkRequiredProviders,
  "provider-files": checkProviderFiles,
  "lock-files": checkLockFiles,
  "cli-configuration": checkCliConfiguration,
  "plugin-cache": checkPluginCache,
  environment: checkEnvironment,
  credentials: checkCredentials,
  "identity-service": checkIdentityService,
  clock: checkClock,
  issue: checkIssue,
  "secret-files": checkSecretFiles,
  "value-files": checkValueFiles,
  "rotation-age": checkRotationAge,
} as const satisfies Record<string, Check>;

export type CheckId = keyof typeof CHECK_OF;

export const CHECKS = Object.keys(CHECK_OF) as readonly CheckId[];

/** A finding, with the check that found it. */
interface CheckedFinding extends Finding {
  readonly check: CheckId;
}

/** Above all time limits of the checks themselves. */
const LIMIT_MS = 180_000;

/**
 * Runs checks one after another: each line is printed as soon as it is known.
 */
export async function* runChecks(
  checks: readonly CheckId[],
  context: DoctorContext,
): AsyncGenerator<CheckedFinding> {
  for (const check of checks) {
    for (const finding of [await bounded(CHECK_OF[check], context)].flat())
      yield { check, ...finding };
  }
}

async function bounded(check: Check, context: DoctorContext): Promise<Findings> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Finding>((resolve) => {
    const finding = failure("The check timed out.", "Run this check alone, with --only.");
    timer = setTimeout(resolve, LIMIT_MS, finding);
  });
  try {
    return await Promise.race([check(context), late]);
  } catch (error) {
    if (IamTokensError.is(error)) return failureOf(error);
    const code = errorCodeOf(error);
    // An error that is not from the file system is ours: the command reports it as such.
    if (code === undefined || !/^E[A-Z0-9]{2,20}$/.test(code)) throw error;
    return failure(
      `The check cannot read its files (${code}).`,
      "Make sure that the user who runs the command may read the project's files.",
    );
  } finally {
    clearTimeout(timer);
  }
}
