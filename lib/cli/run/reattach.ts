import type { ReattachConfig } from "../../plugin/serve/serve-attached";
import { PROVIDER_SOURCE } from "../../provider/names";
import { IamTokensError } from "../../tokens";

/** The variable that names running providers for Terraform and OpenTofu. */
export const REATTACH = "TF_REATTACH_PROVIDERS";

/** Running providers by their source addresses. Other providers are passed on unchanged. */
export type Reattached = Readonly<Record<string, unknown>>;

/**
 * The existing value; empty if the variable is not set or empty.
 *
 * @throws ERR_USAGE if it is not a JSON object: Terraform would refuse it as well, but only after
 * the programs that run before it
 */
export function parseReattached(text: string | undefined): Reattached {
  if (text === undefined || text.trim() === "") return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Reattached;
  throw new IamTokensError("ERR_USAGE", `${REATTACH} is set, but is not a JSON object.`, {
    allowed: "the value that a running provider printed for it",
    remedy: `Correct it, or unset it: unset ${REATTACH}.`,
  });
}

/**
 * The variables for a command. Ours replaces another provider with the same address.
 */
export function reattachVariables(
  present: Reattached,
  ours: ReattachConfig,
): Readonly<Record<string, string>> {
  return {
    [REATTACH]: JSON.stringify({ ...present, [PROVIDER_SOURCE]: ours }),
    // The lock file needs no entry for a running provider, and no registry could provide one.
    CDKTF_SKIP_PROVIDER_LOCK: "true",
  };
}
