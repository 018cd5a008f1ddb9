import { readFileSync } from "node:fs";
import { IamTokensError } from "../tokens";
import type { EmbeddedIdentityConfig } from "./identity/config";

/**
 * The environment variable of the default user's password: the one that the quick start's stack
 * reads.
 */
export const PASSWORD_VARIABLE = "SERVICE_USER_PASSWORD";

/** Account 123456 with one service user that may do everything. */
export function toDefaultConfig(password: string): EmbeddedIdentityConfig {
  return {
    accountId: "123456",
    serviceUsers: [
      { name: "deployer", password, permission: { account: true, projects: ["web"] } },
    ],
  };
}

/**
 * Reads a configuration file, and puts the passwords that it refers to by `passwordEnv` in.
 *
 * What comes back is not checked yet: {@link parseSettings} does.
 *
 * @throws ERR_TESTING_CONFIG_INVALID when the file cannot be read, is not JSON, or refers to a
 * variable that is not set
 */
export function readConfigFile(
  file: string,
  env: Readonly<Record<string, string | undefined>>,
): unknown {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw refuse(
      `The file ${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown error"}).`,
    );
  }
  let config: unknown;
  try {
    config = JSON.parse(text);
  } catch {
    // The parser's own text shows a piece of the file, which may be a password.
    throw refuse(`The file ${file} is not JSON.`);
  }
  return withPasswords(config, env);
}

function withPasswords(value: unknown, env: Readonly<Record<string, string | undefined>>): unknown {
  if (Array.isArray(value)) return value.map((item) => withPasswords(item, env));
  if (typeof value !== "object" || value === null) return value;
  const { passwordEnv, ...rest } = value as Record<string, unknown>;
  const members = Object.fromEntries(
    Object.entries(rest).map(([key, member]) => [key, withPasswords(member, env)]),
  );
  if (passwordEnv === undefined) return members;
  if (typeof passwordEnv !== "string" || !/^[A-Za-z_]\w*$/.test(passwordEnv)) {
    throw refuse("passwordEnv is not the name of an environment variable.");
  }
  if ("password" in members) throw refuse(`passwordEnv ${passwordEnv} stands beside a password.`);
  const password = env[passwordEnv];
  if (password === undefined || password === "")
    throw refuse(`The environment variable ${passwordEnv} is not set, or empty.`);
  return { ...members, password };
}

function refuse(problem: string): IamTokensError {
  return new IamTokensError("ERR_TESTING_CONFIG_INVALID", problem);
}
