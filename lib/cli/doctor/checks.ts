import { errorCodeOf, IamTokensError } from "../../tokens";
import { checkCliConfiguration, checkPluginCache } from "./checks/cli-configuration";
import { checkCredentials, checkIssue } from "./checks/credentials";
import { checkClock, checkIdentityService } from "./checks/identity-service";
import { checkEnvironment, checkNode, checkTerraform } from "./checks/machine";
import { checkProject, checkRequiredProviders } from "./checks/project";
import { checkLockFiles, checkProviderFiles } from "./checks/provider-files";
import { checkRotationAge } from "./checks/rotation-age";
import { checkSecretFiles, checkValueFiles } from "./checks/secret-files";
import { type Check, cross, crossOf, type Finding, type Findings } from "./finding";
import type { Scene } from "./scene";

/** The checks by their names, which are stable, in the order in which one thing needs the other. */
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

/** A finding, and what has found it. */
interface Examined extends Finding {
  readonly check: CheckId;
}

/** Beyond all the bounds that the checks have themselves. */
const LIMIT_MS = 180_000;

/**
 * Runs checks, one after the other: so each line comes when it is known, and none waits for long.
 */
export async function* examine(checks: readonly CheckId[], scene: Scene): AsyncGenerator<Examined> {
  for (const check of checks) {
    for (const finding of [await bounded(CHECK_OF[check], scene)].flat())
      yield { check, ...finding };
  }
}

async function bounded(check: Check, scene: Scene): Promise<Findings> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Finding>((resolve) => {
    const finding = cross("The check has not ended in time.", "Run it by itself, with --only.");
    timer = setTimeout(resolve, LIMIT_MS, finding);
  });
  try {
    return await Promise.race([check(scene), late]);
  } catch (error) {
    if (IamTokensError.is(error)) return crossOf(error);
    const code = errorCodeOf(error);
    // What is no error of the file system is ours: the command tells it as such.
    if (code === undefined || !/^E[A-Z0-9]{2,20}$/.test(code)) throw error;
    return cross(
      `This cannot be looked at (${code}).`,
      "See that the user who runs the command may read the files of the project.",
    );
  } finally {
    clearTimeout(timer);
  }
}
