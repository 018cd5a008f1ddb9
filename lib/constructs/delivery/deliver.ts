import { mkdirSync } from "node:fs";
import type { TerraformStack } from "cdktf";
import { PROVIDER_SOURCE } from "../../provider/schema/names";
import { layOutProvider } from "./lay-out";
import { updateLockFile } from "./lock/lock-file";
import type { MergedLock } from "./lock/merge-lock";
import { readProviderFiles } from "./provider-files";
import { requiredProvidersOf } from "./required-providers";
import { writing } from "./write-failed";

/**
 * Puts the embedded provider and its lock entry into a stack's folder, so that `terraform init` finds it with no registry and no
 * configuration.
 *
 * @throws ERR_PROVIDER_FILES_MISSING, ERR_WRITE_FAILED
 */
export function deliverProvider(stack: TerraformStack, stackFolder: string): MergedLock | undefined {
  const provider = readProviderFiles();
  writing(stackFolder, () => mkdirSync(stackFolder, { recursive: true }));
  layOutProvider(stackFolder, provider);
  return updateLockFile(
    stackFolder,
    { source: PROVIDER_SOURCE, version: provider.version, h1: provider.h1 },
    requiredProvidersOf(stack),
  );
}
