import type { ReattachConfig } from "../../plugin/serve/serve-attached";
import { PROVIDER_SOURCE } from "../../provider/names";
import { IamTokensError } from "../../tokens";

/** The variable by which Terraform and OpenTofu are told of running providers. */
export const REATTACH = "TF_REATTACH_PROVIDERS";

/** Running providers by their source addresses. Those of others are handed on as they are. */
export type Reattached = Readonly<Record<string, unknown>>;

/**
 * What is set already; nothing when the variable is not set or empty.
 *
 * @throws ERR_USAGE when it is no JSON object: Terraform would refuse it too, but only after what
 * runs before it
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
  throw new IamTokensError("ERR_USAGE", `${REATTACH} is set, and is no JSON object.`, {
    allowed: "what a running provider has printed for it",
    remedy: `Correct it, or unset it: unset ${REATTACH}.`,
  });
}

/**
 * The variables that a command gets. Ours takes the place of another provider of the same address.
 */
export function reattachVariables(
  present: Reattached,
  ours: ReattachConfig,
): Readonly<Record<string, string>> {
  return {
    [REATTACH]: JSON.stringify({ ...present, [PROVIDER_SOURCE]: ours }),
    // The lock file needs no entry for a provider that is running, and no registry could give one.
    CDKTF_SKIP_PROVIDER_LOCK: "true",
  };
}

/**
 * The socket of the provider that is attached already under our address; undefined when there is
 * none.
 */
export function attachedSocket(present: Reattached): string | undefined {
  const entry = present[PROVIDER_SOURCE] as
    | { readonly Addr?: { readonly Network?: unknown; readonly String?: unknown } }
    | null
    | undefined;
  const { Network: network, String: socket } = entry?.Addr ?? {};
  return network === "unix" && typeof socket === "string" && socket !== "" ? socket : undefined;
}
