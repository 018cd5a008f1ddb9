import { type Surroundings, variableOf } from "../surroundings";

/**
 * Settings that steer how OpenStack's clients reach a service, and have no meaning for token
 * issuing. As a variable: `OS_REGION_NAME`.
 */
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

/** What the environment says and is not done. */
export function remarksOnVariables(surroundings: Surroundings): readonly string[] {
  const isGiven = (name: string): boolean => variableOf(surroundings, name) !== undefined;
  const ignored = WITHOUT_EFFECT.map((setting) => `OS_${setting.toUpperCase()}`).filter(isGiven);
  const version = variableOf(surroundings, "OS_IDENTITY_API_VERSION");
  if (version !== undefined && !["3", "v3", "3.0"].includes(version))
    ignored.push("OS_IDENTITY_API_VERSION");
  const insecure = [
    ...(/^(?:0|false|no|off)$/i.test(variableOf(surroundings, "OS_INSECURE") ?? "0")
      ? []
      : ["OS_INSECURE"]),
    ...(/^(?:1|true|yes|on)$/i.test(variableOf(surroundings, "OS_VERIFY") ?? "1")
      ? []
      : ["OS_VERIFY"]),
  ];
  return remarksOn(ignored, insecure, "OS_CACERT");
}
