import type { Check } from "../check";
import { checkCliConfiguration } from "./cli-configuration";
import { checkClock } from "./clock";
import { checkCredentials } from "./credentials";
import { checkEnvironment } from "./environment";
import { checkIdentityService } from "./identity-service";
import { checkIssue } from "./issue";
import { checkLeftOvers } from "./left-overs";
import { checkLockFiles } from "./lock-files";
import { checkNode } from "./node";
import { checkPluginCache } from "./plugin-cache";
import { checkProject } from "./project";
import { checkProviderFiles } from "./provider-files";
import { checkRequiredProviders } from "./required-providers";
import { checkRotationAge } from "./rotation-age";
import { checkSecretFiles } from "./secret-files";
import { checkTerraform } from "./terraform";
import { checkValueFiles } from "./value-files";

/** The checks by their names, which are stable, in the order in which one thing needs the other. */
export const CHECK_OF = {
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
  "left-overs": checkLeftOvers,
  "rotation-age": checkRotationAge,
} as const satisfies Record<string, Check>;

export type CheckId = keyof typeof CHECK_OF;

export const CHECKS = Object.keys(CHECK_OF) as readonly CheckId[];
