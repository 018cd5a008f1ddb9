import { PROVIDER_SOURCE } from "../provider/names";
import { LaidOutFiles, layOutProvider } from "./lay-out";
import type { RequiredProvider } from "./lock/cli-view";
import { updateLockFile } from "./lock/lock-file";
import type { MergedLock } from "./lock/merge-lock";
import { type ProviderFiles, readProviderFiles } from "./provider-files";

interface Delivery {
  readonly provider: ProviderFiles;
  readonly laidOut: LaidOutFiles;
}

const deliveries = new WeakMap<object, Delivery>();

/** What the stacks of one synthesis have in common. */
function deliveryOf(synthesis: object): Delivery {
  const known = deliveries.get(synthesis);
  if (known !== undefined) return known;
  const delivery = { provider: readProviderFiles(), laidOut: new LaidOutFiles() };
  deliveries.set(synthesis, delivery);
  return delivery;
}

/**
 * Puts the embedded provider and its lock entry into a stack's folder, so that `terraform init`
 * finds it with no registry and no configuration.
 *
 * @param required the providers that the stack's own configuration requires
 * @param synthesis anything that is one for all stacks of a synthesis
 * @throws ERR_PROVIDER_FILES_MISSING, ERR_WRITE_FAILED
 */
export function deliverProvider(
  stackFolder: string,
  required: readonly RequiredProvider[],
  synthesis: object,
): MergedLock | undefined {
  const { provider, laidOut } = deliveryOf(synthesis);
  layOutProvider(stackFolder, provider, laidOut);
  return updateLockFile(
    stackFolder,
    { source: PROVIDER_SOURCE, version: provider.version, h1: provider.h1 },
    required,
  );
}
