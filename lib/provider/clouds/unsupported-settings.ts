import { remarksOn, WITHOUT_EFFECT } from "../credentials/openstack-settings";
import type { CloudSettings, Setting } from "./cloud-settings";
import { isNull } from "./find-cloud";

/** Settings that would choose something here and cannot, and what says the same. */
const INSTEAD: Readonly<Record<string, string>> = {
  user_id: "username",
  user_domain_id: "user_domain_name",
  domain_id: "user_domain_name",
  default_domain_id: "user_domain_name",
  default_domain_name: "user_domain_name",
  project_domain_id: "project_domain_name, with the account number,",
  project_id: "project_name",
  tenant_id: "project_name",
  tenant_name: "project_name",
};

const HONOURED_IN_AUTH: ReadonlySet<string> = new Set([
  "auth_url",
  "username",
  "user_name",
  "password",
  "user_domain_name",
  "domain_name",
  "project_name",
  "project_domain_name",
]);

const PASSWORD_TYPES = ["password", "v3password"];

/**
 * Why an entry cannot be honoured; empty when it can. Ignored, each of these could give a token of
 * something else than was meant.
 */
export function refusalsOf(settings: CloudSettings): readonly string[] {
  return [
    ...otherWaysToAuthenticate(settings),
    ...settings
      .besideAuth("profile", "cloud")
      .map(
        ({ path }) =>
          `${path} refers to a vendor profile, and profiles are not read; write what it gives into the cloud itself.`,
      ),
    ...Object.entries(INSTEAD).flatMap(([key, instead]) =>
      settings
        .all(key)
        .map(({ path }) => `${path} cannot be honoured; ${instead} says the same by name.`),
    ),
    ...settings
      .all("trust_id", "system_scope")
      .map(({ path }) => `${path} asks for a scope that the service does not have.`),
    ...settings
      .all("user_domain_name", "domain_name", "project_name", "project_domain_name")
      .filter(({ value }) => isNull(value))
      .map(
        ({ path }) => `${path} has no value, which OpenStack's clients take for the name "None".`,
      ),
    ...unknownInAuth(settings),
    ...settings
      .besideAuth("regions")
      .filter(
        ({ value }) =>
          value.kind === "list" &&
          value.items.some((item) => item.kind === "mapping" && item.entries.has("values")),
      )
      .map(
        ({ path }) => `${path} has values of its own for a region, and no region is chosen here.`,
      ),
  ];
}

/** What an entry says and is not done: for a warning. */
export function remarksOf(settings: CloudSettings): readonly string[] {
  const ignored = [
    ...settings.besideAuth(...WITHOUT_EFFECT),
    ...settings.besideAuth("identity_api_version").filter(isNotThree),
  ]
    .filter(({ value }) => !isNull(value))
    .map(({ path }) => path);
  const insecure = [
    ...settings
      .besideAuth("verify")
      .filter(({ value }) => !isNull(value) && booleanOf(value) !== true),
    ...settings
      .besideAuth("insecure")
      .filter(({ value }) => !isNull(value) && booleanOf(value) !== false),
  ].map(({ path }) => path);
  return remarksOn(ignored, insecure, "cacert");
}

function otherWaysToAuthenticate(settings: CloudSettings): readonly string[] {
  const types = settings.besideAuth("auth_type", "auth_plugin");
  const wrong = types.filter(
    ({ value }) =>
      value.kind !== "scalar" ||
      value.form !== "text" ||
      !PASSWORD_TYPES.includes(value.text.reveal()),
  );
  return [
    ...wrong.map(({ path }) => `${path} asks for another way to authenticate than "password".`),
    ...settings
      .all("token", "auth_token")
      .map(
        ({ path }) =>
          `${path} is a token that stands in the file (not repeated here); tokens are issued here, for a password.`,
      ),
    ...settings
      .all("passcode")
      .map(({ path }) => `${path} asks for a second factor, and service users have none.`),
  ];
}

const NAMED: ReadonlySet<string> = new Set([
  ...Object.keys(INSTEAD),
  "trust_id",
  "system_scope",
  "token",
  "auth_token",
  "passcode",
]);

/** Their names are not repeated: a slip of the pen makes a key of a password. */
function unknownInAuth(settings: CloudSettings): readonly string[] {
  return settings
    .authKeys()
    .filter(([key]) => !HONOURED_IN_AUTH.has(key) && !NAMED.has(key))
    .map(
      ([, { value }]) =>
        `auth has a key that is not known here (its value is on line ${value.line}).`,
    );
}

function isNotThree({ value }: Setting): boolean {
  return value.kind !== "scalar" || !["3", "v3", "3.0"].includes(value.text.reveal());
}

function booleanOf(value: Setting["value"]): boolean | undefined {
  if (value.kind !== "scalar" || value.form !== "boolean") return undefined;
  return /^(?:yes|true|on)$/i.test(value.text.reveal());
}
