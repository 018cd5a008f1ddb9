import { checkCredentials, checkIssue } from "./checks/credentials";
import { checkClock, checkIdentityService } from "./checks/identity-service";
import { checkInit } from "./checks/init";
import { checkEnvironment, checkNode, checkTerraform } from "./checks/machine";
import { checkProject, checkRequiredProviders } from "./checks/project";
import { checkLockFiles, checkProviderFiles } from "./checks/provider-files";
import { checkSecretFiles, checkValueFiles } from "./checks/secret-files";
import type { Check, DoctorContext } from "./doctor-context";
import type { Finding } from "./finding";

/** The checks by their stable names, in the order of their dependencies. */
const CHECK_OF = {
  node: checkNode,
  terraform: checkTerraform,
  project: checkProject,
  "required-providers": checkRequiredProviders,
  "provider-files": checkProviderFiles,
  "lock-files": checkLockFiles,
  environment: checkEnvironment,
  init: checkInit,
  credentials: checkCredentials,
  "identity-service": checkIdentityService,
  clock: checkClock,
  issue: checkIssue,
  "secret-files": checkSecretFiles,
  "value-files": checkValueFiles,
} as const satisfies Record<string, Check>;

export type CheckId = keyof typeof CHECK_OF;

export const CHECKS = Object.keys(CHECK_OF) as readonly CheckId[];

/** A finding, with the check that found it. */
interface CheckedFinding extends Finding {
  readonly check: CheckId;
}

/**
 * Runs checks one after another: each line is printed as soon as it is known.
 */
export async function* runChecks(
  checks: readonly CheckId[],
  context: DoctorContext,
): AsyncGenerator<CheckedFinding> {
  for (const check of checks) {
    for (const finding of [await context.findings(CHECK_OF[check])].flat())
      yield { check, ...finding };
  }
}
