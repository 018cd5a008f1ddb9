import {
  API_VERSIONS,
  INSTEAD as BY_NAME,
  PASSWORD_TYPES,
  type UnsupportedSettings,
  WITHOUT_EFFECT,
} from "../credentials/openstack-settings";
import type { CloudSettings, Setting } from "./cloud-settings";
import { isNull } from "./cloud-value";

/** Settings that would select something but have no support here, and their replacement. */
const INSTEAD: Readonly<Record<string, string>> = {
  ...BY_NAME,
  project_domain_id: "project_domain_name, with the account number,",
  default_domain_name: "user_domain_name",
};

const TOKEN =
  "is a token in the file (not repeated here); the provider issues tokens for a password.";
const PROFILE =
  "refers to a vendor profile, and the provider does not read profiles; copy its settings into the cloud.";
const SCOPE = "requests a scope that the service does not have.";
const NO_VALUE = 'has no value, which OpenStack\'s clients take for the name "None".';

const NAMES = ["user_domain_name", "domain_name", "project_name", "project_domain_name"];
/** The keys of `auth` that are supported, or refused by name. */
const KNOWN_IN_AUTH: ReadonlySet<string> = new Set([
  ...NAMES,
  ...["auth_url", "username", "user_name", "password"],
  ...["trust_id", "system_scope", "token", "auth_token", "passcode"],
  ...Object.keys(INSTEAD),
]);

/**
 * Why an entry cannot be used; empty if it can. If one of these settings were ignored, the token
 * could have another meaning than the user intended.
 */
export function refusalsOf(settings: CloudSettings): readonly string[] {
  const because = (given: readonly Setting[], why: string): readonly string[] =>
    given.map(({ path }) => `${path} ${why}`);
  return [
    ...because(
      settings.besideAuth("auth_type", "auth_plugin").filter(({ value }) => !isPassword(value)),
      'asks for another way to authenticate than "password".',
    ),
    ...because(settings.all("token", "auth_token"), TOKEN),
    ...because(
      settings.all("passcode"),
      "requires a second factor, which service users do not have.",
    ),
    ...because(settings.besideAuth("profile", "cloud"), PROFILE),
    ...Object.entries(INSTEAD).flatMap(([key, instead]) =>
      because(settings.all(key), `is not supported; ${instead} does the same by name.`),
    ),
    ...because(settings.all("trust_id", "system_scope"), SCOPE),
    ...because(
      settings.all(...NAMES).filter(({ value }) => isNull(value)),
      NO_VALUE,
    ),
    // Their names are not repeated: by a typing error, a key may be a password.
    ...settings
      .authKeys()
      .filter(([key]) => !KNOWN_IN_AUTH.has(key))
      .map(([, { value }]) => `auth has an unknown key (its value is on line ${value.line}).`),
    ...because(
      settings.besideAuth("regions").filter(({ value }) => hasOwnValues(value)),
      "has separate values for a region, and no region is selected.",
    ),
  ];
}

/** Settings of an entry that have no effect. */
export function unsupportedIn(settings: CloudSettings): UnsupportedSettings {
  const given = (key: string, isMeant: (value: Setting["value"]) => boolean): readonly string[] =>
    settings
      .besideAuth(key)
      .filter(({ value }) => !isNull(value) && !isMeant(value))
      .map(({ path }) => path);
  const ignored = [
    ...WITHOUT_EFFECT.flatMap((key) => given(key, () => false)),
    ...given("identity_api_version", (value) => isOneOf(value, API_VERSIONS)),
  ];
  const insecure = [
    ...given("verify", (value) => isBoolean(value, /^(?:yes|true|on)$/i)),
    ...given("insecure", (value) => isBoolean(value, /^(?:no|false|off)$/i)),
  ];
  return { ignored, insecure };
}

function isPassword(value: Setting["value"]): boolean {
  return value.kind === "scalar" && value.form === "text" && isOneOf(value, PASSWORD_TYPES);
}

function isOneOf(value: Setting["value"], texts: readonly string[]): boolean {
  return value.kind === "scalar" && texts.includes(value.text.reveal());
}

function isBoolean(value: Setting["value"], wanted: RegExp): boolean {
  return value.kind === "scalar" && value.form === "boolean" && wanted.test(value.text.reveal());
}

function hasOwnValues(regions: Setting["value"]): boolean {
  return (
    regions.kind === "list" &&
    regions.items.some((item) => item.kind === "mapping" && item.entries.has("values"))
  );
}
