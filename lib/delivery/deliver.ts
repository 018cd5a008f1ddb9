import { PROVIDER_SOURCE } from "../provider/names";
import { layOutProvider, type WrittenFiles } from "./lay-out";
import type { RequiredProvider } from "./lock/command-line-note";
import { updateLockFile } from "./lock/lock-file";
import { type ProviderFiles, readProviderFiles } from "./provider-files";

/** What the stacks of a synthesis share. */
const syntheses = new WeakMap<
  object,
  { readonly provider: ProviderFiles; readonly written: WrittenFiles }
>();

/**
 * Copies the embedded provider and its lock entry into a stack's folder, where `terraform init`
 * finds it without a registry and without configuration.
 *
 * @param required the providers that the stack's own configuration requires
 * @param synthesis any object that all stacks of a synthesis share
 * @returns whether the lock file has Terraform's form; any other stays as it is
 * @throws ERR_PROVIDER_FILES_MISSING, ERR_WRITE_FAILED
 */
export function deliverProvider(
  stackFolder: string,
  required: readonly RequiredProvider[],
  synthesis: object,
): boolean {
  const shared = syntheses.get(synthesis) ?? {
    provider: readProviderFiles(),
    written: new Map(),
  };
  syntheses.set(synthesis, shared);
  const { provider, written } = shared;
  layOutProvider(stackFolder, provider, written);
  const hashes = [provider.unix.h1, provider.windows.h1];
  const own = { source: PROVIDER_SOURCE, version: provider.version, hashes };
  return updateLockFile(stackFolder, own, required);
}
