import { defined, IamTokensError, ofProcess, type Text, words } from "../../tokens";
import { PARTS, PROJECT, WAYS, type Way } from "../../tokens/ways";
import { list } from "../wording";
import { type Given, type GivenProject, originOf, type Source } from "./source";

/**
 * Settings of OpenStack's clients, by the keys of clouds.yaml, from variables or from a cloud. An
 * empty one is not given.
 */
export interface Settings {
  /** The one of these keys that counts. */
  readonly first: (keys: readonly string[]) => string | undefined;
  /** The value of a key, which messages may repeat. */
  readonly text: (key: string) => string | undefined;
  /** Its name in messages: `OS_USERNAME`. */
  readonly nameOf: (key: string) => string;
}

/**
 * What the settings give for the parts of a way of signing in, as openstacksdk uses them: of
 * several for one part the first counts; those of another way than the requested type have no
 * effect.
 */
export function givenIn(
  settings: Settings,
  toValue: (key: string, argument: Given["argument"]) => Given["value"],
): readonly Given[] {
  const { first, text, nameOf } = settings;
  const ways = waysIn(settings);
  const type = text("auth_type") ?? "password";
  const has = (...keys: readonly string[]) => first(keys) !== undefined;
  const hasProject = has(...PROJECT.id.keys, ...PROJECT.name.keys);
  const hasDomain = ["user_domain", "project_domain", "domain"].some((each) =>
    has(`${each}_id`, `${each}_name`),
  );
  const counts = (key: string, argument: Given["argument"]): boolean => {
    // Only the plugin that finds out the version knows a default.
    if (key.startsWith("default_domain")) return type === "password" || !hasDomain;
    // Without a project, it is the scope, and says nothing of the user.
    return !key.startsWith("domain") || hasProject || argument.startsWith("account");
  };
  const chosen = new Map(
    PARTS.flatMap(({ argument, keys }) => {
      const isUsed = ways.some(({ parts }) => parts.some((part) => part.argument === argument));
      const key = isUsed ? first(keys.filter((each) => counts(each, argument))) : undefined;
      return key === undefined ? [] : [[argument, key] as const];
    }),
  );
  return [...chosen].flatMap(([argument, key]) => {
    // Of a domain, the id is sent: a name from elsewhere would be that of another one.
    const id = [...chosen].find(([each]) => each === argument.replace(/domain_name$/, "domain_id"));
    const isOther = id !== undefined && familyOf(id[1]) !== familyOf(key);
    return isOther ? [] : [{ argument, name: nameOf(key), value: toValue(key, argument) }];
  });
}

/** The project that settings of OpenStack's clients name. */
export function projectIn(
  source: Pick<Source, "kind" | "title">,
  { first, text, nameOf }: Settings,
): GivenProject | undefined {
  const [id, name] = [first(PROJECT.id.keys), first(PROJECT.name.keys)];
  const key = id ?? name;
  if (key === undefined) return undefined;
  const project = { id: id && text(id), name: name && text(name) };
  return { ...defined(project), origin: originOf(source, nameOf(key)) };
}

const familyOf = (key: string) => key.replace(/_(?:id|name)$/, "");

/** The ways of the type that the settings request; all of them without one. */
export function waysIn({ text }: Settings): readonly Way[] {
  const type = text("auth_type");
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
export function assertSupported(settings: Settings, beginning: Text, remedy: Text): void {
  const { first, text, nameOf } = settings;
  const reasons = Object.entries(REFUSED).flatMap(([key, why]) =>
    first([key]) === undefined ? [] : [`${nameOf(key)} ${why}.`],
  );
  if (waysIn(settings).length === 0)
    reasons.push(`${nameOf("auth_type")} ${isNoType(text("auth_type") ?? "")}.`);
  const [reason, ...others] = reasons;
  if (reason === undefined) return;
  throw new IamTokensError("ERR_CREDENTIALS_UNSUPPORTED", words`${beginning}${ofProcess(reason)}`, {
    remedy,
    ...(others.length > 0 && { more: others.join(" ") }),
  });
}

/** Its value is not repeated: in a file, it may be a secret at a wrong place. */
function isNoType(type: string): string {
  if (/totp|multifactor/.test(type)) return SECOND_FACTOR;
  if (/token/.test(type)) return "selects a token; the provider issues tokens by itself";
  return `is not ${list([...new Set(WAYS.flatMap(({ types }) => types))], "or")}`;
}
