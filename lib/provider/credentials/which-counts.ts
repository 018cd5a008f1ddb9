import { BLOCK, IamTokensError, ofProcess, type Text, words } from "../../tokens";
import { type Argument, isKnown } from "../configuration/argument";
import { type ProcessContext, variableOf } from "../process/process-context";
import { are, list } from "../wording";
import type { Source } from "./source";

/** Where credentials come from, with the cloud that somebody names. */
export type SelectedSource = { readonly givenBy: "block" | "environment" } | SelectedCloud;

/** A cloud that the provider block names (`cloud`), or OS_CLOUD. */
export interface SelectedCloud {
  readonly givenBy: "cloud" | "environment";
  readonly cloud: string;
}

/**
 * The one source: the block if it gives any part of a way of signing in, otherwise the cloud that
 * it names, otherwise that of OS_CLOUD, otherwise the variables. Together with OS_CLOUD,
 * openstacksdk ignores OS_USERNAME and the like, but in the `openstack` command they win: the
 * combination is refused.
 *
 * @param variables those that give parts
 * @throws ERR_CREDENTIALS_MIXED, ERR_CREDENTIALS_MISSING
 */
export function selectedSource(
  { source, cloud }: { readonly source: Source; readonly cloud: Argument<string> },
  variables: readonly string[],
  context: ProcessContext,
): SelectedSource {
  if (source.given.length > 0) return { givenBy: "block" };
  if (isKnown(cloud)) return { givenBy: "cloud", cloud };
  const selected = variableOf(context, "OS_CLOUD");
  const isVariables = selected === undefined || selected === "envvars";
  if (variables.length > 0 && isVariables) return { givenBy: "environment" };
  if (variables.length > 0) throw twoSources(ofProcess("OS_CLOUD"), variables);
  if (selected !== undefined) return { givenBy: "environment", cloud: selected };
  throw new IamTokensError(
    "ERR_CREDENTIALS_MISSING",
    words`Neither ${BLOCK} nor ${ofProcess("the environment")} gives credentials.`,
  );
}

/** The error of a selected cloud together with other parts of the credentials. */
export function twoSources(selector: Text, beside: readonly Text[]): IamTokensError {
  return new IamTokensError(
    "ERR_CREDENTIALS_MIXED",
    words`${selector} names an entry of clouds.yaml, but ${are(beside)} given: two sources.`,
    { remedy: words`Remove ${selector}, or remove ${list(beside)}.` },
  );
}
