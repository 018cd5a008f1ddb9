import * as fc from "fast-check";
import {
  PROJECT as PROJECT_SETTINGS,
  variableOfKey,
  WAYS,
  type Way,
} from "../../../lib/tokens/ways";
import type { SetUp } from "./cloud-set-ups";

/**
 * Files as clouds, dashboards and installers hand them out, and settings in every place and name.
 */

type Settings = Readonly<Record<string, string>>;

const HOST = "https://i.test";
const PASSWORD = 'pw-#real: "1"';
const PROJECT = "aaaabbbbccccddddeeeeffff00001111";
const SIGN_IN = { username: "deployer", password: PASSWORD };
const USER = { auth_url: `${HOST}/v3`, ...SIGN_IN };
const DEFAULT = { user_domain_name: "Default", project_domain_name: "Default" };

const setUp = (what: string, more: Partial<SetUp>): SetUp => ({
  ...{ what, files: {}, variables: {}, cloud: null, outcome: "same" },
  ...more,
});

/** An openrc, by the names of the keys. */
const openrc = (what: string, settings: Settings): SetUp => {
  const variables = Object.entries(settings).map(([key, text]) => [variableOfKey(key), text]);
  return setUp(`openrc: ${what}`, { variables: Object.fromEntries(variables) });
};

/** A clouds.yaml, in JSON. */
const cloud = (what: string, auth: object, beside: object = {}, files: SetUp["files"] = {}) => {
  const clouds = { clouds: { it: { auth, ...beside } } };
  return setUp(`clouds.yaml: ${what}`, {
    files: { "project/clouds.yaml": JSON.stringify(clouds), ...files },
    cloud: "it",
  });
};

/** Settings without effect on tokens, as openrc files have them. */
const OTHERS_OF_OPENRC = {
  ...{ region_name: "RegionOne", interface: "public", endpoint_type: "internalURL", no_cache: "1" },
  ...{ identity_api_version: "3", volume_api_version: "3", auth_version: "3", cacert: "" },
  ...{ auth_plugin: "password", nova_endpoint_type: "internalURL", service_token: "x" },
  ...{ storage_url: "y", endpoint: "z", cloudname: "w", password_file: "f", auth_system: "k" },
};
const WEB = { ...USER, ...DEFAULT, project_name: "web" };

/** As panels, installers and dashboards write them: DevStack, Kolla, OpenStack-Ansible, Horizon. */
export const FOUND: readonly SetUp[] = [
  openrc("of a panel, with all else that it writes", {
    ...{ ...USER, ...OTHERS_OF_OPENRC, user_domain_name: "123456", project_domain_name: "123456" },
    ...{ project_id: PROJECT, tenant_id: PROJECT, project_name: "web", tenant_name: "web" },
  }),
  openrc("one default domain by id", { ...USER, default_domain_id: "default", project_name: "w" }),
  openrc("an account's token", { ...USER, user_domain_name: "corp", domain_name: "other" }),
  ...["", "/identity", "/identity/v3", "/v3/", "/v2.0"].flatMap((path) => [
    openrc(`the address ${path}`, { ...WEB, auth_url: HOST + path }),
    cloud(`the address ${path}`, { ...WEB, auth_url: HOST + path }, { identity_api_version: 3 }),
  ]),
];

const TOKEN = {
  ...{ auth_url: `${HOST}/v3`, identity_provider: "ci", protocol: "openid", access_token: "a.b.c" },
  auth_type: "v3oidcaccesstoken",
};
const CREDENTIAL = {
  ...{ auth_url: `${HOST}/v3`, application_credential_secret: "s" },
  auth_type: "v3applicationcredential",
};
const BY_ID = { ...CREDENTIAL, application_credential_id: "a" };
const BY_NAME = { ...CREDENTIAL, application_credential_name: "n" };

const OF_DOMAINS: readonly Settings[] = ["user_domain", "domain", "default_domain"].flatMap(
  (of) => [{ [`${of}_id`]: "i" }, { [`${of}_name`]: "n" }],
);
const PASSWORDS = [{ username: "u" }, { user_name: "u" }, { username: "u", user_id: "9" }].flatMap(
  (user) => [{}, { auth_type: "v3password" }].map((type) => ({ ...USER, ...user, ...type })),
);
/** Who signs in; the first need a domain for their user. */
const OF_USERS: readonly Settings[] = [
  ...PASSWORDS,
  { ...BY_NAME, username: "u" },
  { ...BY_NAME, username: "u", user_id: "1" },
];
const OF_OTHERS: readonly Settings[] = [
  ...[TOKEN, BY_ID, { ...BY_ID, application_credential_name: "n" }, { ...BY_NAME, user_id: "9" }],
  { auth_url: `${HOST}/v3`, password: PASSWORD, user_id: "9", auth_plugin: "v3totp" },
];
const OF_PROJECTS: readonly Settings[] = [
  ...[{ project_id: "p" }, { tenant_id: "old" }, { tenant_id: "old", project_id: "new" }],
  ...["project_name", "tenant_name"].flatMap((name) => [
    { [name]: "w", project_domain_id: "j" },
    { [name]: "w", project_domain_name: "m" },
  ]),
  { tenant_name: "old", project_name: "w", project_domain_name: "m", project_domain_id: "j" },
];

const inEachPlace = (what: string, settings: Settings): readonly SetUp[] => {
  const { auth_type, auth_plugin, ...auth } = settings;
  const type = { auth_type, auth_plugin };
  const entries = Object.entries(auth);
  const half = (rest: number) => Object.fromEntries(entries.filter((_, at) => at % 2 === rest));
  const { password, ...open } = auth;
  const secret = { clouds: { it: { auth: { password } } } };
  return [
    openrc(what, settings),
    cloud(`${what}, in auth`, auth, type),
    cloud(`${what}, next to auth`, {}, settings),
    cloud(`${what}, half of it in auth`, half(0), { ...half(1), ...type }),
    ...(password === undefined
      ? []
      : [
          cloud(`${what}, password in secure.yaml`, open, type, {
            "project/secure.yaml": JSON.stringify(secret),
          }),
        ]),
  ];
};

/** Each place that wins. */
export const PLACES: readonly SetUp[] = [
  cloud("next to auth wins for domains and projects", WEB, {
    ...{ project_name: "b", user_domain_name: "c", project_domain_name: "d" },
  }),
  cloud("auth wins for the user", WEB, { username: "b" }),
  cloud("null", WEB, { cacert: null, cert: null, key: null, verify: null, profile: null }),
  openrc("account by id, with an identity token", { ...TOKEN, domain_id: "d" }),
  openrc("account by id and name, user elsewhere", {
    ...{ ...USER, user_domain_name: "u", domain_id: "d", domain_name: "n" },
  }),
  openrc("the word null", { ...WEB, project_name: "null" }),
];

/** A sign-in in one of the places. */
export const anySignIn: fc.Arbitrary<SetUp> = fc
  .tuple(
    fc.oneof(
      fc
        .tuple(fc.constantFrom(...OF_USERS), fc.subarray([...OF_DOMAINS], { minLength: 1 }))
        // keystoneauth reads the other names with the type password alone.
        .filter(
          ([user, domains]) =>
            !user.auth_type || domains.every((each) => /user/.test(`${Object.keys(each)}`)),
        )
        .map(([user, domains]) => Object.assign({}, user, ...domains)),
      fc.constantFrom(...OF_OTHERS),
    ),
    fc.constantFrom(...OF_PROJECTS),
    fc.nat(4),
  )
  .map(([who, project, place]) => {
    const places = inEachPlace("any sign-in", { ...who, ...project });
    return places[place % places.length] as SetUp;
  });

const PROJECT_KEYS = [...PROJECT_SETTINGS.id.keys, ...PROJECT_SETTINGS.name.keys];
const keysOf = ({ parts }: Pick<Way, "parts">) => [
  ...new Set([...parts.flatMap(({ keys }) => keys), ...PROJECT_KEYS]),
];
const OTHERS = ["token", "auth_token", "passcode", "trust_id", "system_scope", "region_name"];

/** A value that says where it is from. */
const textAt = (key: string, place: string): string => {
  if (key === "auth_url") return `https://${place}.test/v3`;
  return key === "access_token" ? `a.b.${place}` : `${key}-${place}`;
};

const rarely = (keys: readonly string[]) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant([]) }, fc.subarray([...keys], { maxLength: 3 }));

/** Settings that have a value at a place: of a way, and rarely others. */
const anyAt = (place: string, own: readonly string[], maxLength: number) =>
  fc
    .tuple(fc.subarray([...own], { maxLength }), rarely(WAYS.flatMap(keysOf)), rarely(OTHERS))
    .map((keys) => Object.fromEntries(keys.flat().map((key) => [key, textAt(key, place)])));

const WHOLE: readonly Settings[] = [
  ...[USER, { ...USER, auth_type: "password" }, { ...USER, auth_type: "v3password" }],
  ...[BY_ID, { ...BY_NAME, user_id: "9999" }, TOKEN],
];

/** A set-up of any settings, mostly of one way. */
export const anySettings: fc.Arbitrary<SetUp> = fc.constantFrom(...WHOLE).chain((whole) => {
  const type = whole.auth_type ?? "password";
  const own = WAYS.filter(({ types }) => types.includes(type)).flatMap(keysOf);
  return fc
    .record({
      isFile: fc.boolean(),
      auth: anyAt("auth", own, 4),
      beside: anyAt("beside", own, 6),
      secure: anyAt("secure", own, 2),
    })
    .map(({ isFile, auth, beside, secure }) => {
      const next = { ...whole, ...beside };
      return isFile
        ? cloud("any", auth, next, {
            "project/secure.yaml": JSON.stringify({ clouds: { it: { auth: secure } } }),
          })
        : openrc("any", next);
    });
});
