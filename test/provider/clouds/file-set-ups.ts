import {
  AUTH,
  clouds,
  cloudsOf,
  HOME,
  INVALID,
  json,
  MIXED,
  NOT_FOUND,
  project,
  type SetUp,
} from "./set-up";

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
    what: "the password in a file next to clouds.yaml",
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
    what: "the address in the user's secure.yaml as well",
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

/** Their contents. */
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
    what: "zeros in front that are not an octal number",
    ...project(clouds("", AUTH.replace('"123456"', "000489"))),
    refused: [INVALID, "other programs read a number"],
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
    refused: [INVALID, "other programs read a number"],
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
    what: "an alias for a string",
    ...project(`account: &account "00123"\n${clouds("", AUTH.replace('"123456"', "*account"))}`),
  },
  {
    what: "a whole cloud by an alias",
    ...project(`${clouds().replace("prod:", "other: &other")}  prod: *other\n`),
  },
  {
    what: "another version of YAML in a directive, which changes no meaning",
    ...project(`%YAML 1.2\n---\n${clouds("", AUTH.replace("deployer", "yes"))}`),
    refused: [INVALID, "to openstacksdk it is no text"],
  },
  {
    what: "a control character",
    ...project(clouds("", AUTH.replace("deployer", "deploy\u0000er"))),
    refused: [INVALID, "YAML has none"],
    both: "fail",
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
  { what: "a string tag", ...project(clouds("", AUTH.replace('"123456"', "!!str 00123"))) },
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
    what: "a name that is a number in quotes",
    ...project(clouds().replace("prod:", '"42":')),
    cloud: "42",
  },
];

export const FILE_SET_UPS: readonly SetUp[] = [...PLACES, ...SECURE, ...CONTENTS];
