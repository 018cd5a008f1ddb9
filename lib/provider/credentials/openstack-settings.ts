import { WAYS, type Way } from "../../tokens/ways";
import { list } from "../configuration/wording";
import type { CredentialDescription } from "./credential-description";

/**
 * Settings of OpenStack's clients that would select something but have no support here, and their
 * replacement. As a variable: `OS_USER_ID`.
 */
export const INSTEAD: Readonly<Record<string, string>> = {
  user_id: "username",
  user_domain_id: "user_domain_name",
  domain_id: "user_domain_name",
  default_domain_id: "user_domain_name",
  project_domain_id: "user_domain_name",
  project_id: "project_name",
  tenant_id: "project_name",
  tenant_name: "project_name",
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

/** The ways that a type (OS_AUTH_TYPE, `auth_type`) names; all of them without one. */
export function waysOfType(type: string | undefined): readonly Way[] {
  return type === undefined ? WAYS : WAYS.filter(({ types }) => types.includes(type));
}

/** Why another type is refused. */
export function wrongType(): string {
  const types = [...new Set(WAYS.flatMap((way) => way.types))];
  return `asks for another way of signing in than ${list(types, "or")}.`;
}

/** The warning about settings that would switch off certificate checks, if there are any. */
export function insecureWarning(
  where: string,
  settings: readonly string[],
  certificateAuthority: string,
): Pick<CredentialDescription, "warning"> {
  if (settings.length === 0) return {};
  const names = settings.join(", ");
  return {
    warning: `In ${where}: ${names}: certificate checks cannot be switched off, and stay on. Give the service's CA with ${certificateAuthority}.`,
  };
}
