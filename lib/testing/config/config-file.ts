import { readFileSync } from "node:fs";
import { errorCodeOf, IamTokensError } from "../../tokens";

/** The variables for `passwordEnv`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads a configuration file, and inserts the passwords that `passwordEnv` refers to, and the
 * static tokens of `{ "env": NAME }`.
 *
 * The result is not checked: {@link parseSettings} does that.
 *
 * @throws ERR_TESTING_CONFIG_INVALID if the file cannot be read, is not JSON, or refers to a
 * variable that is not set
 */
export function readConfigFile(file: string, env: Environment): unknown {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw refused(`The file ${file} cannot be read (${errorCodeOf(error) ?? "unknown error"}).`);
  }
  let config: unknown;
  try {
    config = JSON.parse(text);
  } catch {
    // The parser's own message quotes a part of the file, which may be a password.
    throw refused(`The file ${file} is not JSON.`);
  }
  return withSecrets(config, env);
}

function withSecrets(value: unknown, env: Environment): unknown {
  if (Array.isArray(value)) return value.map((item) => withSecrets(item, env));
  if (typeof value !== "object" || value === null) return value;
  const { passwordEnv, ...rest } = value as Record<string, unknown>;
  const members = Object.fromEntries(
    Object.entries(rest).map(([key, member]) => [
      key,
      key === "staticTokens" && Array.isArray(member)
        ? member.map((item) => toStaticToken(item, env))
        : withSecrets(member, env),
    ]),
  );
  if (passwordEnv === undefined) return members;
  if ("password" in members) throw refused("passwordEnv is given together with a password.");
  return { ...members, password: variableOf("passwordEnv", passwordEnv, env) };
}

/** Anything but `{ "env": NAME }` stays as it is, for the check of the configuration. */
function toStaticToken(item: unknown, env: Environment): unknown {
  if (typeof item !== "object" || item === null || !("env" in item)) return item;
  return Object.keys(item).length === 1 ? variableOf("env of a static token", item.env, env) : item;
}

function variableOf(what: string, name: unknown, env: Environment): string {
  if (typeof name !== "string" || !/^[A-Za-z_]\w*$/.test(name))
    throw refused(`${what} is not the name of an environment variable.`);
  const value = env[name];
  if (value === undefined || value === "")
    throw refused(`The environment variable ${name} is not set, or empty.`);
  return value;
}

function refused(problem: string): IamTokensError {
  return new IamTokensError("ERR_TESTING_CONFIG_INVALID", problem);
}
