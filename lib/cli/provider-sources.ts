import { join } from "node:path";
import { readJson } from "../delivery/files";
import { member } from "../hcl/json";
import { isProviderSource, PROVIDER_SOURCE, SOURCE_CONTEXT, SOURCE_FORM } from "../provider/names";
import { IamTokensError, quote } from "../tokens";

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
  const all = [PROVIDER_SOURCE, ...(project === undefined ? [] : [project]), ...given];
  return all.map((source) => {
    if (isProviderSource(source)) return source;
    throw new IamTokensError(
      "ERR_PROVIDER_SOURCE_INVALID",
      `The provider's address is ${quote(String(source))}.`,
      { allowed: SOURCE_FORM },
    );
  });
}
