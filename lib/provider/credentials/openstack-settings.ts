/**
 * Settings of OpenStack's clients that would choose something here and cannot, and the one that
 * says the same. As a variable: `OS_USER_ID`.
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

/** Ways to authenticate that mean what is done here. */
export const PASSWORD_TYPES: readonly string[] = ["password", "v3password"];

/** Versions of the identity API that mean what is done here. */
export const API_VERSIONS: readonly string[] = ["3", "v3", "3.0"];

/** Settings that steer how the clients reach a service, and have no meaning for token issuing. */
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

/**
 * What is said of settings that are there, and are not done; for a warning. Empty when there are
 * none.
 */
export function remarksOn(
  ignored: readonly string[],
  insecure: readonly string[],
  certificateAuthority: string,
): readonly string[] {
  return [
    ...(insecure.length === 0
      ? []
      : [
          `${insecure.join(", ")}: certificate checks cannot be switched off, and stay on. Give the service's CA with ${certificateAuthority}.`,
        ]),
    ...(ignored.length === 0 ? [] : [`${ignored.join(", ")}: no effect on token issuing.`]),
  ];
}
