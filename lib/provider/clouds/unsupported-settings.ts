import { PARTS, type Part, WAYS, type Way } from "../../tokens/ways";
import { ELSEWHERE, INSTEAD, waysOfType, wrongType } from "../credentials/openstack-settings";
import type { CloudSettings, Setting } from "./cloud-settings";
import { type CloudValue, isNull } from "./cloud-value";

const PROFILE =
  "refers to a vendor profile, and the provider does not read profiles; copy its settings into the cloud.";

/** Settings that are refused in `auth` and next to it, and why. */
const REFUSED: ReadonlyMap<string, string> = new Map([
  ...Object.entries(ELSEWHERE).map(([key, why]) => [key, `${why}.`] as const),
  ...Object.entries({
    ...INSTEAD,
    project_domain_id: "project_domain_name, with the account number,",
    default_domain_name: "user_domain_name",
  }).map(([key, instead]) => [key, `is not supported; ${instead} does the same by name.`] as const),
]);

const ACCOUNT = ["user_domain_name", "domain_name", "project_domain_name"];
const KEYS: ReadonlySet<string> = new Set([
  ...WAYS.flatMap(({ parts }) => parts).flatMap(({ keys }) => keys),
  ...["project_name", "project_domain_name"],
]);

/**
 * Why an entry cannot be used; empty if it can. If one of these settings were ignored, the token
 * could have another meaning than the user intended.
 */
export function refusalsOf(settings: CloudSettings): readonly string[] {
  const refused = settings.all.map(refusalOf).filter((each) => each !== undefined);
  return refused.length > 0 ? refused : PARTS.flatMap((part) => differencesIn(settings, part));
}

function refusalOf(setting: Setting): string | undefined {
  const { key, path, inAuth, value } = setting;
  const why = REFUSED.get(key) ?? (inAuth ? undefined : whyBesideAuth(setting));
  if (why !== undefined) return `${path} ${why}`;
  if (isNull(value) && [...ACCOUNT, "project_name"].includes(key))
    return `${path} has no value, which OpenStack's clients take for the name "None".`;
  // Its name is not repeated: by a typing error, a key may be a password.
  return inAuth && !KEYS.has(key)
    ? `auth has an unknown key (its value is on line ${value.line}).`
    : undefined;
}

/** Keys of one part that give different values. A project belongs to the user's account. */
function differencesIn(settings: CloudSettings, { name, keys }: Part): readonly string[] {
  const [first, ...others] = settings.texts(name === "account" ? ACCOUNT : keys);
  return others
    .filter(({ value }) => value.text.reveal() !== first?.value.text.reveal())
    .map(({ path }) => `${path} and ${first?.path} give the ${name} differently.`);
}

const TYPE = ["auth_type", "auth_plugin"];

/** The ways that the entry's type allows. */
export function waysOf(settings: CloudSettings): readonly Way[] {
  const types = settings
    .besideAuth(...TYPE)
    .flatMap(({ value }) => (value.kind === "scalar" ? [value.text.reveal()] : []));
  return WAYS.filter((way) => types.every((type) => way.types.includes(type)));
}

function whyBesideAuth({ key, value }: Setting): string | undefined {
  if (key === "profile" || key === "cloud") return PROFILE;
  if (
    TYPE.includes(key) &&
    (value.kind !== "scalar" || waysOfType(value.text.reveal()).length === 0)
  )
    return wrongType();
  return key === "regions" && hasOwnValues(value)
    ? "has separate values for a region, and no region is selected."
    : undefined;
}

/** Settings that would switch off certificate checks. */
export function insecureIn(settings: CloudSettings): readonly string[] {
  const unless = (key: string, harmless: "true" | "false"): readonly string[] =>
    settings
      .besideAuth(key)
      .filter(
        ({ value }) => !isNull(value) && !(value.kind === "scalar" && value.form === harmless),
      )
      .map(({ path }) => path);
  return [...unless("verify", "true"), ...unless("insecure", "false")];
}

function hasOwnValues(regions: CloudValue): boolean {
  return (
    regions.kind === "list" &&
    regions.items.some((item) => item.kind === "mapping" && item.entries.has("values"))
  );
}
