import { IamTokensError } from "../../tokens";
import { attachedNote, type Surroundings, variableOf } from "../surroundings";

/**
 * Variables of OpenStack's clients that would choose something here and cannot, and what says the
 * same.
 */
const INSTEAD: Readonly<Record<string, string>> = {
  OS_USER_ID: "OS_USERNAME",
  OS_USER_DOMAIN_ID: "OS_USER_DOMAIN_NAME",
  OS_DOMAIN_ID: "OS_USER_DOMAIN_NAME",
  OS_DEFAULT_DOMAIN_ID: "OS_USER_DOMAIN_NAME",
  OS_PROJECT_DOMAIN_ID: "OS_USER_DOMAIN_NAME",
  OS_PROJECT_ID: "OS_PROJECT_NAME",
  OS_TENANT_ID: "OS_PROJECT_NAME",
  OS_TENANT_NAME: "OS_PROJECT_NAME",
};

const TOKEN = "is a token (not repeated here); tokens are issued here, for a password";
const SCOPE = "asks for a scope that the service does not have";

/** Variables that ask for something else than a token for a password. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  OS_TOKEN: TOKEN,
  OS_AUTH_TOKEN: TOKEN,
  OS_PASSCODE: "asks for a second factor, and service users have none",
  OS_TRUST_ID: SCOPE,
  OS_SYSTEM_SCOPE: SCOPE,
};

/** The values of OS_AUTH_TYPE that mean what is done here. */
const PASSWORD_TYPES = ["password", "v3password"];

/**
 * Refuses, by name, what the environment says and token issuing cannot honour: ids (the service's
 * operation takes names), another account for projects than for the user, two different accounts,
 * another way to authenticate, a token, another scope. Ignored, each could give a token of
 * something else than was meant.
 *
 * @throws ERR_CREDENTIALS_UNSUPPORTED
 */
export function assertSupported(surroundings: Surroundings): void {
  const variable = (name: string): string | undefined => variableOf(surroundings, name);
  const reasons: string[] = [];
  for (const [name, instead] of Object.entries(INSTEAD)) {
    if (variable(name) !== undefined)
      reasons.push(`${name} is set and cannot be honoured; ${instead} says the same by name.`);
  }
  for (const [name, why] of Object.entries(ELSEWHERE)) {
    if (variable(name) !== undefined) reasons.push(`${name} ${why}.`);
  }
  const [user, domain, project] = [
    variable("OS_USER_DOMAIN_NAME"),
    variable("OS_DOMAIN_NAME"),
    variable("OS_PROJECT_DOMAIN_NAME"),
  ];
  if (user !== undefined && domain !== undefined && user !== domain) {
    reasons.push("OS_USER_DOMAIN_NAME and OS_DOMAIN_NAME give different account numbers.");
  }
  const account = user ?? domain;
  if (project !== undefined && account !== undefined && project !== account) {
    reasons.push(
      "OS_PROJECT_DOMAIN_NAME is another account than the user's: projects are those of the user's account.",
    );
  }
  const type = variable("OS_AUTH_TYPE");
  if (type !== undefined && !PASSWORD_TYPES.includes(type)) {
    reasons.push('OS_AUTH_TYPE asks for another way to authenticate than "password".');
  }
  if (reasons.length === 0) return;
  throw new IamTokensError(
    "ERR_CREDENTIALS_UNSUPPORTED",
    `${reasons.join(" ")}${attachedNote(surroundings)}`,
    {
      remedy:
        "Unset what is named (or give all credentials in the provider block, which then ignores the environment).",
    },
  );
}
