import { PROVIDER_SOURCE } from "../provider/names";
import { LaidOutFiles, layOutProvider } from "./lay-out";
import type { RequiredProvider } from "./lock/command-line-note";
import { updateLockFile } from "./lock/lock-file";
import { type ProviderFiles, readProviderFiles } from "./provider-files";

interface Delivery {
  readonly provider: ProviderFiles;
  readonly laidOut: LaidOutFiles;
}

const deliveries = new WeakMap<object, Delivery>();

/** State shared by the stacks of one synthesis. */
function deliveryOf(synthesis: object): Delivery {
  const known = deliveries.get(synthesis);
  if (known !== undefined) return known;
  const delivery = {
    provider: readProviderFiles(),
    laidOut: new LaidOutFiles(),
  };
  deliveries.set(synthesis, delivery);
  return delivery;
}

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
  const { provider, laidOut } = deliveryOf(synthesis);
  layOutProvider(stackFolder, provider, laidOut);
  return updateLockFile(
    stackFolder,
    {
      source: PROVIDER_SOURCE,
      version: provider.version,
      hashes: [provider.unix.h1, provider.windows.h1],
    },
    required,
  );
}
