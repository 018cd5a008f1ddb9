import { resolve } from "node:path";
import { defined, IamTokensError } from "../../tokens";
import { isSecretArgument, PARTS, WAYS, type Way } from "../../tokens/ways";
import { type ProcessContext, variableOf, variablesGiving } from "../process/process-context";
import { list } from "../wording";
import { filesBy, givenBy, projectBy, type Source, type TlsFiles } from "./source";

const ENVIRONMENT = { kind: "variables", title: "the environment" } as const;

/** The variables that give parts of a way of signing in. */
export function partVariables(context: ProcessContext): readonly string[] {
  return PARTS.flatMap((part) => variablesGiving(part, context));
}

/**
 * What the OS_ variables give.
 *
 * @param folder the folder of relative files
 * @throws ERR_CREDENTIALS_UNSUPPORTED
 */
export function environmentSource(context: ProcessContext, folder: string): Source {
  const variable = (name: string) => variableOf(context, name);
  const nameOf = (setting: string) => `OS_${setting.toUpperCase()}`;
  assertSupported(
    (setting) => variable(nameOf(setting)),
    nameOf,
    "",
    "Unset the named variables, or give all credentials in the provider block, which then ignores the environment.",
  );
  return {
    ...ENVIRONMENT,
    source: "environment",
    given: givenBy("variables", (name, argument) => {
      const value = variable(name);
      return value !== undefined && isSecretArgument(argument)
        ? { kind: "env", name, origin: name }
        : value;
    }),
    files: filesIn(context, folder),
    ways: waysOfType(variable("OS_AUTH_TYPE")),
    empty: Object.keys(context.variables).filter((name) => context.variables[name] === ""),
    ...defined({ project: projectBy(ENVIRONMENT, variable) }),
  };
}

/** OS_CACERT, OS_CERT and OS_KEY. */
export function filesIn(context: ProcessContext, folder: string): TlsFiles {
  return filesBy(ENVIRONMENT, (name) => {
    const path = variableOf(context, name);
    return path && resolve(folder, path);
  });
}

/** Settings of OpenStack's clients without support here, and those that say the same by name. */
export const INSTEAD: Readonly<Record<string, string>> = {
  default_domain_id: "user_domain_name",
};

const TOKEN = "is a token (not repeated here); the provider issues tokens by itself";
const SCOPE = "requests a scope that the service does not have";

/** Settings of other ways of signing in, or of other scopes, and why each is refused. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  token: TOKEN,
  auth_token: TOKEN,
  passcode:
    "requires a second factor, which a pipeline does not have; an application credential or an identity token needs none",
  trust_id: SCOPE,
  system_scope: SCOPE,
};

/**
 * Refuses settings of OpenStack's clients that cannot be used. If one were ignored, the token could
 * have another meaning than the user intended.
 *
 * @throws ERR_CREDENTIALS_UNSUPPORTED
 */
export function assertSupported(
  read: (setting: string) => string | undefined,
  nameOf: (setting: string) => string,
  beginning: string,
  remedy: string,
): void {
  const isGiven = ([setting]: readonly [string, string]) => read(setting) !== undefined;
  const type = read("auth_type");
  const types = list([...new Set(WAYS.flatMap((way) => way.types))], "or");
  const reasons = [
    ...Object.entries(INSTEAD)
      .filter(isGiven)
      .map(
        ([id, name]) => `${nameOf(id)} is not supported; ${nameOf(name)} does the same by name.`,
      ),
    ...Object.entries(ELSEWHERE)
      .filter(isGiven)
      .map(([setting, why]) => `${nameOf(setting)} ${why}.`),
    ...(type === undefined || waysOfType(type).length > 0
      ? []
      : [`${nameOf("auth_type")} is not ${types}.`]),
  ];
  if (reasons.length === 0) return;
  throw new IamTokensError("ERR_CREDENTIALS_UNSUPPORTED", beginning + reasons.join(" "), {
    remedy,
  });
}

/** The ways that a type (OS_AUTH_TYPE, `auth_type`) names; all of them without one. */
export function waysOfType(type: string | undefined): readonly Way[] {
  return type === undefined ? WAYS : WAYS.filter(({ types }) => types.includes(type));
}
