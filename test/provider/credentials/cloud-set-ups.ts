/** Files and variables, which openstacksdk reads as well. */
export interface SetUp {
  readonly what: string;
  /**
   * By their paths below the set-up's folder; `project` is the current folder, `home` the user's.
   */
  readonly files: Readonly<Record<string, string>>;
  /** `@` at the beginning of a value stands for the set-up's folder. */
  readonly variables: Readonly<Record<string, string>>;
  /** The cloud that the provider block names; null names none. */
  readonly cloud: string | null;
}

const ADDRESS = "auth_url: https://identity.example.test/v3";
const AUTH = `{${ADDRESS}, username: deployer, password: canary-password, user_domain_name: "123456", project_id: web}`;
const JSON_AUTH =
  '{"auth_url": "https://i.test/v3", "username": "🚀 \\u00e9", "password": "p", "user_domain_name": 1, "project_id": "web"}';
const NO_PASSWORD = AUTH.replace(" password: canary-password,", "");
const secure = (text = "password: canary-secure") => `clouds: {prod: {auth: {${text}}}}`;

/** A clouds file with one cloud; `more` is next to `auth`. */
const clouds = (auth = AUTH, more = ""): string => `clouds:\n  prod:\n    auth: ${auth}\n${more}`;
const beside = (more: string) => clouds(AUTH, `    ${more}\n`);
const and = (more: string) => clouds(AUTH.replace("}", `, ${more}}`));
/** The value of the user says which file was read. */
const of = (user: string) => clouds(AUTH.replace("deployer", user));
const password = (text: string) => clouds(AUTH.replace("canary-password", text));

const HOME = "home/.config/openstack";
/** A text is the project's clouds.yaml. */
type Row = readonly [what: string, files: SetUp["files"] | string, variables?: SetUp["variables"]];

const PLACES: readonly Row[] = [
  [
    "the current folder before the user's",
    { "project/clouds.yaml": of("near"), [`${HOME}/clouds.yaml`]: of("far") },
  ],
  ["the user's folder", { [`${HOME}/clouds.yaml`]: clouds() }],
  [
    "XDG_CONFIG_HOME before the user's folder",
    {
      "xdg/openstack/clouds.json": `{"clouds": {"prod": {"auth": ${JSON_AUTH}}}}`,
      [`${HOME}/clouds.yaml`]: clouds(),
    },
    { XDG_CONFIG_HOME: "@/xdg" },
  ],
  [
    "a relative XDG_CONFIG_HOME, which anybody could own",
    { "project/x/openstack/clouds.yaml": of("other"), [`${HOME}/clouds.yaml`]: clouds() },
    { XDG_CONFIG_HOME: "x" },
  ],
  [
    ".yaml before .yml before .json",
    {
      "project/clouds.yaml": of("yaml"),
      "project/clouds.yml": of("yml"),
      "project/clouds.json": "{}",
    },
  ],
  [".yml before .json", { "project/clouds.yml": of("yml"), "project/clouds.json": "{}" }],
  [
    "OS_CLIENT_CONFIG_FILE before the current folder",
    { "else/my.cloud": of("named"), "project/clouds.yaml": of("near") },
    { OS_CLIENT_CONFIG_FILE: "@/else/my.cloud" },
  ],
  [
    "a relative OS_CLIENT_CONFIG_FILE",
    { "project/config/c.yaml": clouds() },
    { OS_CLIENT_CONFIG_FILE: "config/c.yaml" },
  ],
  // openstacksdk silently takes another file than the one that is named.
  [
    "OS_CLIENT_CONFIG_FILE that is not there",
    { [`${HOME}/clouds.yaml`]: clouds() },
    { OS_CLIENT_CONFIG_FILE: "@/none" },
  ],
  [
    "OS_CLIENT_SECURE_FILE that is not there",
    { "else/c.yaml": clouds() },
    { OS_CLIENT_CONFIG_FILE: "@/else/c.yaml", OS_CLIENT_SECURE_FILE: "@/none" },
  ],
  [
    "a clouds.yaml that is a folder",
    { "project/clouds.yaml/x": "", [`${HOME}/clouds.yaml`]: clouds() },
  ],
  [
    "a cloud that only the second file has",
    { "project/clouds.yaml": "clouds: {other: {}}", [`${HOME}/clouds.yaml`]: clouds() },
  ],
  ["no file", {}],
];

const SECURE: readonly Row[] = [
  [
    "the password next to clouds.yaml",
    { "project/clouds.yaml": clouds(NO_PASSWORD), "project/secure.yaml": secure() },
  ],
  [
    "secure.yaml over clouds.yaml",
    {
      [`${HOME}/clouds.yaml`]: beside("cacert: one.pem"),
      [`${HOME}/secure.yaml`]: `${secure()}\n`.replace("}}}", "}, cacert: two.pem}}"),
    },
  ],
  [
    "secure.json with clouds.yaml",
    {
      [`${HOME}/clouds.yaml`]: clouds(),
      [`${HOME}/secure.json`]: '{"clouds": {"prod": {"auth": {"password": 12345678}}}}',
    },
  ],
  [
    "OS_CLIENT_SECURE_FILE",
    {
      "else/c.yaml": clouds(),
      "else/secure.yaml": secure("password: wrong"),
      "else/s.yaml": secure(),
    },
    { OS_CLIENT_CONFIG_FILE: "@/else/c.yaml", OS_CLIENT_SECURE_FILE: "@/else/s.yaml" },
  ],
  ["no clouds.yaml", { [`${HOME}/secure.yaml`]: clouds() }],
  [
    "a secure.yaml without this cloud",
    {
      [`${HOME}/clouds.yaml`]: clouds(),
      [`${HOME}/secure.yaml`]: "clouds: {other: {auth: {password: x}}}",
    },
  ],
  // A cloned repository would say where the user's password goes.
  [
    "the address in the project, the password in the user's folder",
    { "project/clouds.yaml": clouds(NO_PASSWORD), [`${HOME}/secure.yaml`]: secure() },
  ],
  [
    "a project's secure.yaml, the user's clouds.yaml",
    {
      [`${HOME}/clouds.yaml`]: clouds(),
      "project/secure.yaml": secure("auth_url: 'https://attacker.test/v3'"),
    },
    // secure.yaml is read from the folder of clouds.yaml.
  ],
  [
    "a named secure file with a clouds.yaml that is found",
    { "project/clouds.yaml": clouds(NO_PASSWORD), "else/s.yaml": secure() },
    { OS_CLIENT_SECURE_FILE: "@/else/s.yaml" },
  ],
];

const CONTENTS: readonly Row[] = [
  [
    "numbers for account and password",
    clouds(AUTH.replace('"123456"', "123456").replace("canary-password", "987654321")),
  ],
  ...["000456", "123_456"].map(
    (account): Row => [
      `the account ${account}, not in quotes`,
      clouds(AUTH.replace('"123456"', account)),
      // Used as it is written.
    ],
  ),
  ...["12:34:56", "1.10", "yes"].map(
    (text): Row => [
      `the password ${text}, not in quotes`,
      password(text),
      // Used as it is written.
    ],
  ),
  ["a password in quotes, with escapes", password('"a\\tb\\u00e9\\"\\\\"')],
  ["a password in single quotes, and a variable, which is text", password("'it''s ${HOME} {x}'")],
  ["a byte order mark, and a name beyond ASCII", `\ufeff${of("Jürgen 🚀")}`],
  [
    "lines that end with CR LF, and a directive",
    `%YAML 1.1\n---\n${clouds()}...\n`.replaceAll("\n", "\r\n"),
  ],
  [
    "merge keys, of which the first wins",
    `a: &a {username: a, user_domain_name: "1"}\nb: &b {username: b, password: p, ${ADDRESS}}\nclouds: {prod: {auth: {<<: [*a, *b]}}}\n`,
    // As YAML's merge key is defined; newer versions of PyYAML let the last one win.
  ],
  [
    "a merge key under what is written",
    `a: &a {username: a, password: a}\nclouds: {prod: {auth: {<<: *a, ${ADDRESS}, user_domain_name: "1", password: b}}}\n`,
  ],
  ["a control character", of("deploy\u0000er")],
  ["two documents", `${clouds()}---\n${clouds()}`],
  [
    "values that templates leave empty",
    and("user_domain_id: ~, project_name: null, trust_id: Null"),
    // openstacksdk asks for a domain and a project called "None".
  ],
  ["the word null, in quotes", and("project_name: 'null', project_domain_name: \"~\"")],
  ["a cloud with nothing in it", "clouds:\n  prod:\n"],
  ["nothing", ""],
];

const SETTINGS: readonly Row[] = [
  [
    "- for _, and user_name for username",
    clouds(AUTH.replace("username", "user_name").replaceAll("_", "-")),
  ],
  ["cacert in the home folder", beside("cacert: ~/ca.pem")],
  ["cacert with nothing", beside("cacert:")],
  ["cert and key", beside("cert: /c.pem\n    key: keys~/k.pem")],
  [
    "settings without effect on tokens",
    beside(
      "region_name: R1\n    regions: [R1]\n    interface: internal\n    identity_api_version: 3\n    networks: []\n    verify: true\n    profile:",
    ),
  ],
  ["an application credential beside a password", and("application_credential_id: a")],
  [
    "an application credential of type password",
    clouds(
      `{${ADDRESS}, application_credential_id: a, application_credential_secret: canary}`,
      "    auth_type: v3password\n",
    ),
  ],
  ["a token", clouds(`{${ADDRESS}, token: canary-token}`, "    auth_type: token\n")],
];

const OTHER = {
  OS_AUTH_URL: "https://other.test/v3",
  OS_USERNAME: "o",
  OS_PASSWORD: "canary-other",
  OS_USER_DOMAIN_NAME: "9",
  OS_PROJECT_ID: "web",
};

/** With variables. Here no cloud is named. */
const ENVIRONMENT: readonly Row[] = [
  [
    "OS_CLOUD, and a CA that is not the cloud's",
    clouds(),
    { OS_CLOUD: "prod", OS_CACERT: "/ca.pem", OS_REGION_NAME: "R" },
  ],
  // openstacksdk ignores it, and the openstack command lets it win.
  ["OS_CLOUD with OS_PASSWORD", clouds(), { OS_CLOUD: "prod", OS_PASSWORD: "canary-other" }],
  [
    "variables without OS_CLOUD, next to a file",
    clouds(),
    { ...OTHER, OS_PROJECT_NAME: "web", OS_CACERT: "/ca.pem" },
  ],
  [
    "a client certificate by variables, checks switched off",
    {},
    { ...OTHER, OS_CERT: "/cert.pem", OS_KEY: "/key.pem", OS_INSECURE: "true" },
  ],
  ["OS_TOKEN next to a password", {}, { ...OTHER, OS_TOKEN: "canary-token" }],
  ["OS_CLOUD=envvars, which means the variables", of("other"), { ...OTHER, OS_CLOUD: "envvars" }],
  ["OS_CLOUD=envvars without variables", clouds(), { OS_CLOUD: "envvars" }],
  ["no OS_CLOUD and a file with one cloud", clouds()],
];

const toSetUp =
  (cloud: string | null) =>
  ([what, files, variables = {}]: Row): SetUp => ({
    what,
    files: typeof files === "string" ? { "project/clouds.yaml": files } : files,
    variables,
    cloud,
  });

export const CLOUD_SET_UPS: readonly SetUp[] = [
  ...[...PLACES, ...SECURE, ...CONTENTS, ...SETTINGS].map(toSetUp("prod")),
  ...ENVIRONMENT.map(toSetUp(null)),
  toSetUp("prod")([
    "a cloud of the block, with everything in the environment",
    `${clouds()}  other: {}\n`,
    { ...OTHER, OS_CLOUD: "other", OS_PROJECT_NAME: "o" },
  ]),
];
