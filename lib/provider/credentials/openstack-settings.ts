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

/** Versions of the identity API that mean the same as ours. */
export const API_VERSIONS: readonly string[] = ["3", "v3", "3.0"];

/** Settings for the clients' way to a service, which do not affect token issuing. */
export const WITHOUT_EFFECT = [
  "region_name",
  "regions",
  "interface",
  "endpoint_type",
  "identity_interface",
  "identity_endpoint_type",
  "identity_endpoint_override",
  "api_timeout",
  "timeout",
];

/** Settings that are present but have no effect. */
export interface UnsupportedSettings {
  /** Without effect, and harmless. */
  readonly ignored: readonly string[];
  /** They would switch off certificate checks. */
  readonly insecure: readonly string[];
}

/** The messages about them: a warning, or a note for doctor. */
export function warningsOn(
  where: string,
  { ignored, insecure }: UnsupportedSettings,
  certificateAuthority: string,
): Pick<CredentialDescription, "warning" | "withoutEffect"> {
  const warning = `${insecure.join(", ")}: certificate checks cannot be switched off, and stay on. Give the service's CA with ${certificateAuthority}.`;
  const withoutEffect = `${ignored.join(", ")}: no effect on token issuing.`;
  return {
    ...(insecure.length > 0 && { warning: `In ${where}: ${warning}` }),
    ...(ignored.length > 0 && { withoutEffect: `In ${where}: ${withoutEffect}` }),
  };
}
