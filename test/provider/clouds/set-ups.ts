/** Files, variables and a name: what a user has, and what is made of it. */
export interface SetUp {
  readonly what: string;
  /**
   * By their paths below the set-up's folder, in which `project` is the current folder and `home`
   * the user's.
   */
  readonly files?: Readonly<Record<string, string>>;
  /** `@` at the beginning of a value, or after a colon, stands for the set-up's folder. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The cloud that the provider block names; by default "prod", and null names none. */
  readonly cloud?: string | null;
  /**
   * Given where we refuse what openstacksdk takes (or takes for something else): the code, and why.
   */
  readonly refused?: readonly [code: string, why: string];
  /** Set where openstacksdk fails, too: always, or in some versions of it. */
  readonly both?: "fail" | "may fail";
}

const AUTH = `
      auth_url: https://identity.example.test/v3
      username: deployer
      password: canary-password
      user_domain_name: "123456"`;

/** A clouds file with one cloud; `more` stands beside `auth`, `auth` replaces what stands in it. */
const clouds = (more = "", auth = AUTH): string => `clouds:
  prod:
    auth:${auth}
${more}`;

/** The same with another user, so that it shows which file was read. */
const cloudsOf = (user: string): string => clouds().replace("deployer", user);

const HOME = "home/.config/openstack";
const json = (auth: object, more: object = {}): string =>
  JSON.stringify({
    clouds: {
      prod: {
        auth: { auth_url: "https://i.test/v3", username: "u", password: "p", ...auth },
        ...more,
      },
    },
  });

const UNSUPPORTED = "ERR_CREDENTIALS_UNSUPPORTED";
const INVALID = "ERR_CLOUDS_FILE_INVALID";
const MIXED = "ERR_CREDENTIALS_MIXED";
const NOT_FOUND = "ERR_CLOUD_NOT_FOUND";

const project = (text: string) => ({ files: { "project/clouds.yaml": text } });
const withAuth = (more: string) => project(clouds("", `${AUTH}\n      ${more}`));

/** Where the files are. */
const PLACES: readonly SetUp[] = [
  { what: "the current folder", ...project(clouds()) },
  { what: "the user's folder", files: { [`${HOME}/clouds.yaml`]: clouds() } },
  {
    what: "XDG_CONFIG_HOME",
    files: { "xdg/openstack/clouds.yaml": clouds() },
    variables: { XDG_CONFIG_HOME: "@/xdg" },
  },
  {
    what: "the user's folder when XDG_CONFIG_HOME has none",
    files: { [`${HOME}/clouds.yaml`]: clouds() },
    variables: { XDG_CONFIG_HOME: "@/xdg" },
  },
  {
    what: "XDG_CONFIG_HOME before the user's folder",
    files: {
      "xdg/openstack/clouds.json": json({ user_domain_name: "1" }),
      [`${HOME}/clouds.yaml`]: clouds(),
    },
    variables: { XDG_CONFIG_HOME: "@/xdg" },
  },
  {
    what: "the folder of XDG_CONFIG_DIRS",
    files: { "site/openstack/clouds.yaml": clouds() },
    variables: { XDG_CONFIG_DIRS: "@/site" },
  },
  {
    what: "several folders in XDG_CONFIG_DIRS, of which none is looked into",
    files: { "site/openstack/clouds.yaml": clouds(), "other/openstack/clouds.yaml": clouds() },
    variables: { XDG_CONFIG_DIRS: "@/site:@/other" },
    refused: [NOT_FOUND, "there is no file"],
    both: "fail",
  },
  {
    what: "SNAP_REAL_HOME",
    files: { "real/.config/openstack/clouds.yaml": clouds() },
    variables: { SNAP_REAL_HOME: "@/real" },
  },
  {
    what: "the current folder before the user's",
    files: { "project/clouds.yaml": cloudsOf("near"), [`${HOME}/clouds.yaml`]: cloudsOf("far") },
  },
  {
    what: "a cloud that only the second file has",
    files: { "project/clouds.yaml": "clouds: {other: {}}", [`${HOME}/clouds.yaml`]: clouds() },
    refused: [NOT_FOUND, "only the first file is read"],
    both: "fail",
  },
  {
    what: ".yaml before .yml before .json",
    files: {
      "project/clouds.yaml": cloudsOf("yaml"),
      "project/clouds.yml": cloudsOf("yml"),
      "project/clouds.json": json({ user_domain_name: "1" }),
    },
  },
  {
    what: ".yml before .json",
    files: {
      "project/clouds.yml": cloudsOf("yml"),
      "project/clouds.json": json({ user_domain_name: "1" }),
    },
  },
  {
    what: ".json in the current folder before .yaml in the user's",
    files: {
      "project/clouds.json": json({ user_domain_name: "1" }),
      [`${HOME}/clouds.yaml`]: clouds(),
    },
  },
  {
    what: "OS_CLIENT_CONFIG_FILE before the current folder",
    files: { "else/my.cloud": cloudsOf("named"), "project/clouds.yaml": cloudsOf("near") },
    variables: { OS_CLIENT_CONFIG_FILE: "@/else/my.cloud" },
  },
  {
    what: "a relative OS_CLIENT_CONFIG_FILE",
    files: { "project/config/c.yaml": clouds() },
    variables: { OS_CLIENT_CONFIG_FILE: "config/c.yaml" },
  },
  {
    what: "OS_CLIENT_CONFIG_FILE in JSON",
    files: { "else/c.json": json({ user_domain_name: "00123" }) },
    variables: { OS_CLIENT_CONFIG_FILE: "@/else/c.json" },
  },
  {
    what: "OS_CLIENT_CONFIG_FILE that is not there",
    files: { [`${HOME}/clouds.yaml`]: clouds() },
    variables: { OS_CLIENT_CONFIG_FILE: "@/else/none.yaml" },
    refused: [INVALID, "openstacksdk silently takes another file than the one that is named"],
  },
  {
    what: "a clouds.yaml that is a folder",
    files: { "project/clouds.yaml/x": "", [`${HOME}/clouds.yaml`]: clouds() },
    refused: [INVALID, "openstacksdk silently takes another file"],
  },
  { what: "no file", refused: [NOT_FOUND, "there is none"], both: "fail" },
];

/** secure.yaml. */
const SECURE: readonly SetUp[] = [
  {
    what: "the password beside clouds.yaml",
    files: {
      "project/clouds.yaml": clouds("", AUTH.replace(/\n +password: .*/, "")),
      "project/secure.yaml": "clouds: {prod: {auth: {password: canary-secure}}}",
    },
  },
  {
    what: "the password of secure.yaml over that of clouds.yaml",
    files: {
      [`${HOME}/clouds.yaml`]: clouds("    cacert: one.pem"),
      [`${HOME}/secure.yaml`]: "clouds: {prod: {auth: {password: canary-secure}, cacert: two.pem}}",
    },
  },
  {
    what: "secure.json with clouds.yaml",
    files: {
      [`${HOME}/clouds.yaml`]: clouds(),
      [`${HOME}/secure.json`]: '{"clouds": {"prod": {"auth": {"password": 12345678}}}}',
    },
  },
  {
    what: "OS_CLIENT_SECURE_FILE",
    files: {
      [`${HOME}/clouds.yaml`]: clouds(),
      [`${HOME}/secure.yaml`]: "clouds: {prod: {auth: {password: canary-wrong}}}",
      "else/s.yaml": "clouds: {prod: {auth: {password: canary-right}}}",
    },
    variables: { OS_CLIENT_SECURE_FILE: "@/else/s.yaml" },
  },
  { what: "a cloud that only secure.yaml has", files: { [`${HOME}/secure.yaml`]: clouds() } },
  {
    what: "a secure.yaml without this cloud",
    files: {
      [`${HOME}/clouds.yaml`]: clouds(),
      [`${HOME}/secure.yaml`]: "clouds: {other: {auth: {password: x}}}",
    },
  },
  {
    what: "clouds.yaml of the machine, secure.yaml of the user",
    files: {
      "site/openstack/clouds.yaml": clouds(),
      [`${HOME}/secure.yaml`]: "clouds: {prod: {auth: {password: canary-secure}}}",
    },
    variables: { XDG_CONFIG_DIRS: "@/site" },
  },
  {
    what: "the address in the project, the password in the user's folder",
    files: {
      "project/clouds.yaml": clouds("", AUTH.replace(/\n +password: .*/, "")),
      [`${HOME}/secure.yaml`]: "clouds: {prod: {auth: {password: canary-secure}}}",
    },
    refused: [MIXED, "a cloned repository would say where the user's password goes"],
  },
  {
    what: "the same, with the addresses that are allowed listed",
    files: {
      "project/clouds.yaml": clouds("", AUTH.replace(/\n +password: .*/, "")),
      [`${HOME}/secure.yaml`]: "clouds: {prod: {auth: {password: canary-secure}}}",
    },
    variables: { IAM_TOKENS_ALLOWED_AUTH_URLS: "https://identity.example.test/v3" },
  },
  {
    what: "the address in the user's secure.yaml, too",
    files: {
      "project/clouds.yaml": clouds("", AUTH.replace(/\n +password: .*/, "")),
      [`${HOME}/secure.yaml`]:
        "clouds: {prod: {auth: {auth_url: 'https://i.test/v3', password: canary-secure}}}",
    },
  },
  {
    what: "an address in a secure.yaml of the project over the user's clouds.yaml",
    files: {
      [`${HOME}/clouds.yaml`]: clouds(),
      "project/secure.yaml": "clouds: {prod: {auth: {auth_url: 'https://attacker.test/v3'}}}",
    },
    refused: [MIXED, "a cloned repository would say where the user's password goes"],
  },
  {
    what: "OS_CLIENT_SECURE_FILE that is not there",
    files: { [`${HOME}/clouds.yaml`]: clouds() },
    variables: { OS_CLIENT_SECURE_FILE: "@/none" },
    refused: [INVALID, "openstacksdk silently goes on without it"],
  },
];

/** What stands in them. */
const CONTENTS: readonly SetUp[] = [
  { what: "a number for the account", ...project(clouds("", AUTH.replace('"123456"', "123456"))) },
  {
    what: "a number for the password",
    ...project(clouds("", AUTH.replace("canary-password", "987654321"))),
  },
  { what: "quoted zeros in front", ...project(clouds("", AUTH.replace("123456", "000456"))) },
  {
    what: "zeros in front without quotes",
    ...project(clouds("", AUTH.replace('"123456"', "000456"))),
    refused: [INVALID, "to openstacksdk it is the account 302"],
  },
  {
    what: "zeros in front that are no octal number",
    ...project(clouds("", AUTH.replace('"123456"', "000489"))),
  },
  {
    what: "an account with underscores",
    ...project(clouds("", AUTH.replace('"123456"', "123_456"))),
    refused: [INVALID, "to openstacksdk it is the account 123456"],
  },
  {
    what: "a password like a time",
    ...project(clouds("", AUTH.replace("canary-password", "12:34:56"))),
    refused: [INVALID, "to openstacksdk it is the number 45296"],
  },
  {
    what: "a password like a fraction",
    ...project(clouds("", AUTH.replace("canary-password", "1.10"))),
    refused: [INVALID, "to openstacksdk it is 1.1"],
  },
  {
    what: "a user called yes",
    ...project(clouds("", AUTH.replace("deployer", "yes"))),
    refused: [INVALID, "to openstacksdk it is no text"],
  },
  {
    what: "a password like a date",
    ...project(clouds("", AUTH.replace("canary-password", "2026-01-02"))),
    refused: [INVALID, "to openstacksdk it is no text"],
  },
  {
    what: "a password with an exponent and no point",
    ...project(clouds("", AUTH.replace("canary-password", "1e5"))),
  },
  {
    what: "a password with a hash sign and a colon",
    ...project(clouds("", AUTH.replace("canary-password", "a#b:c"))),
  },
  {
    what: "a password in quotes, with escapes",
    ...project(clouds("", AUTH.replace("canary-password", '"a\\tb\\u00e9\\"\\\\"'))),
  },
  {
    what: "a password in single quotes",
    ...project(clouds("", AUTH.replace("canary-password", "'it''s ${HOME} {x}'"))),
  },
  {
    what: "a folded password",
    ...project(clouds("", AUTH.replace("canary-password", ">-\n        two\n        words"))),
  },
  {
    what: "a variable in the shell's way, which is text",
    ...project(clouds("", AUTH.replace("canary-password", "${SECRET}"))),
  },
  { what: "a name beyond ASCII", ...project(clouds("", AUTH.replace("deployer", "Jürgen 🚀"))) },
  { what: "a byte order mark", ...project(`\ufeff${clouds()}`) },
  { what: "lines that end with CR LF", ...project(clouds().replaceAll("\n", "\r\n")) },
  {
    what: "flow style",
    ...project(
      '{clouds: {prod: {auth: {auth_url: "https://i.test/v3", username: u, password: p, user_domain_name: 1}}}}',
    ),
  },
  {
    what: "JSON with tabs",
    files: {
      "project/clouds.json": JSON.stringify(
        JSON.parse(json({ user_domain_name: 123456 })),
        null,
        "\t",
      ),
    },
  },
  {
    what: "JSON with escapes",
    files: {
      "project/clouds.json": json({ user_domain_name: "1", username: "\ud83d\ude80 é" }).replace(
        "é",
        "\\u00e9",
      ),
    },
  },
  {
    what: "a fraction in JSON",
    files: { "project/clouds.json": json({ user_domain_name: 1.5 }) },
    refused: [INVALID, "an account number is no fraction"],
  },
  {
    what: "merge keys",
    ...project(`defaults: &defaults
  region_name: RegionOne
  cacert: /etc/ca.pem
x-auth: &auth
  auth_url: https://identity.example.test/v3
  user_domain_name: "123456"
  username: shared
clouds:
  prod:
    <<: *defaults
    auth:
      <<: *auth
      username: deployer
      password: canary-password
`),
  },
  {
    what: "a list of merge keys, of which the first wins",
    ...project(`a: &a {username: a, user_domain_name: "1"}
b: &b {username: b, password: p, auth_url: "https://i.test/v3"}
clouds: {prod: {auth: {<<: [*a, *b]}}}
`),
  },
  {
    what: "an alias for a text",
    ...project(`account: &account "00123"\n${clouds("", AUTH.replace('"123456"', "*account"))}`),
  },
  {
    what: "a whole cloud by an alias",
    ...project(`${clouds().replace("prod:", "other: &other")}  prod: *other\n`),
  },
  { what: "a YAML directive", ...project(`%YAML 1.1\n---\n${clouds()}...\n`) },
  {
    what: "a key that stands there twice",
    ...project(clouds("", `${AUTH}\n      username: second`)),
    refused: [INVALID, "openstacksdk takes the last one"],
  },
  {
    what: "a tab for indentation",
    ...project("clouds:\n\tprod: {}\n"),
    refused: [INVALID, "YAML has none"],
    both: "fail",
  },
  {
    what: "a tab behind a key",
    ...project(clouds("", AUTH.replace("username: ", "username:\t"))),
    refused: [INVALID, "PyYAML takes none there"],
    both: "fail",
  },
  {
    what: "a tab behind a value",
    ...project(clouds("", AUTH.replace("deployer", "deployer\t"))),
    refused: [INVALID, "PyYAML takes none there"],
    both: "fail",
  },
  {
    what: "tabs in quotes and in a comment",
    ...project(
      clouds(
        "",
        AUTH.replace("deployer", "deployer # c\td").replace(/password: .*/, 'password: "canary\t"'),
      ),
    ),
  },
  {
    what: "a cloud with nothing in it",
    ...project("clouds:\n  prod:\n"),
    refused: [NOT_FOUND, "nothing is in it"],
    both: "fail",
  },
  {
    what: "two documents",
    ...project(`${clouds()}---\n${clouds()}`),
    refused: [INVALID, "which one?"],
    both: "fail",
  },
  {
    what: "a tag",
    ...project(clouds("", AUTH.replace("deployer", "!!python/name:os.system"))),
    refused: [INVALID, "a tag"],
    both: "fail",
  },
  { what: "a text tag", ...project(clouds("", AUTH.replace('"123456"', "!!str 00123"))) },
  { what: "a list", ...project("- clouds\n"), refused: [INVALID, "no mapping"], both: "fail" },
  { what: "nothing", ...project(""), refused: [NOT_FOUND, "no cloud"], both: "fail" },
  { what: "no clouds", ...project("client: {}\n"), refused: [NOT_FOUND, "no cloud"], both: "fail" },
  {
    what: "a cloud that is not there",
    ...project(clouds()),
    cloud: "prud",
    refused: [NOT_FOUND, "no such cloud"],
    both: "fail",
  },
  {
    what: "a name that is a number there",
    ...project(clouds().replace("prod:", "42:")),
    cloud: "42",
    refused: [NOT_FOUND, "42 is no text"],
    both: "fail",
  },
  {
    what: "a name that is a number in quotes",
    ...project(clouds().replace("prod:", '"42":')),
    cloud: "42",
  },
];

/** Which settings. */
const SETTINGS: readonly SetUp[] = [
  { what: "project_name", ...withAuth("project_name: web\n      project_domain_name: 123456") },
  { what: "a project without its own domain", ...withAuth("project_name: 77") },
  { what: "project_name beside auth", ...project(clouds("    project_name: web")) },
  { what: "an empty project_name", ...withAuth('project_name: ""') },
  {
    what: "domain_name for user and project",
    ...project(
      clouds("", `${AUTH.replace("user_domain_name", "domain_name")}\n      project_name: web`),
    ),
  },
  {
    what: "domain_name alone",
    ...project(clouds("", AUTH.replace("user_domain_name", "domain_name"))),
  },
  {
    what: "everything beside auth",
    ...project(`clouds:\n  prod:${AUTH.replaceAll("\n      ", "\n    ")}\n    project_name: web\n`),
  },
  { what: "- for _", ...project(clouds("", AUTH.replaceAll("_", "-"))) },
  { what: "user_name for username", ...project(clouds("", AUTH.replace("username", "user_name"))) },
  { what: "auth_type: password", ...project(clouds("    auth_type: password")) },
  { what: "auth_type: v3password", ...project(clouds("    auth_type: v3password")) },
  { what: "cacert", ...project(clouds("    cacert: ca.pem")) },
  { what: "cacert in the home folder", ...project(clouds("    cacert: ~/ca.pem")) },
  { what: "cacert with nothing", ...project(clouds("    cacert:")) },
  { what: "cert and key", ...project(clouds("    cert: /c.pem\n    key: keys/k.pem")) },
  {
    what: "region_name, interface and other services' settings",
    ...project(
      clouds(
        "    region_name: R1\n    interface: internal\n    identity_api_version: 3\n    compute_api_version: '2.79'\n    networks: []",
      ),
    ),
  },
  { what: "regions", ...project(clouds("    regions: [R1, R2]")) },
  {
    what: "regions with values of their own",
    ...project(
      clouds("    regions: [{name: R1, values: {auth: {auth_url: 'https://r1.test/v3'}}}]"),
    ),
    refused: [UNSUPPORTED, "no region is chosen here"],
  },
  {
    what: "cert without key",
    ...project(clouds("    cert: /c.pem")),
    refused: ["ERR_CERTIFICATE_INVALID", "the key is asked for in a file of its own"],
  },
  {
    what: "a vendor profile",
    ...project(clouds("    profile: ovh")),
    refused: [UNSUPPORTED, "profiles are not read"],
    both: "may fail",
  },
  {
    what: "a vendor profile by its old name",
    ...project(clouds("    cloud: ovh")),
    refused: [UNSUPPORTED, "profiles are not read"],
    both: "may fail",
  },
  {
    what: "a profile of clouds-public.yaml",
    files: {
      "project/clouds.yaml": clouds("    profile: mine"),
      "project/clouds-public.yaml": "public-clouds: {mine: {region_name: R}}",
    },
    refused: [UNSUPPORTED, "profiles are not read"],
  },
  {
    what: "an address with a setting put in",
    ...project(clouds("    region_name: r1", AUTH.replace("identity.", "{region_name}."))),
    refused: [UNSUPPORTED, "settings are not put in"],
  },
  {
    what: "project_id",
    ...withAuth("project_id: abc"),
    refused: [UNSUPPORTED, "ids cannot be honoured"],
  },
  {
    what: "tenant_name",
    ...withAuth("tenant_name: web"),
    refused: [UNSUPPORTED, "as OS_TENANT_NAME: project_name says it"],
  },
  {
    what: "user_domain_id",
    ...withAuth("user_domain_id: default"),
    refused: [UNSUPPORTED, "ids cannot be honoured"],
  },
  {
    what: "another account for the project",
    ...withAuth("project_name: web\n      project_domain_name: '7'"),
    refused: [UNSUPPORTED, "projects are those of the account"],
  },
  {
    what: "two accounts",
    ...withAuth("domain_name: '7'"),
    refused: [UNSUPPORTED, "there is one account"],
  },
  {
    what: "project_name with nothing",
    ...withAuth("project_name:"),
    refused: [UNSUPPORTED, 'to openstacksdk it is the project "None"'],
  },
  {
    what: "a setting in auth and beside it, differently",
    ...project(clouds("    user_domain_name: '7'")),
    refused: [INVALID, "one of them is a mistake"],
  },
  {
    what: "an application credential",
    ...project(
      clouds(
        "    auth_type: v3applicationcredential",
        "\n      auth_url: https://i.test/v3\n      application_credential_id: a\n      application_credential_secret: b",
      ),
    ),
    refused: [UNSUPPORTED, "not a password"],
  },
  {
    what: "a token",
    ...project(
      clouds(
        "    auth_type: token",
        "\n      auth_url: https://i.test/v3\n      token: canary-token",
      ),
    ),
    refused: [UNSUPPORTED, "a token in a file"],
  },
  {
    what: "a key in auth that nobody knows",
    ...withAuth("colour: red"),
    refused: [UNSUPPORTED, "perhaps misspelt"],
    both: "fail",
  },
  {
    what: "no password",
    ...project(clouds("", AUTH.replace(/\n +password: .*/, ""))),
    refused: ["ERR_CREDENTIALS_MISSING", "openstacksdk fails at the request"],
  },
];

const ALL_FOUR = {
  OS_AUTH_URL: "https://other.test/v3",
  OS_USERNAME: "o",
  OS_PASSWORD: "canary-other",
  OS_USER_DOMAIN_NAME: "9",
};

/** With variables. */
const ENVIRONMENT: readonly SetUp[] = [
  { what: "OS_CLOUD", ...project(clouds()), cloud: null, variables: { OS_CLOUD: "prod" } },
  {
    what: "OS_CLOUD with OS_CLIENT_CONFIG_FILE and OS_REGION_NAME",
    files: { "else/c.yaml": clouds() },
    cloud: null,
    variables: { OS_CLOUD: "prod", OS_CLIENT_CONFIG_FILE: "@/else/c.yaml", OS_REGION_NAME: "R" },
  },
  {
    what: "OS_CLOUD with OS_CACERT, which is not of the cloud",
    ...project(clouds()),
    cloud: null,
    variables: { OS_CLOUD: "prod", OS_CACERT: "/ca.pem" },
  },
  {
    what: "OS_CLOUD with OS_PASSWORD",
    ...project(clouds()),
    cloud: null,
    variables: { OS_CLOUD: "prod", OS_PASSWORD: "canary-other" },
    refused: [MIXED, "openstacksdk ignores it, the openstack command lets it win"],
  },
  {
    what: "a cloud of the block with everything in the environment",
    ...project(clouds()),
    variables: {
      OS_AUTH_URL: "https://other.test/v3",
      OS_USERNAME: "o",
      OS_PASSWORD: "canary-other",
      OS_USER_DOMAIN_NAME: "9",
      OS_PROJECT_NAME: "o",
    },
  },
  {
    what: "a cloud of the block over OS_CLOUD",
    ...project(`${clouds()}  other: {}\n`),
    variables: { OS_CLOUD: "other" },
  },
  {
    what: "variables without OS_CLOUD, beside a file",
    ...project(clouds()),
    cloud: null,
    variables: {
      OS_AUTH_URL: "https://other.test/v3",
      OS_USERNAME: "o",
      OS_PASSWORD: "canary-other",
      OS_USER_DOMAIN_NAME: "9",
      OS_PROJECT_NAME: "web",
      OS_CACERT: "/ca.pem",
    },
  },
  {
    what: "a client certificate by variables, checks switched off",
    cloud: null,
    variables: {
      ...ALL_FOUR,
      OS_CERT: "/cert.pem",
      OS_KEY: "/key.pem",
      OS_INSECURE: "true",
      OS_REGION_NAME: "R",
    },
  },
  {
    what: "a client certificate by a variable, without its key",
    cloud: null,
    variables: { ...ALL_FOUR, OS_CERT: "/cert.pem" },
    refused: ["ERR_CERTIFICATE_INVALID", "the key is asked for"],
  },
  {
    what: "OS_TOKEN beside a password",
    cloud: null,
    variables: { ...ALL_FOUR, OS_TOKEN: "canary-token" },
    refused: [UNSUPPORTED, "a token"],
    both: "fail",
  },
  {
    what: "OS_TRUST_ID",
    cloud: null,
    variables: { ...ALL_FOUR, OS_TRUST_ID: "t" },
    refused: [UNSUPPORTED, "another scope"],
  },
  {
    what: "no OS_CLOUD and a file with one cloud",
    ...project(clouds()),
    cloud: null,
    refused: ["ERR_CREDENTIALS_MISSING", "nobody named the cloud"],
  },
  {
    what: "OS_CLOUD=envvars",
    cloud: null,
    variables: {
      OS_CLOUD: "envvars",
      OS_AUTH_URL: "https://other.test/v3",
      OS_USERNAME: "o",
      OS_PASSWORD: "p",
      OS_USER_DOMAIN_NAME: "9",
    },
    refused: [MIXED, "leaving OS_CLOUD out says the same"],
  },
  {
    what: "a block that names envvars",
    cloud: "envvars",
    variables: {
      OS_AUTH_URL: "https://other.test/v3",
      OS_USERNAME: "o",
      OS_PASSWORD: "p",
      OS_USER_DOMAIN_NAME: "9",
    },
    refused: [UNSUPPORTED, "leaving cloud out says the same"],
  },
  {
    what: "a cloud that is named as the variables are",
    ...project(clouds()),
    variables: { OS_CLOUD_NAME: "prod" },
    refused: [UNSUPPORTED, "the name stands for two things"],
    both: "fail",
  },
];

export const SET_UPS: readonly SetUp[] = [
  ...PLACES,
  ...SECURE,
  ...CONTENTS,
  ...SETTINGS,
  ...ENVIRONMENT,
];
