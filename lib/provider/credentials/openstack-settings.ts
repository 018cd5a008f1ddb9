import { BLOCK, defined, IamTokensError, ofProcess, words } from "../../tokens";
import { isSecretArgument, PARTS, PROJECT, WAYS, type Way } from "../../tokens/ways";
import type { SecretReference } from "../secrets/secret-reference";
import { list } from "../wording";
import { filesBy, type GivenProject, originOf, type Source, type SourceName } from "./source";

/** A setting of OpenStack's clients. An empty one is not given. */
export interface Setting {
  /** Its key in clouds.yaml, with `_`. */
  readonly key: string;
  /** Its name in messages: `username`, `OS_USERNAME`. */
  readonly name: string;
  readonly value: string;
  /** Its value, which messages may repeat. @throws ERR_CLOUDS_FILE_INVALID if it has a secret */
  readonly text: () => string;
}

/** The one value of the settings with these keys. @throws ERR_CREDENTIALS_MIXED of two values */
type Find = (...keys: readonly string[]) => Setting | undefined;

/**
 * Settings as one source: each part has the one value of its keys. openstacksdk has a precedence for
 * settings that differ; here they are refused, and what agrees is asked as openstacksdk asks it
 * (test/provider/credentials/openstacksdk.test.ts).
 *
 * @throws ERR_CREDENTIALS_UNSUPPORTED, ERR_CREDENTIALS_MIXED
 */
export function sourceOf(
  own: SourceName & Pick<Source, "givenBy">,
  settings: readonly Setting[],
  toSecret: (setting: Setting) => SecretReference,
  toPath: (text: string) => string,
): Source {
  const find: Find = (...keys) => {
    const [first, ...others] = settings.filter(({ key }) => keys.includes(key));
    const other = others.find(({ value }) => value !== first?.value);
    if (first === undefined || other === undefined) return first;
    const names = [...new Set([first.name, other.name])];
    const differ = names.length > 1 ? "differ" : "has two values, in auth and next to it";
    throw new IamTokensError(
      "ERR_CREDENTIALS_MIXED",
      words`In ${own.title}, ${list(names)} ${differ}.`,
      { remedy: "Keep one of them." },
    );
  };
  const ways = waysIn(own, find);
  return {
    ...own,
    given: partsIn(find, ways).map(([argument, setting]) => ({
      argument,
      name: setting.name,
      ...(isSecretArgument(argument) ? { secret: toSecret(setting) } : { text: setting.text() }),
    })),
    files: filesBy(own, (key) => {
      const path = find(key)?.text();
      return path === undefined ? undefined : toPath(path);
    }),
    unknown: [],
    ways,
    ...defined({ project: projectIn(own, find) }),
  };
}

/** The settings that give parts of the ways; those of another way have no effect. */
function partsIn(find: Find, ways: readonly Way[]) {
  const hasProject = (find(...PROJECT.id.keys) ?? find(...PROJECT.name.keys)) !== undefined;
  return PARTS.flatMap(({ argument, keys }) => {
    if (!ways.some(({ parts }) => parts.some((part) => part.argument === argument))) return [];
    // Without a project, domain_* is the token's scope, not the domain of its user.
    const own = keys.filter(
      (key) => !key.startsWith("domain") || hasProject || argument.startsWith("account"),
    );
    const found = find(...own);
    return found === undefined ? [] : [[argument, found] as const];
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
    }
  );
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
 * The ways of the requested type; all of them without one. Settings that cannot be used are refused:
 * if one were ignored, the token could have another meaning than the user intended.
 *
 * @throws ERR_CREDENTIALS_UNSUPPORTED
 */
function waysIn({ kind, title }: SourceName, find: Find): readonly Way[] {
  const type = find("auth_type");
  const ways = WAYS.filter(({ types }) => type === undefined || types.includes(type.text()));
  const [refused] = Object.entries(REFUSED).flatMap(([key, why]) => {
    const setting = find(key);
    return setting === undefined ? [] : [`${setting.name} ${why}.`];
  });
  const isNone = type !== undefined && ways.length === 0;
  const reason = isNone ? `${type.name} ${isNoType(type.text())}.` : refused;
  if (reason === undefined) return ways;
  const isCloud = kind === "keys";
  const beginning = isCloud ? words`In ${title}: ` : "";
  throw new IamTokensError("ERR_CREDENTIALS_UNSUPPORTED", words`${beginning}${ofProcess(reason)}`, {
    remedy: isCloud
      ? "Change the named settings, or add another entry for this provider."
      : words`Unset the named variables, or give all credentials in ${BLOCK}, which then ignores the environment.`,
  });
}

/** Its value is not repeated: in a file, it may be a secret at a wrong place. */
function isNoType(type: string): string {
  if (/totp|multifactor/.test(type)) return SECOND_FACTOR;
  if (/token$/.test(type)) return "selects a token; the provider issues tokens by itself";
  return `is not ${list([...new Set(WAYS.flatMap(({ types }) => types))], "or")}`;
}
