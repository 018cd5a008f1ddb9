import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { createIamProvider } from "../../../lib/provider/iam-provider";
import { assertAllowed } from "../../../lib/provider/process/allow-list";
import { IamTokensError } from "../../../lib/tokens";
import {
  BLOCK,
  CANARY,
  contextOf,
  eachIn,
  FakeIdentity,
  readCredentialOf,
  surroundingsOf,
  textOf,
} from "../fixtures";
import { mountSecret } from "../mounted-secret";

const VARIABLES = {
  address: "IAM_TOKENS_ALLOWED_AUTH_URLS",
  place: "IAM_TOKENS_ALLOWED_STATIC_SOURCES",
  program: "IAM_TOKENS_ALLOWED_COMMANDS",
} as const;
const CODES = {
  address: "ERR_ADDRESS_NOT_ALLOWED",
  place: "ERR_STATIC_SOURCE_NOT_ALLOWED",
  program: "ERR_COMMAND_NOT_ALLOWED",
} as const;
type Kind = keyof typeof VARIABLES;
const KINDS = Object.keys(VARIABLES) as readonly Kind[];
const A = "https://a.test/identity/v3";

const outcome = (kind: Kind, given: string, list: string | undefined): string => {
  try {
    assertAllowed(kind, given, `The ${kind} x`, surroundingsOf({ [VARIABLES[kind]]: list }));
    return "allowed";
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    expect(error.message).not.toContain("canary");
    return `${error.code}: ${error.problem}`;
  }
};

test.each(KINDS)("%s: a list that is not set allows everything, an empty one nothing", (kind) => {
  const given = kind === "address" ? A : "x";
  expect(outcome(kind, given, undefined)).toBe("allowed");
  for (const list of ["", " ", ",", " , "])
    expect(outcome(kind, given, list)).toBe(
      `${CODES[kind]}: The ${kind} x may not be used: ${VARIABLES[kind]} does not list it (entries: 0).`,
    );
});

test.each<[Kind, given: string, list: string]>([
  ["address", A, "https://a.test/"],
  ["address", A, "https://a.test:443/identity"],
  ["address", A, "https://b.test\n\thttps://a.test/identity/v3/ ,"],
  ["place", "STATIC_DNS", "STATIC_DNS"],
  ["place", "STATIC_DNS", " OTHER , STATIC_* "],
  ["place", "/run/tokens/dns", "/run/tokens/*"],
  ["program", "op", "vault, op ,x"],
])("%s: %s is in %j", (kind, given, list) => {
  expect(outcome(kind, given, list)).toBe("allowed");
});

test.each<[Kind, given: string, list: string]>([
  ["address", A, "https://a.test.evil.test"],
  ["address", A, "https://a.test:8443"],
  ["address", "http://localhost:1/v3", "https://localhost:1"],
  ["address", A, "https://sub.a.test,https://a.tes"],
  ["place", "OS_PASSWORD", "STATIC_*,/run/tokens/*"],
  ["place", "STATIC_DNS", "STATIC"],
  ["place", "STATIC_DNS", "static_dns,/*,STA*DNS,a b"],
  ["place", "/run/password", "STATIC_*,/run/tokens/../*,./run/*,/run//*"],
  ["place", "/run/tokens", "/run/tokens/*"],
  ["program", "/usr/bin/op", "op"],
  ["program", "op", "op*,opx"],
])("%s: %s is not in %j", (kind, given, list) => {
  const count = list.split(",").length;
  expect(outcome(kind, given, list)).toContain(`${CODES[kind]}: `);
  expect(outcome(kind, given, list)).toContain(`does not list it (entries: ${count}).`);
});

test("an entry that is no address allows nothing, and is named by its position", () => {
  expect(outcome("address", A, `${A} https://user:canary@b.test`)).toMatch(
    /^ERR_ADDRESS_INVALID: Entry 2 of IAM_TOKENS_ALLOWED_AUTH_URLS: /,
  );
});

describe("in a folder", () => {
  let folder: string;
  eachIn((own) => {
    folder = own;
  });

  test("for another address no command is run, no file is read, and GitHub is not asked", async () => {
    const writes = [process.execPath, "-e", `require("fs").writeFileSync("ran", "")`];
    const { user_name, password: _, ...service } = BLOCK;
    const federation = { ...service, identity_provider: "ci", protocol: "openid" };
    const credential = { ...service, application_credential_id: "a" };
    const variables = { [VARIABLES.address]: "https://pipeline.example.test" };
    for (const block of [
      { ...service, user_name, password_command: writes },
      { ...service, user_name, password_file: "missing" },
      { ...BLOCK, ca_file: "missing" },
      { ...credential, application_credential_secret_command: writes },
      { ...federation, oidc_token_command: writes },
      { ...federation, oidc_audience: "a" },
    ])
      await expect(
        readCredentialOf(block, surroundingsOf(variables, { workingFolder: folder })),
      ).rejects.toMatchObject({ code: CODES.address });
    expect(existsSync(join(folder, "ran"))).toBe(false);
  });

  /** Its source; and what is refused, undefined if the token is given. */
  test.each<[name: string, source: string, list: string, refused?: string]>([
    ["in a listed variable is given", "env=STATIC_DNS", "STATIC_*"],
    ["in a file of a listed folder is given", "file=./x/../tokens/dns", "~/tokens/*"],
    ["below a link to a listed folder is given", "file=current/dns", "~/tokens/*"],
    // Terraform's own value: the provider reads nothing.
    ["that is a value is given", "value=abc", ""],
    [
      "in another variable is refused",
      "env=OS_PASSWORD",
      "STATIC_*",
      "environment variable OS_PASSWORD",
    ],
    [
      "in a file above a listed folder is refused",
      "file=tokens/../password",
      "~/tokens/*",
      'file "~/password"',
    ],
    [
      "in a link that leaves a listed folder is refused",
      "file=tokens/link",
      "~/tokens/*",
      'file "~/password"',
    ],
    // An entry that is a link stands for a file in its own folder alone.
    [
      "in a listed link to another folder is refused",
      "file=tokens/link",
      "~/tokens/link",
      'file "~/password"',
    ],
    // Nor for one in a folder that a link above it selects.
    [
      "in a file listed by a link to its folder is refused",
      "file=current/dns",
      "~/current/dns",
      'file "~/tokens/dns"',
    ],
    [
      "in a file listed by that link after a .. is refused",
      "file=current/dns",
      "~/tokens/../current/dns",
      'file "~/tokens/dns"',
    ],
    [
      "in a mounted secret listed by a link to its folder is refused",
      "file=mounted/dns",
      "~/mounted/dns",
      'file "~/s/..2026/dns"',
    ],
    ["in a mounted secret, given by a link to its folder, is given", "file=mounted/dns", "~/s/dns"],
    ["in a mounted secret is given", "file=s/dns", "~/s/dns"],
    ["in a mounted secret, given below ..data, is given", "file=s/..data/dns", "~/s/dns"],
    ["in a mounted secret listed below ..data is given", "file=s/dns", "~/s/..data/dns"],
    [
      "in another key of a mounted secret is refused",
      "file=s/other",
      "~/s/dns",
      'file "~/s/..2026/other"',
    ],
    [
      "in a mounted secret listed by a relative path is refused",
      "file=s/dns",
      "@/s/dns",
      'file "~/s/..2026/dns"',
    ],
    [
      "in /proc is refused",
      "file=/proc/self/environ",
      "~/tokens/*",
      `file "/proc/${process.pid}/environ"`,
    ],
  ])("a static token %s", async (_name, source, list, ...[refused]) => {
    mkdirSync(join(folder, "tokens"));
    writeFileSync(join(folder, "tokens", "dns"), CANARY.static);
    writeFileSync(join(folder, "password"), CANARY.password);
    symlinkSync("../password", join(folder, "tokens", "link"));
    symlinkSync("tokens", join(folder, "current"));
    symlinkSync("s", join(folder, "mounted"));
    mountSecret(join(folder, "s"), "..2026", { dns: CANARY.static, other: CANARY.password });
    const variables = {
      STATIC_DNS: CANARY.static,
      OS_PASSWORD: CANARY.password,
      [VARIABLES.place]: list.replaceAll("~", folder).replace("@", relative(process.cwd(), folder)),
    };
    const { ephemeralResources } = createIamProvider({
      processContext: surroundingsOf(variables, { workingFolder: folder }),
      identity: new FakeIdentity(),
    });
    const opened = await ephemeralResources.iam_static_token?.open(
      Object.fromEntries([source.split("=")]),
      contextOf(),
    );
    const text = textOf(opened?.diagnostics).replaceAll(folder, "~");
    expect([opened?.result === undefined, text !== ""]).toEqual(
      Array(2).fill(refused !== undefined),
    );
    expect(text).toContain(refused ? `The ${refused} may not be used` : "");
    expect(text).not.toContain("canary");
  });
});
