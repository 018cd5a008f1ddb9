import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import * as fc from "fast-check";
import { describeCredentials } from "../../../lib/provider/credentials/describe-credentials";
import { toProviderBlock } from "../../../lib/provider/credentials/provider-block";
import { fuzz, someOf } from "../../support/fuzz";
import { onPlatform } from "../../support/platform";
import { processorTime } from "../../support/processor-time";
import { CANARY, eachIn, refusalOf, surroundingsOf } from "../fixtures";
import { mountSecret } from "../mounted-secret";

const ADDRESS = 'auth_url: "https://i.test/v3"';
const SECRET = `password: ${CANARY.password}`;
const AUTH = `auth: {${ADDRESS}, username: u, ${SECRET}, user_domain_name: "1"}`;

let folder: string;
eachIn((own) => {
  folder = own;
});

const write = (content: string | Buffer, name = "clouds.yaml"): void =>
  writeFileSync(join(folder, name), content);

const describeWith = (block = {}, variables: Record<string, string> = {}) =>
  describeCredentials(
    toProviderBlock({ cloud: "prod", ...block }),
    surroundingsOf(variables, { workingFolder: folder }),
  );

/** The message of a refusal, in which no value of a file stands. */
async function refusal(...args: Parameters<typeof describeWith>): Promise<string> {
  const message = (await refusalOf(() => describeWith(...args)))?.message ?? "accepted";
  const paths = ["clouds.yaml", "secure.yaml"].map((name) => JSON.stringify(join(folder, name)));
  return message.replaceAll(paths[0] ?? "", "FILE").replaceAll(paths[1] ?? "", "SECURE");
}

const entry = (auth: string, more = "") => `clouds: {prod: {auth: {${auth}}${more}}}`;
const lines = (count: number, line: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => line(i)).join("\n");
const full = (piece: string, size = 130_000): string => piece.repeat(size / piece.length);

test.each<[string, string, RegExp]>([
  ["a billion laughs", `- &l ha\n${lines(40, () => "- &l [*l, *l]")}`, /not a mapping/],
  ["merges of merges", `- &a {a: b}\n${full("- &a {<<: [*a, *a]}\n", 60_000)}`, /is not YAML/],
  ["open brackets", full("["), /line 1: it is not YAML or JSON, nests too deeply/],
  ["mappings in each other", full("{a: "), /nests too deeply/],
  ["lists in each other, in a line", full("- "), /nests too deeply/],
  ["anchors of one value", full("&a "), /is not YAML/],
  ["an alias to nothing", `clouds: *${CANARY.token}`, /is not YAML/],
  ["a tab", `clouds:\n\tprod:\n\t\t${AUTH}`, /line 2: it is not YAML/],
  [
    "a line that is no setting",
    `clouds:\n  prod:\n    ${SECRET}\n    ${CANARY.token}\n`,
    /line [45]:/,
  ],
  [
    "a tag of Ansible",
    `clouds:\n  prod:\n    password: !vault |\n      ${SECRET}`,
    /line 3: .* has a tag/,
  ],
  ["a tag on a mapping", `clouds: {prod: !ENV {${AUTH}}}`, /line 1: .* has a tag/],
  ["a tag of Python", `clouds: {prod: {auth: !!python/x {${ADDRESS}}}}`, /has a tag/],
  ["a secret that begins with !", `clouds: {prod: {password: !${CANARY.password}}}`, /has a tag/],
  ["more than 128 KiB", `# ${"x".repeat(128 * 1024)}`, /it is larger than 128 KiB/],
  [
    "a cloud that is a string",
    `clouds: {prod: ${CANARY.password}}`,
    /its entry or its auth is not a mapping/,
  ],
  ["a cloud that is a list", `clouds: {prod: [{${AUTH}}]}`, /not a mapping/],
  ["auth that is a string", `clouds: {prod: {auth: ${CANARY.password}}}`, /not a mapping/],
])(
  "%s is refused, and not repeated",
  async (_what, content, problem) => {
    write(content);
    let message = "";
    const took = await processorTime(async () => {
      message = await refusal();
    });
    expect(message).toMatch(problem);
    expect(message).toMatch(
      /^(?:The file|In the cloud "prod") .*FILE.* \[ERR_CLOUDS_FILE_INVALID\]$/,
    );
    // At most a second on an idle machine.
    expect(took).toBeLessThan(5_000);
  },
  60_000,
);

test("a pipe is refused without waiting, by its name", async () => {
  execFileSync("mkfifo", [join(folder, "clouds.yaml")]);
  expect(await refusal()).toMatch(/it is no regular file: a pipe, .*ERR_CLOUDS_FILE_INVALID/);
});

/**
 * A password and its key, as they are written where a blank, a quote or a line break is missing.
 */
const MISSPELLED = [":", "=", " :", " = ", ": [", ": {", ":!!str ", "\uff1a "].flatMap((sign) =>
  ["password", "PASSWORD", "application-credential-secret", "pwd", "passwd"].flatMap((key) => {
    const pair = `${key}${sign}${CANARY.password}`;
    return [pair, `"${pair}"`, `'${pair}'`, `? ${pair}`, `!!str ${pair}`, `${pair}:`];
  }),
);
const IN_BLOCK = `clouds:\n  prod:\n    auth:\n      ${ADDRESS}\n      username: u`;

test.each<[string, (pair: string) => string]>([
  ["in a flow mapping", (pair) => entry(`${ADDRESS}, username: u, ${pair}, domain_name: "1"`)],
  ["first in it", (pair) => entry(`${pair}, username: u`)],
  ["on a line of it", (pair) => entry(`\n ${ADDRESS},\n ${pair}\n`)],
  ["as a key of JSON", (pair) => entry(`${ADDRESS}, ${JSON.stringify(pair)}: ""`)],
  ["in a block mapping", (pair) => `${IN_BLOCK}\n      ${pair}\n`],
  ["as a key of it", (pair) => `${IN_BLOCK}\n      ${pair}: x\n      domain_name: "1"\n`],
  ["after a value", (pair) => `${IN_BLOCK} ${pair}\n      domain_name: "1"\n`],
  ["on a line that continues a value", (pair) => `${IN_BLOCK}\n        ${pair}\n`],
  ["next to auth", (pair) => `clouds: {prod: {auth: {${ADDRESS}}, ${pair}}}`],
  ["in its place", (pair) => `clouds:\n  prod:\n    auth: ${pair}\n`],
  ["as a name of a cloud", (pair) => `clouds: {${pair}: {auth: {}}}`],
  ["next to the clouds", (pair) => `clouds:\n  other: {}\n  ${pair}\n`],
  ["as a type", (pair) => entry("", `, auth_type: ${pair}`)],
  ["as a file", (pair) => `clouds:\n  prod:\n    ${AUTH}\n    cert: c ${pair}\n`],
  ["at the end of an address", (pair) => entry(`auth_url: https://i.test/v3 ${pair}`)],
])("a misspelled password is not repeated: %s", async (_where, file) => {
  for (const pair of someOf(MISSPELLED, file("").length)) {
    write(file(pair));
    await refusal();
  }
});

test("any file gives a description or an error of ours, and neither repeats a secret", async () => {
  const secret = CANARY.password;
  const piece = fc.constantFrom(
    ..." \n{}[],'\"|>%#\t\u0000\ufeff🚀~",
    ...["clouds:", "prod:", "auth:", "  ", "- ", "&a", "*a", "<<:", "? ", "!!str", "---", "0123"],
    ...["password:", `password: ${secret}\n`, AUTH, "__proto__:", "constructor"],
    ...MISSPELLED,
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 30 }), async (pieces) => {
      write(`clouds: {prod: {${AUTH}}}`, "secure.yaml");
      write(pieces.join(""));
      await refusal();
    }),
    fuzz(500),
  );
});

const CLOUD = 'cloud "prod" (FILE)';
const others = (count: number) => lines(count, (i) => ` c${i}: {},`);

type Refused = [name: string, clouds: string, says: string, variables?: Record<string, string>];
const REFUSED: readonly Refused[] = [
  [
    "another name than those of a file",
    `clouds: {${others(2)}}`,
    'There is no cloud "prod" in FILE. Its clouds: "c0", "c1". ',
  ],
  ["more clouds than are listed", `clouds: {${others(30)}}`, '"c18", "c19". '],
  ["an empty file", "", 'There is no cloud "prod" in FILE. Its clouds: none. '],
  [
    "an address alone",
    entry(ADDRESS),
    `The ${CLOUD} gives auth_url, but lacks the account, the user and the password. Add user_domain_name, username and password to auth, in clouds.yaml or secure.yaml. [ERR_CREDENTIALS_MISSING]`,
  ],
  [
    "no setting",
    entry(""),
    `The ${CLOUD} lacks the address, the account, the user and the password.`,
  ],
  [
    "a password alone",
    entry(SECRET),
    `The ${CLOUD} gives password, but lacks the address, the account and the user.`,
  ],
  [
    "a password that the environment alone has",
    `clouds: {prod: {${AUTH.replace(SECRET, "x-: ''").replace("x-: '', ", "")}}}`,
    `One source gives all parts: OS_PASSWORD is set, but not used with the ${CLOUD}. Add password to auth, in clouds.yaml or secure.yaml. [ERR_CREDENTIALS_MIXED]`,
    { OS_PASSWORD: CANARY.password },
  ],
  [
    "a misspelled key",
    entry("pasword: x"),
    `In the ${CLOUD}, auth has a key that is not a setting; after a colon, a blank is required. `,
  ],
  [
    "no blank after a colon",
    entry(`${ADDRESS}, username: u,\n password:x, domain_name: "1"`),
    `In the ${CLOUD}, auth has a key that is not a setting; after a colon, `,
  ],
  [
    "a list for a string",
    entry(`\n ${ADDRESS},\n\n user-name: [x]`),
    `In the ${CLOUD}, user_name in auth is not a string. `,
  ],
  [
    "a password in the user's name",
    entry("\n username: u\n password:x"),
    `In the ${CLOUD}, username has another setting's key in it: each setting needs its own line. `,
  ],
  [
    "a token",
    entry("token: t", ", auth_type: v2token"),
    `In the ${CLOUD}: auth_type selects a token; the provider issues tokens by itself. Change`,
  ],
  [
    "another way of signing in, with its own keys",
    entry(`${ADDRESS}, client_id: c, openid_scope: s`, ", auth_type: v3oidcclientcredentials"),
    `In the ${CLOUD}: auth_type is not password, v3password, v3applicationcredential or v3oidcaccesstoken. `,
  ],
  [
    "a client certificate as a way of signing in",
    entry(ADDRESS, ", auth_type: v3tokenlessauth"),
    `In the ${CLOUD}: auth_type is not password, `,
  ],
  [
    "two values for the user",
    entry(`${ADDRESS}, username: a`, ", user_name: b"),
    `In the ${CLOUD}, username and user_name differ. Keep one of them. [ERR_CREDENTIALS_MIXED]`,
  ],
  [
    "two values under one name",
    entry(`${ADDRESS}, username: a`, ", username: b"),
    `In the ${CLOUD}, username has two values, in auth and next to it. Keep one of them.`,
  ],
  [
    "a certificate without its key",
    `clouds: {prod: {cert: c.pem, ${AUTH}}}`,
    `cert of the ${CLOUD} is given without the other half`,
  ],
  ["an address of http://", entry(`auth_url: "http://i.test"`), `auth_url of the ${CLOUD}: `],
];

for (const [name, clouds, says, variables = {}] of REFUSED)
  test(`a refusal says what is wrong: ${name}`, async () => {
    write(clouds);
    expect(await refusal({}, variables)).toContain(says);
  });

test("without a file the error names the folders, in their order; under OS_CLOUD, that name", async () => {
  expect(await refusal({}, { HOME: "/home/u", XDG_CONFIG_HOME: "/xdg" })).toContain(
    `no clouds.yaml, .yml or .json in ${JSON.stringify(folder)}, "/xdg/openstack", "/home/u/.config/openstack" or "/etc/openstack".`,
  );
  // Anybody could own the folder of a relative one.
  expect(await refusal({}, { HOME: "/home/u", XDG_CONFIG_HOME: "xdg" })).not.toContain("xdg");
  const ofWindows = {
    USERPROFILE: "/u",
    LOCALAPPDATA: "/local",
    HOME: "/h",
    XDG_CONFIG_HOME: "/x",
  };
  expect(await onPlatform("win32", () => refusal({}, ofWindows))).toContain(
    `${JSON.stringify(folder)}, "/local/OpenStack/openstack" or "/u/.config/openstack".`,
  );
  write("clouds: {prod: {auth: {}}}");
  expect(await refusal({ cloud: null }, { OS_CLOUD: "prod" })).toMatch(
    /^The cloud "prod" \(FILE, selected by OS_CLOUD\) lacks/,
  );
  expect(await refusal({}, { OS_CLIENT_CONFIG_FILE: "none" })).toMatch(
    /none": it does not exist \(OS_CLIENT_CONFIG_FILE\)\./,
  );
  expect(await refusal({}, { OS_CLIENT_CONFIG_FILE: "a\nb" })).toMatch(
    /^OS_CLIENT_CONFIG_FILE is not a path/,
  );
});

test("what is known of a cloud has its secret wrapped, and none of its file", async () => {
  write(`clouds: {prod: {${AUTH}}}`);
  const described = await describeWith();
  expect(described).toMatchObject({ kind: "keys" });
  expect(inspect(described, { depth: 20, showHidden: true })).not.toContain("canary");
});

test("clouds_folder counts as the current folder: for the file, and for relative paths", async () => {
  mkdirSync(join(folder, "app"));
  // Without a home folder, a ~ is a name; a list is no setting.
  write(`clouds: {prod: {cacert: ~/ca.pem, key: [k], ${AUTH}}}`, "app/clouds.yaml");
  const block = { clouds_folder: "app" };
  expect((await describeWith(block)).files.ca?.path).toBe(join(folder, "app", "~", "ca.pem"));
  expect((await describeWith({ ...block, ca_file: "own.pem" })).files.ca?.path).toBe("own.pem");
  write(`clouds: {prod: {${AUTH.replace("username: u", "username: named")}}}`, "app/other.yaml");
  expect(await describeWith(block, { OS_CLIENT_CONFIG_FILE: "other.yaml" })).toMatchObject({
    user: { name: "named" },
  });
});

test("a link to a secure.yaml elsewhere does not bring the user's password to the project's address", async () => {
  for (const name of ["home", "project"]) mkdirSync(join(folder, name));
  const own = AUTH.replace(`${ADDRESS}, `, "");
  write(`clouds: {prod: {${own}}}`, "home/secure.yaml");
  symlinkSync("../home/secure.yaml", join(folder, "project", "secure.yaml"));
  write(entry(ADDRESS), "project/clouds.yaml");
  expect(await refusal({ clouds_folder: "project" })).toMatch(
    /^Links lead to ".*clouds\.yaml" and ".*secure\.yaml", in two folders: two sources\. Keep both .*\[ERR_CREDENTIALS_MIXED\]$/,
  );
  // To files of one folder, they are those files.
  rmSync(join(folder, "project", "clouds.yaml"));
  write(entry(ADDRESS), "home/clouds.yaml");
  symlinkSync("../home/clouds.yaml", join(folder, "project", "clouds.yaml"));
  expect(await describeWith({ clouds_folder: "project" })).toMatchObject({ user: { name: "u" } });
});

test.each(["clouds.yaml", "clouds.json", "secure.yaml"])(
  "a %s that leads to no file is not skipped: the next one may be another account's",
  async (name) => {
    for (const each of ["home/.config/openstack", "project"])
      mkdirSync(join(folder, each), { recursive: true });
    write(`clouds: {prod: {${AUTH}}}`, "home/.config/openstack/clouds.yaml");
    if (name === "secure.yaml") write(`clouds: {prod: {${AUTH}}}`, "project/clouds.yaml");
    symlinkSync("..data/file", join(folder, "project", name));
    const HOME = join(folder, "home");
    expect(await refusal({ clouds_folder: "project" }, { HOME })).toMatch(
      /": it leads to no file: .*\[ERR_CLOUDS_FILE_INVALID\]$/,
    );
    rmSync(join(folder, "project", name));
    expect(await describeWith({ clouds_folder: "project" }, { HOME })).toHaveProperty("user");
  },
);

test("the files of a secret that Kubernetes mounts are in one folder", async () => {
  const at = join(folder, "project");
  mkdirSync(at);
  const secure = `clouds: {prod: {${AUTH.replace(`${ADDRESS}, `, "")}}}`;
  mountSecret(at, "..1", { "clouds.yaml": entry(ADDRESS), "secure.yaml": secure });
  expect(await describeWith({ clouds_folder: "project" })).toMatchObject({ user: { name: "u" } });
});
