import { join } from "node:path";
import { readJson } from "../delivery/files";
import { member } from "../hcl/json";
import { PROVIDER_SOURCE } from "../provider/names";
import { SOURCE_CONTEXT, toProviderSource } from "../provider/provider-source";

/**
 * The addresses by which stacks may require this provider: that of the package, that of the
 * project's context, and given ones. Never what a stack itself requires: a provider of somebody
 * else may be called "iam" as well.
 *
 * @param folder of cdktf.json
 * @throws ERR_PROVIDER_SOURCE_INVALID
 */
export function providerSources(folder: string, given: readonly string[] = []): readonly string[] {
  const project = member(member(readJson(join(folder, "cdktf.json")), "context"), SOURCE_CONTEXT);
  const all = new Set([PROVIDER_SOURCE, project ?? PROVIDER_SOURCE, ...given]);
  return [...all].map((source) => toProviderSource("The provider's address", source));
}
