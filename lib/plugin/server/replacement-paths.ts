import type { AttributePath as AttributePathMessage, Init } from "../protocol";
import type { AttributePath, BlockSchema } from "../provider";
import { toSteps } from "./wire-diagnostic";

/**
 * The paths whose change replaces a resource. One that leads into a set ends at the set, as nothing
 * inside of it has a place.
 */
export function replacementPaths(
  paths: readonly AttributePath[] | undefined,
  block: BlockSchema,
): Init<AttributePathMessage>[] {
  return (paths ?? []).map((path) => ({ steps: toSteps(path, block) }));
}
