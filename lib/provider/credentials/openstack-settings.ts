import { BLOCK, defined, IamTokensError, ofProcess, words } from "../../tokens";
import { isSecretArgument, PROJECT, WAYS } from "../../tokens/ways";
import type { SecretReference } from "../secrets/secret-reference";
import { list } from "../wording";
import { filesBy, type GivenProject, originOf, type Source, type SourceName } from "./source";
import { type Find, findIn, partsIn, type Setting, waysIn } from "./which-counts";

/**
 * Settings as one source, as openstacksdk uses them.
 *
 * @throws ERR_CREDENTIALS_UNSUPPORTED
 */
export function sourceOf<Given extends Setting>(
  own: SourceName & Pick<Source, "givenBy">,
  settings: readonly Given[],
  toSecret: (setting: Given) => SecretReference,
  toPath: (text: string) => string,
): Source {
  const find = findIn(settings);
  assertSupported(own, find);
  return {
    ...own,
    given: partsIn(find).map(([argument, setting]) => ({
      argument,
      name: setting.name,
      ...(isSecretArgument(argument) ? { secret: toSecret(setting) } : { text: setting.text() }),
    })),
    files: filesBy(own, (key) => {
      const path = find(key)?.text();
      return path === undefined ? undefined : toPath(path);
    }),
    unknown: [],
    ways: waysIn(find),
    ...defined({ project: projectIn(own, find) }),
  };
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
