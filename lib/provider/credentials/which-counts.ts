import { BLOCK, IamTokensError, ofProcess, type Text, words } from "../../tokens";
import { PARTS, type PartArgument, PROJECT, WAYS, type Way } from "../../tokens/ways";
import { type Argument, isKnown } from "../configuration/argument";
import { type ProcessContext, variableOf } from "../process/process-context";
import { are, list } from "../wording";
import type { Source } from "./source";

// Which of several settings counts, from the source to the key. Within a cloud or the environment
// it is openstacksdk's rule, which test/provider/credentials/openstacksdk.test.ts asks.

/** Where credentials come from, with the cloud that somebody names. */
export type SelectedSource =
  | { readonly givenBy: "block" | "environment" }
  | { readonly givenBy: "cloud" | "environment"; readonly cloud: string };

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
  const isVariables = selected === undefined || selected === OF_VARIABLES;
  if (variables.length > 0 && isVariables) return { givenBy: "environment" };
  if (variables.length > 0) throw twoSources(ofProcess("OS_CLOUD"), variables);
  if (selected !== undefined) return { givenBy: "environment", cloud: selected };
  throw new IamTokensError(
    "ERR_CREDENTIALS_MISSING",
    words`Neither ${BLOCK} nor ${ofProcess("the environment")} gives credentials.`,
  );
}

/** The name of the cloud that the variables are. */
const OF_VARIABLES = "envvars";

/** The error of a selected cloud together with other parts of the credentials. */
export function twoSources(selector: Text, beside: readonly Text[]): IamTokensError {
  return new IamTokensError(
    "ERR_CREDENTIALS_MIXED",
    words`${selector} names an entry of clouds.yaml, but ${are(beside)} given: two sources.`,
    { remedy: words`Remove ${selector}, or remove ${list(beside)}.` },
  );
}

/** A setting of OpenStack's clients. An empty one is not given. */
export interface Setting {
  /** Below `auth` in clouds.yaml (variables count as below it), or beside it. */
  readonly place: "auth" | "beside";
  /** Its key in clouds.yaml, with `_`. */
  readonly key: string;
  /** Its name in messages: `username`, `OS_USERNAME`. */
  readonly name: string;
  /** Its value, which messages may repeat. */
  readonly text: () => string;
}

/** The one of the settings with these keys that counts. */
export type Find<Given extends Setting = Setting> = (
  ...keys: readonly string[]
) => Given | undefined;

/** For keys of projects and domains, a value next to `auth` wins over one inside it. */
const isBesideFirst = (key: string) => /^(?:(?:user_|project_)?domain|project|tenant)/.test(key);

/**
 * Of the settings with one key at one place, the last counts: secure.yaml's come after clouds.yaml's.
 */
export function findIn<Given extends Setting>(settings: readonly Given[]): Find<Given> {
  const known = new Map(settings.map((each) => [`${each.place} ${each.key}`, each]));
  return (...keys) => {
    // For those keys: each key in both places. For others: all keys in one place, then in the other.
    const turns = keys.some(isBesideFirst) ? keys.map((key) => [key]) : [keys];
    const names = turns.flatMap((turn) => {
      const places = turn.some(isBesideFirst) ? ["beside", "auth"] : ["auth", "beside"];
      return places.flatMap((place) => turn.map((key) => `${place} ${key}`));
    });
    return names.flatMap((name) => known.get(name) ?? [])[0];
  };
}

/** The ways of the type that the settings request; all of them without one. */
export function waysIn(find: Find): readonly Way[] {
  const type = find("auth_type")?.text();
  return type === undefined ? WAYS : WAYS.filter(({ types }) => types.includes(type));
}

/**
 * The settings that give parts of a way of signing in: of several for one part the first counts;
 * those of another way than the requested type have no effect.
 */
export function partsIn<Given extends Setting>(
  find: Find<Given>,
): readonly (readonly [PartArgument, Given])[] {
  const ways = waysIn(find);
  const type = find("auth_type")?.text() ?? "password";
  const has = (...keys: readonly string[]) => find(...keys) !== undefined;
  const hasProject = has(...PROJECT.id.keys, ...PROJECT.name.keys);
  const hasDomain = ["user_domain", "project_domain", "domain"].some((each) =>
    has(`${each}_id`, `${each}_name`),
  );
  const counts = (key: string, argument: PartArgument): boolean => {
    // keystoneauth reads default_domain_* with auth_type password, not with v3password.
    if (key.startsWith("default_domain")) return type === "password" || !hasDomain;
    // Without a project, domain_* is the token's scope, not the user's domain.
    return !key.startsWith("domain") || hasProject || argument.startsWith("account");
  };
  const chosen = PARTS.flatMap(({ argument, keys }) => {
    const isUsed = ways.some(({ parts }) => parts.some((part) => part.argument === argument));
    const found = isUsed ? find(...keys.filter((each) => counts(each, argument))) : undefined;
    return found === undefined ? [] : [[argument, found] as const];
  });
  // A domain's id is sent. Its name from another key may belong to another domain.
  return chosen.filter(([argument, { key }]) => {
    const [, id] =
      chosen.find(([each]) => each === argument.replace(/domain_name$/, "domain_id")) ?? [];
    return id === undefined || familyOf(id.key) === familyOf(key);
  });
}

const familyOf = (key: string) => key.replace(/_(?:id|name)$/, "");
