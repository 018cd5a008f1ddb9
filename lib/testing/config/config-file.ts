import { readFileSync } from "node:fs";
import { errorCodeOf, IamTokensError } from "../../tokens";

/** The variables for `passwordEnv`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads a configuration file, and inserts the passwords that `passwordEnv` refers to.
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
  return withPasswords(config, env);
}

function withPasswords(value: unknown, env: Environment): unknown {
  if (Array.isArray(value)) return value.map((item) => withPasswords(item, env));
  if (typeof value !== "object" || value === null) return value;
  const { passwordEnv, ...rest } = value as Record<string, unknown>;
  const members = Object.fromEntries(
    Object.entries(rest).map(([key, member]) => [key, withPasswords(member, env)]),
  );
  if (passwordEnv === undefined) return members;
  if (typeof passwordEnv !== "string" || !/^[A-Za-z_]\w*$/.test(passwordEnv))
    throw refused("passwordEnv is not the name of an environment variable.");
  if ("password" in members)
    throw refused(`passwordEnv ${passwordEnv} is given together with a password.`);
  const password = env[passwordEnv];
  if (password === undefined || password === "")
    throw refused(`The environment variable ${passwordEnv} is not set, or empty.`);
  return { ...members, password };
}

function refused(problem: string): IamTokensError {
  return new IamTokensError("ERR_TESTING_CONFIG_INVALID", problem);
}
