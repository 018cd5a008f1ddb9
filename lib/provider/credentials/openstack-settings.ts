import { BLOCK, defined, IamTokensError, ofProcess, words } from "../../tokens";
import {
  isSecretArgument,
  PARTS,
  type PartArgument,
  PROJECT,
  WAYS,
  type Way,
} from "../../tokens/ways";
import type { SecretReference } from "../secrets/secret-reference";
import { list } from "../wording";
import { filesBy, type GivenProject, originOf, type Source, type SourceName } from "./source";

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
type Find<Given extends Setting = Setting> = (...keys: readonly string[]) => Given | undefined;

/** Of these, the value beside `auth` counts before that below it. */
const isBesideFirst = (key: string) => /^(?:(?:user_|project_)?domain|project|tenant)/.test(key);

/** Reads settings as openstacksdk does; of those of one key at one place the last counts. */
export function readerOf<Given extends Setting>(settings: readonly Given[]): Find<Given> {
  const known = new Map(settings.map((each) => [`${each.place} ${each.key}`, each]));
  return (...keys) => {
    // Key by key, or place by place.
    const turns = keys.some(isBesideFirst) ? keys.map((key) => [key]) : [keys];
    const names = turns.flatMap((turn) => {
      const places = turn.some(isBesideFirst) ? ["beside", "auth"] : ["auth", "beside"];
      return places.flatMap((place) => turn.map((key) => `${place} ${key}`));
    });
    return names.flatMap((name) => known.get(name) ?? [])[0];
  };
}

/**
 * Settings as one source, as openstacksdk uses them.
 *
 * @throws ERR_CREDENTIALS_UNSUPPORTED
 */
export function sourceOf<Given extends Setting>(
  own: SourceName & Pick<Source, "source">,
  settings: readonly Given[],
  toSecret: (setting: Given) => SecretReference,
  toPath: (text: string) => string,
): Source {
  const find = readerOf(settings);
  assertSupported(own, find);
  const chosen = chosenIn(find);
  return {
    ...own,
    texts: chosen.flatMap(([argument, setting]) =>
      isSecretArgument(argument) ? [] : [{ argument, name: setting.name, text: setting.text() }],
    ),
    secrets: chosen.flatMap(([argument, setting]) =>
      isSecretArgument(argument)
        ? [{ argument, name: setting.name, secret: toSecret(setting) }]
        : [],
    ),
    files: filesBy(own, (key) => {
      const path = find(key)?.text();
      return path === undefined ? undefined : toPath(path);
    }),
    unknown: [],
    ways: waysIn(find),
    ...defined({ project: projectIn(own, find) }),
  };
}

/**
 * The settings that give parts of a way of signing in: of several for one part the first counts;
 * those of another way than the requested type have no effect.
 */
function chosenIn<Given extends Setting>(
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
    // Only the plugin that finds out the version knows a default.
    if (key.startsWith("default_domain")) return type === "password" || !hasDomain;
    // Without a project, it is the scope, and says nothing of the user.
    return !key.startsWith("domain") || hasProject || argument.startsWith("account");
  };
  const chosen = PARTS.flatMap(({ argument, keys }) => {
    const isUsed = ways.some(({ parts }) => parts.some((part) => part.argument === argument));
    const setting = isUsed ? find(...keys.filter((each) => counts(each, argument))) : undefined;
    return setting === undefined ? [] : [[argument, setting] as const];
  });
  // Of a domain, the id is sent: a name from elsewhere would be that of another one.
  return chosen.filter(([argument, { key }]) => {
    const [, id] =
      chosen.find(([each]) => each === argument.replace(/domain_name$/, "domain_id")) ?? [];
    return id === undefined || familyOf(id.key) === familyOf(key);
  });
}

/** The project that settings of OpenStack's clients name. */
function projectIn(own: SourceName, find: Find): GivenProject | undefined {
  const [id, name] = [find(...PROJECT.id.keys), find(...PROJECT.name.keys)];
  const deciding = id ?? name;
  return (
    deciding && {
      ...defined({ id: id?.text(), name: name?.text() }),
      origin: originOf(own, deciding.name),
      ...defined({ nameOrigin: id && name && originOf(own, name.name) }),
    }
  );
}

const familyOf = (key: string) => key.replace(/_(?:id|name)$/, "");

/** The ways of the type that the settings request; all of them without one. */
function waysIn(find: Find): readonly Way[] {
  const type = find("auth_type")?.text();
  return type === undefined ? WAYS : WAYS.filter(({ types }) => types.includes(type));
}

const TOKEN = "is a token (not repeated here); the provider issues tokens by itself";
const SECOND_FACTOR =
  "requires a second factor, which a pipeline does not have; an application credential or an identity token needs none";
const SCOPE = "requests a scope that the service does not have";

/** Settings of other ways of signing in, or of other scopes, and why each is refused. */
export const REFUSED: Readonly<Record<string, string>> = {
  token: TOKEN,
  auth_token: TOKEN,
  passcode: SECOND_FACTOR,
  trust_id: SCOPE,
  system_scope: SCOPE,
};

/**
 * Refuses settings that cannot be used. If one were ignored, the token could have another meaning
 * than the user intended.
 *
 * @throws ERR_CREDENTIALS_UNSUPPORTED
 */
function assertSupported({ kind, title }: SourceName, find: Find): void {
  const reasons = Object.entries(REFUSED).flatMap(([key, why]) => {
    const setting = find(key);
    return setting === undefined ? [] : [`${setting.name} ${why}.`];
  });
  const type = find("auth_type");
  if (type !== undefined && waysIn(find).length === 0)
    reasons.push(`${type.name} ${isNoType(type.text())}.`);
  const [reason, ...others] = reasons;
  if (reason === undefined) return;
  const isCloud = kind === "keys";
  const beginning = isCloud ? words`In ${title}: ` : "";
  throw new IamTokensError("ERR_CREDENTIALS_UNSUPPORTED", words`${beginning}${ofProcess(reason)}`, {
    remedy: isCloud
      ? "Change the named settings, or add another entry for this provider."
      : words`Unset the named variables, or give all credentials in ${BLOCK}, which then ignores the environment.`,
    ...(others.length > 0 && { more: others.join(" ") }),
  });
}

/** Its value is not repeated: in a file, it may be a secret at a wrong place. */
function isNoType(type: string): string {
  if (/totp|multifactor/.test(type)) return SECOND_FACTOR;
  if (/token/.test(type)) return "selects a token; the provider issues tokens by itself";
  return `is not ${list([...new Set(WAYS.flatMap(({ types }) => types))], "or")}`;
}
