import { readFileSync } from "node:fs";
import { errorCodeOf, IamTokensError } from "../../tokens";

/** The variables for `passwordEnv` and `secretEnv`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads a configuration file, and inserts what `passwordEnv` and `secretEnv` refer to, and the
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
  try {
    return JSON.parse(text, function (this: Record<string, unknown>, key, value) {
      if (key === "staticTokens" && Array.isArray(value))
        return value.map((item) => toStaticToken(item, env));
      if (key !== "passwordEnv" && key !== "secretEnv") return value;
      const member = key.slice(0, -"Env".length);
      if (member in this) throw refused(`${key} is given together with a ${member}.`);
      this[member] = variableOf(key, value, env);
      // Without a value, the member is removed.
      return undefined;
    });
  } catch (error) {
    // The parser's own message quotes a part of the file, which may be a password.
    throw IamTokensError.is(error) ? error : refused(`The file ${file} is not JSON.`);
  }
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
