import * as fc from "fast-check";
import { PROJECT as PROJECT_SETTINGS, WAYS, type Way } from "../../../lib/tokens/ways";
import type { SetUp } from "./cloud-set-ups";

/** Files as clouds, dashboards and installers hand them out, and settings in every place and name. */

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
const openrc = (what: string, settings: Settings, outcome: SetUp["outcome"] = "same"): SetUp => {
  const variables = Object.entries(settings).map(([key, text]) => [
    `OS_${key.toUpperCase()}`,
    text,
  ]);
  return setUp(`openrc: ${what}`, { variables: Object.fromEntries(variables), outcome });
};

/** A clouds.yaml, in JSON. */
const cloud = (what: string, auth: object, beside: object = {}, files: SetUp["files"] = {}) => {
  const clouds = { clouds: { it: { auth, ...beside } } };
  return setUp(`clouds.yaml: ${what}`, {
    files: { "project/clouds.yaml": JSON.stringify(clouds), ...files },
    cloud: "it",
  });
};

const publicClouds = (profile: object) => ({
  "project/clouds-public.yaml": JSON.stringify({ "public-clouds": { pub: profile } }),
});

/** As they were found. */
export const FOUND: readonly SetUp[] = [
  openrc("rc.sh of a panel: project by id", {
    ...{ ...USER, auth_url: `${HOST}/identity/v3`, identity_api_version: "3" },
    ...{ volume_api_version: "3", project_domain_name: "123456", project_id: PROJECT },
    ...{ tenant_id: PROJECT, region_name: "ru-3", user_domain_name: "123456" },
  }),
  openrc("Horizon", {
    ...{ ...USER, project_id: PROJECT, project_name: "web", user_domain_name: "Default" },
    ...{ project_domain_id: "default", region_name: "RegionOne", interface: "public" },
    identity_api_version: "3",
  }),
  openrc("OVH", {
    ...{ ...USER, ...DEFAULT, identity_api_version: "3", tenant_id: PROJECT },
    ...{ tenant_name: "7766554433221100", region_name: "GRA9" },
  }),
  openrc("VK: users in a domain of their own", {
    ...{ ...USER, auth_url: `${HOST}/v3/`, project_id: PROJECT, user_domain_name: "users" },
  }),
  openrc("DevStack: domains by id", {
    ...{ ...USER, auth_url: `${HOST}/identity`, user_domain_id: "default", cacert: "" },
    ...{ project_domain_id: "default", project_name: "demo", tenant_name: "demo" },
    ...{ auth_type: "password", region_name: "RegionOne", volume_api_version: "3" },
  }),
  openrc("Kolla: address without a version", {
    ...{ ...USER, ...DEFAULT, auth_url: HOST, project_name: "admin", tenant_name: "admin" },
    ...{ interface: "internal", endpoint_type: "internalURL", identity_api_version: "3" },
    ...{ region_name: "RegionOne", auth_plugin: "password" },
  }),
  openrc("LDAP: two domains", {
    ...USER,
    ...DEFAULT,
    user_domain_name: "corp",
    project_name: "web",
  }),
  openrc("ids alone", {
    ...{ auth_url: `${HOST}/v3`, user_id: "9999", password: PASSWORD, project_id: PROJECT },
  }),
  openrc("one default domain by id", {
    ...{ ...USER, default_domain_id: "default", project_name: "web" },
  }),
  openrc("OpenStack-Ansible", {
    ...{ ...USER, ...DEFAULT, project_name: "admin", tenant_name: "admin", auth_type: "password" },
    ...{ identity_api_version: "3", endpoint_type: "internalURL", no_cache: "1" },
    ...{ interface: "internalURL", nova_endpoint_type: "internalURL" },
  }),
  openrc("MicroStack: everything at once", {
    ...{ ...USER, project_domain_name: "default", user_domain_name: "default" },
    ...{
      project_name: "admin",
      identity_api_version: "3",
      image_api_version: "2",
      auth_version: "3",
    },
  }),
  openrc("an account's token", { ...USER, user_domain_name: "corp", domain_name: "other" }),
  cloud(
    "of Horizon",
    {
      ...{ ...USER, project_id: PROJECT, project_name: "web", user_domain_name: "Default" },
    },
    { region_name: "RegionOne", interface: "public", identity_api_version: 3 },
  ),
  cloud("tenant", { ...USER, ...DEFAULT, tenant_name: "web", tenant_id: PROJECT }),
  cloud(
    "old version in the address",
    { ...USER, ...DEFAULT, auth_url: `${HOST}/v2.0`, project_name: "web" },
    { identity_api_version: "3" },
  ),
  cloud(
    "profile of a public cloud",
    { ...SIGN_IN, ...DEFAULT, project_name: "web" },
    { profile: "pub" },
    publicClouds({ auth: { auth_url: `${HOST}/v3` }, identity_api_version: 3 }),
  ),
  cloud("domains next to auth", { ...USER, project_name: "web" }, DEFAULT),
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

/** Settings of one sign-in, which mean the same in each place. */
const SETTINGS: Readonly<Record<string, Settings>> = {
  "credential by id": BY_ID,
  "credential by id, with its user's name": { ...BY_ID, username: "u", user_domain_id: "d" },
  "credential by id and name": { ...BY_ID, application_credential_name: "n" },
  "credential by name, user by id": { ...BY_NAME, user_id: "9999" },
  "credential by name, user in a domain": { ...BY_NAME, username: "u", user_domain_name: "corp" },
  "credential by name, user by both": {
    ...BY_NAME,
    username: "u",
    user_id: "1",
    user_domain_id: "d",
  },
  "credential with a project": { ...BY_ID, project_id: PROJECT },
  "identity token, project by id": { ...TOKEN, project_id: PROJECT },
  "identity token, project by name": { ...TOKEN, project_name: "w", project_domain_name: "p" },
  "identity token, project's domain by id": { ...TOKEN, project_name: "w", project_domain_id: "p" },
  "identity token, account by id": { ...TOKEN, domain_id: "d" },
  "user by both": { ...USER, user_id: "9", user_domain_name: "d", project_id: "p" },
  "id and name of each domain": {
    ...{ ...USER, ...DEFAULT, user_domain_id: "u", project_domain_id: "p", project_name: "w" },
  },
  "a domain's id over the user's domain's name": {
    ...{ ...USER, user_domain_name: "u", domain_id: "d", project_id: "p" },
  },
  "a default's id over the domain's name": {
    ...{ ...USER, ...DEFAULT, default_domain_id: "d", project_name: "w" },
  },
  "v3password without a default": {
    ...{ ...USER, auth_type: "v3password", user_domain_name: "u", project_id: "p" },
  },
  "account by id, user elsewhere": { ...USER, user_domain_name: "u", domain_id: "d" },
  "account by id and name": { ...USER, user_domain_name: "u", domain_id: "d", domain_name: "n" },
  "two names of a project": {
    ...{ ...USER, ...DEFAULT, tenant_name: "old", project_name: "new" },
  },
  "two ids of a project": { ...USER, user_domain_id: "d", tenant_id: "old", project_id: "new" },
  "two names of a user": { ...USER, ...DEFAULT, user_name: "old", project_name: "w" },
  "an old type": { ...USER, ...DEFAULT, project_name: "w", auth_plugin: "v3totp" },
};

const USERS: readonly Settings[] = [{ username: "u" }, { user_id: "9" }];
const DOMAINS: readonly Settings[] = ["user_domain", "domain", "default_domain"].flatMap((of) => [
  { [`${of}_id`]: "i" },
  { [`${of}_name`]: "n" },
]);
const PROJECTS: readonly Settings[] = [
  ...[{}, { project_id: "p" }, { tenant_id: "p" }],
  ...["project_name", "tenant_name"].flatMap((name) => [
    { [name]: "w", project_domain_id: "j" },
    { [name]: "w", project_domain_name: "m" },
  ]),
  { project_name: "w" },
];

/** Each user, each domain, each project. */
const CROSSED = USERS.flatMap((user) =>
  DOMAINS.flatMap((domain) =>
    PROJECTS.map((project) => ({
      ...{ auth_url: `${HOST}/v3`, password: PASSWORD },
      ...{ ...user, ...domain, ...project },
    })),
  ),
);

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
const PLACES: readonly SetUp[] = [
  cloud(
    "next to auth wins for domains and projects",
    { ...USER, ...DEFAULT, project_name: "a" },
    {
      ...{ project_name: "b", user_domain_name: "c", project_domain_name: "d" },
    },
  ),
  cloud("auth wins for the user", { ...USER, ...DEFAULT, project_id: "p" }, { username: "b" }),
  cloud(
    "the cloud over its profile",
    { ...SIGN_IN, user_domain_name: "x", project_id: "p" },
    { cloud: "pub", region_name: "R" },
    publicClouds({ auth: { ...USER, user_domain_name: "y" }, region_name: "S" }),
  ),
  cloud(
    "a profile's auth over the cloud's address next to auth",
    { ...SIGN_IN, user_domain_name: "x", project_id: "p" },
    { profile: "pub", auth_url: "https://else.test/v3" },
    publicClouds({ auth: { auth_url: `${HOST}/v3` } }),
  ),
  cloud(
    "a profile that nobody has, and an address",
    { ...USER, ...DEFAULT, project_name: "w" },
    {
      profile: "nobody",
    },
  ),
  cloud(
    "the values of the first region",
    { ...USER, ...DEFAULT, project_name: "w" },
    {
      regions: [
        { name: "one", values: { auth: { auth_url: "https://one.test/v3" }, project_name: "r" } },
        { name: "two", values: { auth: { auth_url: "https://two.test/v3" } } },
      ],
    },
  ),
  cloud(
    "a region in the address",
    { ...USER, ...DEFAULT, auth_url: "https://{region_name}.test/v3", project_name: "w" },
    { region_name: "one" },
  ),
  cloud(
    "null",
    { ...USER, ...DEFAULT, project_name: "w" },
    {
      ...{ cacert: null, cert: null, key: null, verify: null, profile: null },
    },
  ),
  openrc("the word null", { ...USER, ...DEFAULT, project_name: "null" }),
  openrc("other clients' settings", {
    ...{ ...USER, ...DEFAULT, project_name: "w", service_token: "x", storage_url: "y" },
    ...{ endpoint: "z", cloudname: "w", password_file: "f", auth_system: "k", no_cache: "1" },
  }),
];

/** Every file of these signs in like openstacksdk. */
export const SIGN_IN_FILES: readonly SetUp[] = [
  ...Object.entries(SETTINGS).flatMap(([what, settings]) => inEachPlace(what, settings)),
  ...CROSSED.flatMap((settings, at) =>
    inEachPlace(Object.keys(settings).slice(2).join(), settings).slice(at % 5, (at % 5) + 1),
  ),
  ...PLACES,
];

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
