import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import * as fc from "fast-check";
import type { CtyObject } from "../../../lib/plugin/cty/value";
import type { CloudValue } from "../../../lib/provider/clouds/cloud-value";
import { parseCloudsFile } from "../../../lib/provider/clouds/parse-clouds-file";
import { toProviderBlock } from "../../../lib/provider/credentials/provider-block";
import { describeCredentials } from "../../../lib/provider/sources/describe-credentials";
import { IamTokensError } from "../../../lib/tokens";
import { expectOften } from "../../support/expect-often";
import { fuzz } from "../../support/fuzz";
import { processorTime } from "../../support/processor-time";
import { CANARY, surroundingsOf } from "../fixtures";

const AUTH = `auth: {auth_url: "https://i.test/v3", username: u, password: ${CANARY.password}, user_domain_name: "1"}`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "iam-clouds-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (content: string | Buffer, name = "clouds.yaml"): void =>
  writeFileSync(join(folder, name), content);

const describeWith = (
  block: CtyObject = { cloud: "prod" },
  variables: Record<string, string> = {},
  more: { readonly attached?: boolean; readonly workingFolder?: string } = {},
) =>
  describeCredentials(
    toProviderBlock(block),
    surroundingsOf(variables, { workingFolder: folder, ...more }),
  );

/** The message of a refusal, in which nothing of a file may stand. */
async function refusal(...args: Parameters<typeof describeWith>): Promise<string> {
  try {
    await describeWith(...args);
    return "accepted";
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    expect(`${error.message} ${inspect(error, { depth: 10, showHidden: true })}`).not.toMatch(
      /canary/,
    );
    return error.message;
  }
}

describe("a hostile or broken clouds file", () => {
  const lines = (count: number, line: (i: number) => string): string =>
    Array.from({ length: count }, (_, i) => line(i)).join("\n");
  const fill = (piece: string, size = 16_000): string => piece.repeat(size / piece.length);
  /** Almost as large as a file may be. */
  const full = (piece: string): string => fill(piece, 130_000);
  const keys = (count: number): string => lines(count, (i) => ` k${i}: v,`);
  const TOO_MANY = /line \d+: it has more than 50000 values, including aliases/;
  const TOO_DEEP = /line \d+: collections are nested too deeply/;
  const NO_YAML = /line \d+: this is not YAML/;

  test.each<[string, string | Buffer, RegExp]>([
    ["a billion laughs", `- &l ha\n${lines(40, () => "- &l [*l, *l]")}`, TOO_MANY],
    ["laughs of mappings", `- &l ha\n${lines(40, () => "- &l {a: *l, b: *l}")}`, TOO_MANY],
    ["ten thousand aliases to a list", `- &a [${"x,".repeat(99)}]\n${fill("- *a\n")}`, TOO_MANY],
    ["a large mapping merged often", `- &a {${keys(9000)}}\n${"- {<<: *a}\n".repeat(9)}`, TOO_MANY],
    ["merges of merges", `- &a {${keys(9)}}\n${fill("- &a {<<: [*a, *a]}\n")}`, TOO_MANY],
    ["a chain of merges", `- &a {}\n${lines(4000, (i) => `- &a {k${i}: v, <<: *a}`)}`, TOO_MANY],
    ["thousands of values", `[${full("a,")}]`, TOO_MANY],
    ["sixty lists in each other", `clouds: ${"[".repeat(60)}${"]".repeat(60)}`, TOO_DEEP],
    ["open brackets", full("["), TOO_DEEP],
    ["open braces", fill("{"), TOO_DEEP],
    ["mappings in each other", fill("{a: "), TOO_DEEP],
    ["lists in each other, a line each", `${fill("- ")}x`, TOO_DEEP],
    ["keys in each other", fill("? "), /nested too deeply|a key is not a string/],
    ["deeper and deeper lines", lines(500, (i) => `${" ".repeat(i)}a:`), TOO_DEEP],
    ["closing brackets", full("]"), NO_YAML],
    ["commas", `[${fill(",")}`, NO_YAML],
    ["quotes", fill('"'), NO_YAML],
    ["anchors of one value", fill("&a "), NO_YAML],
    ["tags of one value", fill("!!a "), NO_YAML],
    ["tags of many values", fill("- !!js/function x\n"), /a value has a tag/],
    ["a tag", `clouds: {prod: !${CANARY.password} {}}`, /line 1: a value has a tag/],
    ["binary data", "clouds: !!binary aGVsbG8=", /line 1: a value has a tag/],
    ["a set", "clouds: !!set {prod}", /line 1: a value has a tag/],
    ["one key thousands of times", fill("a: 1\n"), /a key occurs twice/],
    [
      "a key twice after many",
      `${lines(9000, (i) => `k${i}: v`)}\nk0: v`,
      /line 9001: a key occurs/,
    ],
    ["an alias to what it is in", "clouds: &a {prod: *a}", /line 1: an alias has no preceding/],
    ["an alias to nothing", "clouds: *canary", /line 1: an alias has no preceding anchor/],
    ["a tab", `clouds:\n\tprod:\n\t\t${AUTH}`, /line 2: there is a tab/],
    ["a null", `clouds: {prod: {x: "${CANARY.password}\0"}}`, /it has a control character/],
    [
      "a key twice",
      `clouds:\n  prod: {${AUTH}}\n  prod: {}`,
      /line 3: a key occurs twice in one mapping/,
    ],
    [
      "a merge key twice",
      `a: &a {}\nclouds: {<<: *a, <<: *a}`,
      /line 2: a key occurs twice in one mapping/,
    ],
    [
      "a merge of a string",
      `clouds: {<<: ${CANARY.password}}`,
      /line 1: << has a value that is not a mapping/,
    ],
    ["a key that is a list", `clouds: {? [${CANARY.password}] : x}`, /a key is not a string/],
    ["two documents", `a: 1\n---\nclouds: {prod: {${AUTH}}}`, /it has more than one document/],
    ["a quote that is not closed", `clouds: {prod: {auth: {password: "${CANARY.password}`, NO_YAML],
    [
      "a line that is not a setting",
      `clouds:\n  prod:\n    auth: {}\n    ${CANARY.password}\n`,
      NO_YAML,
    ],
    ["more than 128 KiB", `# ${"x".repeat(128 * 1024)}`, /it is larger than 128 KiB/],
    [
      "more than is read of any file",
      Buffer.alloc(2 * 1024 * 1024, "#"),
      /it is larger than 1 MiB/,
    ],
    ["Latin-1", Buffer.from("clouds: {prod: {x: J\xfcrgen}}", "latin1"), /it is not UTF-8 text/],
    ["UTF-16", Buffer.from(`clouds: {prod: {${AUTH}}}`, "utf16le"), /it has a control character/],
    ["a string", CANARY.password, /it is not a mapping with the key clouds/],
    ["clouds that are a string", `clouds: ${CANARY.password}`, /clouds is not a mapping/],
    [
      "a cloud that is a string",
      `clouds: {prod: ${CANARY.password}}`,
      /the cloud "prod" is not a mapping/,
    ],
    [
      "auth that is a string",
      `clouds: {prod: {auth: ${CANARY.password}}}`,
      /auth is not a mapping/,
    ],
    [
      "a password that is a list",
      `clouds: {prod: {auth: {password: [${CANARY.password}]}}}`,
      /auth\.password is a list, not a string/,
    ],
    [
      "an account that is a mapping",
      `clouds: {prod: {auth: {user_domain_name: {a: ${CANARY.password}}}}}`,
      /auth\.user_domain_name is a mapping/,
    ],
  ])(
    "%s is refused, and not repeated",
    async (_what, content, problem) => {
      write(content);
      let message = "";
      const took = await processorTime(async () => {
        message = await refusal();
      });
      expect(message).toMatch(problem);
      expect(message).toContain("[ERR_CLOUDS_FILE_INVALID]");
      expect(message).toContain(`The file ${JSON.stringify(join(folder, "clouds.yaml"))}`);
      // At most a second on an idle machine.
      expect(took).toBeLessThan(5_000);
    },
    60_000,
  );

  test("collections in each other do not end a process that reads them again and again", () => {
    // V8 ends a process that compiles a regular expression when its stack is almost full.
    write(fill("{a: ", 120_000));
    const request = JSON.stringify({ name: "prod", source: "cloud", folder });
    const program = `const read = () => require("./clouds.cjs").gatherCloud(${request}, { variables: {} });
      let last = read();
      for (let i = 0; i < 7; i++) last = last.catch(read);
      last.catch(({ code }) => console.log(code));`;
    const cwd = join(__dirname, "../../../dist/terraform");
    const output = execFileSync(process.execPath, ["-e", program], { cwd, encoding: "utf8" });
    expect(output).toBe("ERR_CLOUDS_FILE_INVALID\n");
  });

  test("refuses a FIFO without waiting", async () => {
    execFileSync("mkfifo", [join(folder, "clouds.yaml")]);
    expect(await refusal()).toMatch(/it is a FIFO.*ERR_CLOUDS_FILE_INVALID/);
  });

  test("applies the same rules to secure.yaml", async () => {
    write(`clouds: {prod: {${AUTH}}}`);
    write(`clouds:\n\tprod: ${CANARY.password}`, "secure.yaml");
    expect(await refusal()).toMatch(/secure\.yaml", line 2: there is a tab/);
    write(`clouds: {prod: {auth: ${CANARY.password}}}`, "secure.yaml");
    expect(await refusal()).toMatch(/secure\.yaml", line 1: auth is not a mapping/);
  });

  test("applies the same rules to JSON", async () => {
    write(`{"clouds": {"prod": {${CANARY.password}`, "clouds.json");
    expect(await refusal()).toMatch(/this is not YAML or JSON.*ERR_CLOUDS_FILE_INVALID/);
    write(`{"clouds": {"prod": {}, "prod": {}}}`, "clouds.json");
    expect(await refusal()).toMatch(/a key occurs twice/);
  });

  test("any file gives a value or our error, which does not repeat its contents", () => {
    const piece = fc.constantFrom(
      ..." \n{}[],'\"|>%#\t\u0000\ufeff🚀~",
      ...["clouds:", "prod:", "  ", "- ", "&a", "*a", "<<:", "? ", "!!str", "---", "...", "0123"],
      "canary",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        try {
          const value = parseCloudsFile(pieces.join(""), {
            path: "/clouds.yaml",
            realFolder: "/",
            ofProject: false,
          });
          // Keys are names; every other text is kept as a secret.
          expectOften(
            inspect(value, { depth: 50, showHidden: true }).replaceAll(
              /"?'?[^\s']*canary[^']*'?"? =>/g,
              "",
            ),
          ).not.toMatch(/text: '.*canary/);
        } catch (error) {
          expectOften(IamTokensError.is(error) && error.code).toBe("ERR_CLOUDS_FILE_INVALID");
          expectOften(String(error)).not.toContain("canary");
        }
      }),
      fuzz(2000),
    );
  });
});

describe("any clouds file", () => {
  type Tree = string | readonly Tree[] | { readonly [key: string]: Tree };
  const text = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 8 }),
    fc.constantFrom(
      "0123",
      "12:34",
      "yes",
      "~",
      "<<",
      "=",
      "1.10",
      "2026-01-01",
      " x ",
      "a: b #",
      "\n",
    ),
  );
  const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.array(tie("tree"), { maxLength: 3 }),
      fc.dictionary(text, tie("tree"), { maxKeys: 3, noNullPrototype: true }),
    ),
  }));
  const read = (content: string, path: string) =>
    parseCloudsFile(content, { path, realFolder: "/", ofProject: false });
  const treeOf = (value: CloudValue | undefined): unknown => {
    if (value === undefined || value.kind === "scalar") return value?.text.reveal();
    if (value.kind === "list") return value.items.map(treeOf);
    return new Map([...value.entries].map(([key, each]) => [key, treeOf(each)]));
  };
  const asMaps = (value: Tree): unknown => {
    if (typeof value === "string") return value;
    if (Array.isArray(value)) return value.map(asMaps);
    return new Map(Object.entries(value).map(([key, each]) => [key, asMaps(each)]));
  };
  const formsOf = (value: CloudValue | undefined): readonly string[] => {
    if (value === undefined || value.kind === "scalar") return value ? [value.form] : [];
    return (value.kind === "list" ? value.items : [...value.entries.values()]).flatMap(formsOf);
  };
  /** In quotes, and in lines of its own for each item: YAML without anything of JSON's. */
  const asYaml = (value: Tree, indent: string): string => {
    if (typeof value === "string") return ` ${JSON.stringify(value)}\n`;
    const below = `${indent}  `;
    if (Array.isArray(value))
      return value.length === 0
        ? " []\n"
        : `\n${value.map((each) => `${indent}-${asYaml(each, below)}`).join("")}`;
    const entries = Object.entries(value);
    return entries.length === 0
      ? " {}\n"
      : `\n${entries.map(([key, each]) => `${indent}? ${JSON.stringify(key)}\n${indent}:${asYaml(each, below)}`).join("")}`;
  };

  test("is read as the written values, as JSON, as YAML in one line and in many", () => {
    fc.assert(
      fc.property(tree, (given) => {
        const json = JSON.stringify(given);
        for (const value of [
          read(json, "/clouds.json"),
          read(json, "/clouds.yaml"),
          read(`# one\n---${asYaml(given, "")}`, "/clouds.yaml"),
        ]) {
          expectOften(treeOf(value)).toEqual(asMaps(given));
          expectOften(new Set([...formsOf(value), "text"])).toEqual(new Set(["text"]));
        }
      }),
      fuzz(500),
    );
  });

  test("gives a description or an error of ours, and neither repeats a possible secret", async () => {
    const secret = CANARY.password;
    const value = fc.oneof(
      { weight: 4, arbitrary: fc.constant(secret) },
      fc.constantFrom(
        "~",
        "",
        `[${secret}]`,
        `{a: ${secret}}`,
        `!${secret} x`,
        `*${secret}`,
        `"${secret}`,
      ),
    );
    const key = fc.constantFrom(
      ...["password", "passcode", "token", "application_credential_secret", "user_id", "trust_id"],
      ...[
        "auth_type",
        "region_name",
        "verify",
        "cacert",
        "cert",
        "key",
        "insecure",
        "profile",
        "auth",
      ],
      ...["interface", "identity_api_version", "project_id", "domain_id", "system_scope", "x"],
    );
    const settings = fc
      .array(fc.tuple(key, value), { maxLength: 4 })
      .map((pairs) => pairs.map((pair) => `, ${pair.join(": ")}`).join(""));
    await fc.assert(
      fc.asyncProperty(settings, settings, fc.boolean(), async (inAuth, beside, inSecure) => {
        write(
          `clouds: {prod: {auth: {auth_url: "https://i.test/v3", username: u${inAuth}}${beside}}}`,
        );
        write(
          inSecure ? `clouds: {prod: {auth: {password: ${secret}}${beside}}}` : "",
          "secure.yaml",
        );
        await refusal();
      }),
      fuzz(200),
    );
  });
});

describe("the whole message of a refusal", () => {
  const CLOUD = 'the cloud "prod" (FILE)';
  const CHANGE = "Change the named settings, or add another entry for token issuing.";
  const SEARCHED =
    "Correct the name, or put clouds.yaml where the provider looks: OS_CLIENT_CONFIG_FILE, the project's folder, ~/.config/openstack, /etc/openstack.";
  const CORRECT =
    "Correct the file at the named line, which may hold a secret and is not repeated.";
  const names = (count: number): string =>
    Array.from({ length: count }, (_, i) => `c${i}: {}`).join(", ");
  /** The settings of the cloud: of `auth`, one a line from the third on, and then next to it. */
  const prod = (auth: string, more = ""): string => {
    const indented = (settings: string) => settings.replaceAll(/^/gm, "    ");
    return `clouds:\n  prod: {auth: {\n${indented(auth)}},\n${indented(more)}}`;
  };
  const ALL = 'auth_url: "https://i.test/v3",\nusername: u,\npassword: p,\nuser_domain_name: "1"';

  test.each<{ clouds: string; secure?: string; says: string; code: string }>([
    {
      clouds: "clouds:\n  prod:\n",
      says: 'The cloud "prod" is empty in FILE. Write its settings below its name, with more indentation.',
      code: "ERR_CLOUD_NOT_FOUND",
    },
    ...["", "~", "client: {}", "clouds:", "clouds: {}"].map((clouds) => ({
      clouds,
      says: `There is no cloud "prod" in FILE. It has no clouds. ${SEARCHED}`,
      code: "ERR_CLOUD_NOT_FOUND",
    })),
    {
      clouds: "clouds: {c: {}, a: {}}",
      secure: "clouds: {c: {}, b: {}}",
      says: `There is no cloud "prod" in FILE and SECURE. Its clouds: "a", "b" and "c". ${SEARCHED}`,
      code: "ERR_CLOUD_NOT_FOUND",
    },
    {
      clouds: `clouds: {${names(10)}}`,
      says: `There is no cloud "prod" in FILE. Its clouds: "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8" and "c9". ${SEARCHED}`,
      code: "ERR_CLOUD_NOT_FOUND",
    },
    {
      clouds: `clouds: {${names(11)}}`,
      says: `There is no cloud "prod" in FILE. Its clouds: "c0", "c1", "c10", "c2", "c3", "c4", "c5", "c6", "c7", "c8" and 1 more. ${SEARCHED}`,
      code: "ERR_CLOUD_NOT_FOUND",
    },
    {
      clouds: prod("username: u,\npassword: [p]"),
      says: `The file FILE, line 4: auth.password is a list, not a string. ${CORRECT}`,
      code: "ERR_CLOUDS_FILE_INVALID",
    },
    {
      clouds: prod("username: {}"),
      says: `The file FILE, line 3: auth.username is a mapping, not a string. ${CORRECT}`,
      code: "ERR_CLOUDS_FILE_INVALID",
    },
    {
      clouds: prod("username: u", "username: v"),
      says: `The file FILE, line 4: username and auth.username give the same setting differently. ${CORRECT}`,
      code: "ERR_CLOUDS_FILE_INVALID",
    },
    {
      clouds: prod("password: 1.10"),
      says: "The file FILE, line 3: auth.password is not a YAML string, but a number, a date or similar. Put it in quotes: OpenStack's clients may otherwise use another value than the written one.",
      code: "ERR_CLOUDS_FILE_INVALID",
    },
    {
      clouds: prod(ALL, "cacert: {}"),
      says: `The file FILE, line 7: cacert is a mapping, not a string. ${CORRECT}`,
      code: "ERR_CLOUDS_FILE_INVALID",
    },
    {
      clouds: prod(ALL, 'cacert: "{a}.pem"'),
      says: `In ${CLOUD}: cacert contains a brace; this provider does not substitute other settings in it. ${CHANGE}`,
      code: "ERR_CREDENTIALS_UNSUPPORTED",
    },
    {
      clouds: prod(ALL.replace("i.test", "{a}.test")),
      says: `In ${CLOUD}: auth.auth_url contains a brace; this provider does not substitute other settings in it. ${CHANGE}`,
      code: "ERR_CREDENTIALS_UNSUPPORTED",
    },
    {
      clouds: prod(ALL, "cert: c.pem"),
      says: `cert of ${CLOUD} is given without key. `,
      code: "ERR_CERTIFICATE_INVALID",
    },
    {
      clouds: prod(ALL, "key: k.pem"),
      says: `key of ${CLOUD} is given without cert. `,
      code: "ERR_CERTIFICATE_INVALID",
    },
    ...[
      [
        "project_id: a",
        "",
        "auth.project_id is not supported; project_name does the same by name.",
      ],
      [
        "project-domain-id: a",
        "",
        "auth.project-domain-id is not supported; project_domain_name, with the account number, does the same by name.",
      ],
      [
        "x: y",
        "default_domain_name: a",
        "auth has an unknown key (its value is on line 3). default_domain_name is not supported; user_domain_name does the same by name.",
      ],
      ["trust_id: a", "", "auth.trust_id requests a scope that the service does not have."],
      ...["profile", "cloud"].map(
        (key) =>
          [
            "",
            `${key}: a`,
            `${key} refers to a vendor profile, and the provider does not read profiles; copy its settings into the cloud.`,
          ] as const,
      ),
      ["cloud: a", "", "auth has an unknown key (its value is on line 3)."],
      ...["auth_type: v2password", "auth_type: [password]", "auth-plugin: token"].map(
        (setting) =>
          [
            "",
            setting,
            `${setting.split(":")[0]} asks for another way of signing in than password, v3password, v3applicationcredential or v3oidcaccesstoken.`,
          ] as const,
      ),
      [
        "",
        "regions: [{name: a}, {name: b, values: {}}]",
        "regions has separate values for a region, and no region is selected.",
      ],
      [
        "user_domain_name:",
        "project_name:",
        `auth.user_domain_name has no value, which OpenStack's clients take for the name "None". project_name has no value, which OpenStack's clients take for the name "None".`,
      ],
      [
        "user_domain_name: '1',\nproject_domain_name: '2',\ndomain_name: '3',\nusername: u,\nuser_name: v",
        "",
        "auth.domain_name and auth.user_domain_name give the account differently. auth.project_domain_name and auth.user_domain_name give the account differently. auth.user_name and auth.username give the user differently.",
      ],
    ].map(([auth = "", more, why]) => ({
      clouds: prod(auth, more),
      says: `In ${CLOUD}: ${why} ${CHANGE}`,
      code: "ERR_CREDENTIALS_UNSUPPORTED",
    })),
    {
      clouds: prod(ALL.replace("password: p,\n", "")),
      says: 'The cloud "prod" (FILE), selected by the provider block, gives auth.auth_url, auth.user_domain_name and auth.username; auth.password is missing. Add auth.password to clouds.yaml or secure.yaml.',
      code: "ERR_CREDENTIALS_MISSING",
    },
  ])("$says", async ({ clouds, secure, says, code }) => {
    write(clouds);
    if (secure !== undefined) write(secure, "secure.yaml");
    const message = (await refusal({ cloud: "prod" }))
      .replaceAll(JSON.stringify(join(folder, "clouds.yaml")), "FILE")
      .replaceAll(JSON.stringify(join(folder, "secure.yaml")), "SECURE");
    expect(message).toMatch(new RegExp(`\\[${code}\\]$`));
    expect(message.slice(0, says.length)).toBe(says);
  });

  test("an address of the project with the user's secret", async () => {
    mkdirSync(join(folder, "home/.config/openstack"), { recursive: true });
    write(prod(ALL.replace("password: p,\n", "")));
    write("clouds: {prod: {auth: {password: p}}}", "home/.config/openstack/secure.yaml");
    const home = join(folder, "home");
    const [project, secret] = [
      join(folder, "clouds.yaml"),
      join(home, ".config/openstack/secure.yaml"),
    ].map((path) => JSON.stringify(path));
    expect(await refusal({ cloud: "prod" }, { HOME: home })).toBe(
      `The address of the cloud "prod" (${project} and ${secret}) comes from ${project}, a file in the project, but the secret comes from ${secret}: two sources. ` +
        "Write auth_url into the secret's file, keep both files in one folder, or list the address in IAM_TOKENS_ALLOWED_AUTH_URLS. [ERR_CREDENTIALS_MIXED]",
    );
  });

  test("two parts from the environment", async () => {
    write(prod('auth_url: "https://i.test/v3",\nuser_domain_name: "1"'));
    const environment = { OS_USERNAME: "u", OS_PASSWORD: "p" };
    expect(await refusal({ cloud: "prod" }, environment)).toMatch(
      /, but auth\.username and auth\.password would have to come from the environment \(OS_USERNAME and OS_PASSWORD\): two sources\. Add auth\.username and auth\.password to secure\.yaml, or select no cloud and give all credentials in the environment\. \[/,
    );
  });
});

describe("which cloud", () => {
  test("the error about a missing cloud lists those that exist", async () => {
    write("clouds: {b: {}, a: {}}");
    expect(await refusal({ cloud: "prod" })).toMatch(
      /There is no cloud "prod" in ".*clouds\.yaml"\. Its clouds: "a" and "b"\..*NOT_FOUND/,
    );
    write(`clouds: {${Array.from({ length: 30 }, (_, i) => `c${i}: {}`).join(", ")}}`);
    expect(await refusal()).toContain("and 20 more");
  });

  test("a cloud whose name is a number needs no quotes", async () => {
    write(`clouds: {42: {${AUTH}}}`);
    expect(await describeWith({ cloud: "42" })).toMatchObject({ userName: "u" });
  });

  test("without a file the error names the searched folders, in their order", async () => {
    const message = await refusal({ cloud: "prod" }, { HOME: "/home/u" });
    expect(message).toContain(
      `no clouds.yaml, .yml or .json in ${JSON.stringify(folder)}, "/home/u/.config/openstack", "/etc/xdg/openstack" or "/etc/openstack".`,
    );
    expect(await refusal({ cloud: "prod" })).not.toContain("home");
  });

  test("clouds_folder counts as the current folder: for the file, and for relative paths in it and in variables", async () => {
    mkdirSync(join(folder, "app"));
    write(`clouds: {prod: {cacert: ca.pem, ${AUTH}}}`, "app/clouds.yaml");
    const block = { cloud: "prod", clouds_folder: "app" };
    expect((await describeWith(block)).caFile?.path).toBe(join(folder, "app", "ca.pem"));
    expect((await describeWith({ ...block, ca_file: "own.pem" })).caFile?.path).toBe("own.pem");
    write(`clouds: {prod: {${AUTH.replace("username: u", "username: named")}}}`, "app/other.yaml");
    expect(await describeWith(block, { OS_CLIENT_CONFIG_FILE: "other.yaml" })).toMatchObject({
      userName: "named",
    });
    expect(await refusal({ cloud: "prod" })).toContain("ERR_CLOUD_NOT_FOUND");
  });

  test("a relative OS_CACERT starts from clouds_folder, which does not choose a source", async () => {
    const variables = {
      OS_AUTH_URL: "https://i.test",
      OS_USERNAME: "u",
      OS_PASSWORD: "p",
      OS_USER_DOMAIN_NAME: "1",
      OS_CACERT: "ca.pem",
    };
    const description = await describeWith({ clouds_folder: "/app" }, variables);
    expect(description).toMatchObject({ source: "environment", caFile: { path: "/app/ca.pem" } });
    expect((await describeWith({}, variables)).caFile?.path).toBe("ca.pem");
  });

  test("follows the links of a secret mount", async () => {
    mkdirSync(join(folder, "..2026_01"));
    write(`clouds: {prod: {${AUTH}}}`, "..2026_01/clouds.yaml");
    symlinkSync("..2026_01", join(folder, "..data"));
    symlinkSync("..data/clouds.yaml", join(folder, "clouds.yaml"));
    expect(await describeWith()).toMatchObject({ userName: "u" });
  });
});

describe("one source", () => {
  const without = (key: string) =>
    AUTH.replace(new RegExp(`,? ${key}: [^,}]*`), "").replace("{,", "{");

  test("a link of the project's to the user's file does not bring the user's password to the project's address", async () => {
    for (const name of ["home", "project"]) mkdirSync(join(folder, name));
    write("clouds: {prod: {auth: {auth_url: 'https://attacker.test/v3'}}}", "project/clouds.yaml");
    write(`clouds: {prod: {${AUTH.replace(/auth_url: [^,]*, /, "")}}}`, "home/secure.yaml");
    symlinkSync("../home/secure.yaml", join(folder, "project", "secure.yaml"));
    expect(await refusal({ cloud: "prod", clouds_folder: "project" })).toContain(
      "[ERR_CREDENTIALS_MIXED]",
    );
  });

  test("links of the project's to files of one folder are those files", async () => {
    for (const name of ["home", "project"]) mkdirSync(join(folder, name));
    write(`clouds: {prod: {${without("password")}}}`, "home/clouds.yaml");
    write(`clouds: {prod: {auth: {password: ${CANARY.password}}}}`, "home/secret.yaml");
    symlinkSync("../home/clouds.yaml", join(folder, "project", "clouds.yaml"));
    symlinkSync("../home/secret.yaml", join(folder, "project", "secure.yaml"));
    expect((await describeWith({ cloud: "prod", clouds_folder: "project" })).authUrl.v3).toBe(
      "https://i.test/v3",
    );
  });

  test("a cloud that lacks what the environment has is refused with both and the remedy", async () => {
    write(`clouds: {prod: {${without("password")}}}`);
    expect(await refusal({ cloud: "prod" }, { OS_PASSWORD: CANARY.password })).toMatch(
      /The cloud "prod" \(".*"\), selected by the provider block, gives auth\.auth_url, auth\.user_domain_name and auth\.username, but auth\.password would have to come from the environment \(OS_PASSWORD\): two sources\. Add auth\.password to secure\.yaml.*_MIXED\]/,
    );
    expect(await refusal()).toMatch(
      /auth\.password is missing\. Add auth\.password to clouds\.yaml or secure\.yaml.*_MISSING\]/,
    );
    expect(await refusal({}, { OS_CLOUD: "prod" })).toContain("selected by OS_CLOUD");
  });

  test("an empty cloud gives no settings", async () => {
    write("clouds: {prod: {}}");
    expect(await refusal()).toMatch(
      /gives no credentials; auth\.auth_url, auth\.user_domain_name, auth\.username and auth\.password are missing/,
    );
  });

  test("values are checked; errors name file, cloud and key", async () => {
    const place = /auth\.\w+ of the cloud "prod" \(".*clouds\.yaml"\)/;
    for (const [from, to, code] of [
      ["https://i.test/v3", "http://i.test", "ERR_ADDRESS_INVALID"],
      ["username: u", 'username: " u"', "ERR_NAME_INVALID"],
      ['user_domain_name: "1"', 'user_domain_name: "1\\n"', "ERR_ACCOUNT_INVALID"],
    ] as const) {
      write(`clouds: {prod: {${AUTH.replace(from, to)}}}`);
      const message = await refusal();
      expect(message).toMatch(place);
      expect(message).toContain(`[${code}]`);
    }
  });
});
