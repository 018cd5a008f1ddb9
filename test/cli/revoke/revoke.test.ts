import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { EmbeddedIdentityService } from "../../../lib/testing";
import { fingerprintOf, Secret } from "../../../lib/tokens";
import { request } from "../../keystone/plain-request";
import { makeScratch, type Scratch } from "../../support/scratch";
import { cli } from "../run-cli";

const PASSWORD = "canary-password";
const NOW = Date.UTC(2026, 0, 1);
const TOMORROW = "2026-01-02T00:00:00Z";

let identity: EmbeddedIdentityService;
let scratch: Scratch;
beforeEach(async () => {
  scratch = makeScratch();
  identity = await EmbeddedIdentityService.start(
    {
      accountId: "123456",
      serviceUsers: [
        { name: "deployer", password: PASSWORD, permission: { account: true, projects: [] } },
      ],
    },
    { now: () => NOW },
  );
});
afterEach(async () => {
  await identity.stop();
  scratch.remove();
});

const v3 = () => `${identity.authUrl}/identity/v3`;
const fingerprint = (token: string) => fingerprintOf(Secret.of(token));

function issuing() {
  const domain = { name: "123456" };
  const user = { name: "deployer", domain, password: PASSWORD };
  return {
    url: `${v3()}/auth/tokens`,
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      auth: { identity: { methods: ["password"], password: { user } }, scope: { domain } },
    }),
  };
}

async function issue(): Promise<string> {
  const { url, ...request } = issuing();
  const answer = await fetch(url, request);
  return answer.headers.get("x-subject-token") ?? "none";
}

const object = (token: string, name = "ci", more: object = {}) => ({
  mode: "managed",
  type: "iam_token",
  name,
  provider: 'provider["npm.invalid/cdktf-iam-tokens/iam"]',
  instances: [
    {
      attributes: {
        token,
        kind: "iam_token_account_scoped",
        fingerprint: fingerprint(token || "none"),
        auth_url: v3(),
        expires_at: TOMORROW,
        ...more,
      },
    },
  ],
});
const stateOf = (...resources: object[]) =>
  JSON.stringify({ version: 4, resources, outputs: {} }, null, 2);

async function revoke(
  args: readonly string[],
  { input, env = {} }: { input?: string | Buffer; env?: Record<string, string> } = {},
) {
  const result = await cli(["revoke", ...args], {
    env,
    workingFolder: scratch.folder,
    now: () => NOW,
    ...(input === undefined ? {} : { openStdin: () => Readable.from([Buffer.from(input)]) }),
  });
  for (const token of identity.issuedTokens())
    expect(result.stdout + result.stderr).not.toContain(token);
  expect(result.stdout + result.stderr).not.toContain("canary");
  return result;
}
const deletions = () => identity.journal.filter(({ method }) => method === "DELETE").length;

describe("a token", () => {
  test.each([
    ["on standard input", []],
    ["in a variable", ["--env", "LEAKED"]],
  ])("%s is revoked, and not known here if it is cut or gone", async (_, args) => {
    const token = await issue();
    const given = { input: `${token}\n`, env: { LEAKED: token, OS_AUTH_URL: identity.authUrl } };
    const unknown = {
      exitCode: 1,
      stdout: expect.stringMatching(
        /^NOT KNOWN HERE +- .* http.*\/v3\n {4}The service does not know it\. .*\nRevoked: 0 of 1\. May still live: 1\.\n$/,
      ),
    };
    const cut = token.slice(0, -4);
    const env = { ...given.env, LEAKED: cut };
    expect(await revoke(args, { input: cut, env })).toMatchObject(unknown);
    expect(identity.isValid(token)).toBe(true);
    const first = await revoke(args, given);
    expect(first).toMatchObject({ exitCode: 0, stderr: "" });
    expect(first.stdout).toMatch(
      new RegExp(`^revoked +${fingerprint(token)}  .*  ${v3()}\n.*1 of 1\\.\n$`),
    );
    expect(identity.isValid(token)).toBe(false);
    expect(await revoke(args, given)).toMatchObject(unknown);
  });

  test("goes to --auth-url rather than to the environment's", async () => {
    const token = await issue();
    const env = { OS_AUTH_URL: "https://127.0.0.1:1" };
    expect(await revoke(["--auth-url", identity.authUrl], { input: token, env })).toMatchObject({
      exitCode: 0,
    });
    expect(identity.isValid(token)).toBe(false);
  });

  test("goes to the address of a cloud, but a file of the project does not decide it", async () => {
    const auth = { auth_url: identity.authUrl, username: "u", password: "p" };
    const clouds = { prod: { auth: { ...auth, user_domain_name: "123456" } } };
    const put = (folder: string) => {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "clouds.yaml"), JSON.stringify({ clouds }));
    };
    const config = join(scratch.folder, "config");
    const env = { OS_CLOUD: "prod", XDG_CONFIG_HOME: config };
    const given = { input: await issue(), env };
    put(scratch.folder);
    const { exitCode, stderr } = await revoke([], given);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/comes from a file in this folder.*--auth-url.*ERR_ADDRESS_NOT_ALLOWED/);
    const named = { ...given.env, OS_CLIENT_CONFIG_FILE: "clouds.yaml" };
    expect(await revoke([], { ...given, env: named })).toMatchObject({ exitCode: 1 });
    expect(deletions()).toBe(0);
    const listed = { ...given.env, IAM_TOKENS_ALLOWED_AUTH_URLS: identity.authUrl };
    expect((await revoke([], { ...given, env: listed })).stdout).toMatch(/^revoked/);
    // The same address in the user's own file.
    put(join(config, "openstack"));
    expect((await revoke([], { ...given, input: await issue() })).stdout).toMatch(/^revoked/);
  });

  const AT = { OS_AUTH_URL: "http://127.0.0.1:1" };
  test.each([
    ["no service", [], "x", {}, 2, /service that issued the token is not given.*ERR_USAGE/],
    [
      "nothing",
      [],
      "",
      AT,
      1,
      /input is not a Terraform state of version 4.*state pull.*ERR_STATE_INVALID/,
    ],
    ["two lines", [], "a\nb\n", AT, 1, /neither a token nor a state.*ERR_SECRET_UNUSABLE/],
    ["10 MB", [], "a".repeat(1e7), AT, 1, /neither a token nor a state.*up to 8192/],
    ["an unset variable", ["--env", "NONE"], "", AT, 1, /NONE holds no token.*ERR_SECRET_UNUSABLE/],
    ["a token as name", ["--env", "canary!"], "", {}, 2, /not the name of an .*ERR_USAGE/],
    [
      "two sources",
      ["--env", "A", "--state", "b"],
      "",
      {},
      2,
      /'--env <name>' cannot be used with option '--state <file>'.*ERR_USAGE/,
    ],
    ["a wrong address", ["--auth-url", "http://x.test"], "", {}, 2, /--auth-url: .*ERR_USAGE/],
  ] as const)("is refused with %s", async (_, args, input, env, exitCode, text) => {
    const result = await revoke(args, { input, env });
    expect(result).toMatchObject({ exitCode });
    expect(result.stdout + result.stderr).toMatch(text);
  });

  test("is not read from a terminal, where a shell would keep it", async () => {
    const openStdin = () => Object.assign(Readable.from([]), { isTTY: true });
    const result = await cli(["revoke"], { openStdin });
    expect(result).toMatchObject({ exitCode: 2, stdout: "" });
    expect(result.stderr).toMatch(/standard input is a terminal.*--state FILE or --env NAME/);
  });
});

describe("a state", () => {
  test("is read from a file, from --state - and from standard input alone", async () => {
    const [a, b, c] = [await issue(), await issue(), await issue()];
    writeFileSync(join(scratch.folder, "state"), stateOf(object(a)));
    const first = await revoke(["--state", "state"]);
    expect(first.stdout.split("\n")).toEqual([
      `revoked         ${fingerprint(a)}  iam_token.ci  ${v3()}`,
      "Revoked: 1 of 1.",
      "",
    ]);
    expect(await revoke(["--state", "state"])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(
        /^already gone .*\nNothing to do: no token is valid any more\.\n$/,
      ),
    });
    await revoke(["--state", "-"], { input: stateOf(object(b)) });
    // As Windows PowerShell redirects it.
    await revoke([], { input: Buffer.from(`\ufeff${stateOf(object(c))}`, "utf16le") });
    expect([a, b, c].map((token) => identity.isValid(token))).toEqual([false, false, false]);
  });

  test("cannot hide a token: not by a past end, a cut text, another fingerprint or no address", async () => {
    const token = await issue();
    const past = { expires_at: "2025-12-01T00:00:00Z", issued_at: "2025-11-30T00:00:00Z" };
    const { stdout } = await revoke(["--auth-url", identity.authUrl], {
      input: stateOf(
        object(token.slice(1), "cut", { fingerprint: fingerprint(token) }),
        object("canary", "elsewhere", { auth_url: null }),
        object(token, "past", past),
      ),
    });
    expect(stdout.split("\n").filter((line) => !line.startsWith(" "))).toEqual([
      expect.stringMatching(/^NOT KNOWN HERE .* iam_token.cut/),
      expect.stringMatching(/^NOT KNOWN HERE .* iam_token.elsewhere/),
      expect.stringMatching(/^revoked .* iam_token.past/),
      "Revoked: 1 of 3. May still live: 2.",
      "",
    ]);
  });

  test("with --json is a list of outcomes", async () => {
    const token = await issue();
    const input = stateOf(object(token), { ...object(token), name: "again" });
    expect((await revoke([], { input: stateOf() })).stdout).toMatch(
      /holds no token of this provider/,
    );
    const { stdout, exitCode } = await revoke(["--json"], { input });
    expect({ exitCode, found: JSON.parse(stdout) }).toEqual({
      exitCode: 0,
      found: [
        {
          outcome: "revoked",
          fingerprint: fingerprint(token),
          places: ["iam_token.ci", "iam_token.again"],
          auth_url: v3(),
          expires_at: TOMORROW,
        },
      ],
    });
  });

  test("of which one may still live is exit code 1, with the reason, and the others are revoked", async () => {
    const token = await issue();
    const kind = "static_token";
    const fixed = {
      ...object("canary-static", "ci", { kind }),
      type: "iam_static_token",
      mode: "data",
    };
    const { exitCode, stdout } = await revoke([], {
      input: stateOf(
        object("canary-1", "elsewhere", { auth_url: "http://127.0.0.1:1/v3" }),
        object("canary-2", "nowhere", { auth_url: null }),
        object("canary-3", "plain", { auth_url: "http://evil.example.test" }),
        object("", "empty"),
        fixed,
        object(token),
      ),
      env: { IAM_TOKENS_ALLOWED_AUTH_URLS: identity.authUrl },
    });
    expect(exitCode).toBe(1);
    expect(stdout.replaceAll(/\n {4}/g, " ").split("\n")).toEqual([
      expect.stringMatching(/^MAY STILL LIVE .* iam_token.elsewhere .*ERR_ADDRESS_NOT_ALLOWED/),
      expect.stringMatching(/^MAY STILL LIVE .* iam_token.nowhere .*Add --auth-url ADDRESS/),
      expect.stringMatching(/^MAY STILL LIVE .* iam_token.plain .*ERR_ADDRESS_INVALID/),
      expect.stringMatching(/^MAY STILL LIVE .* iam_token.empty .*can be sent as a token/),
      expect.stringMatching(/^MAY STILL LIVE {2}- {13}data.iam_static_token.ci .*control panel/),
      expect.stringMatching(/^revoked .* iam_token.ci {2}http/),
      "Revoked: 1 of 6. May still live: 5.",
      "",
    ]);
    expect(deletions()).toBe(1);
  });

  test("cannot put commands for a terminal or a CI system on the screen", async () => {
    const named = object("canary", "\u001b[2J\n::stop-commands::x", { auth_url: null });
    for (const args of [[], ["--json"]]) {
      const { stdout } = await revoke(args, { input: stateOf(named) });
      expect(stdout).not.toContain("\u001b");
      expect(stdout).not.toContain("::stop");
    }
  });

  test("of a service with a private CA and client certificates, by the files of the environment", async () => {
    await identity.stop();
    identity = await EmbeddedIdentityService.start(
      {
        accountId: "123456",
        serviceUsers: [{ name: "deployer", password: PASSWORD, permission: { account: true } }],
        tls: "throw-away",
        clientCertificates: "throw-away",
      },
      { now: () => NOW },
    );
    const { certificate = "", key = "" } = identity.clientCertificate ?? {};
    const { url, ...issue } = issuing();
    const { headers } = await request(url, { ...issue, ca: identity.ca, cert: certificate, key });
    const input = stateOf(object(String(headers["x-subject-token"])));
    const without = await revoke([], { input });
    expect(without).toMatchObject({ exitCode: 1 });
    expect(without.stdout).toMatch(/Give the service's CA, .* OS_CACERT, .*\[ERR_TLS_FAILED\]/);
    const files = { OS_CACERT: identity.ca ?? "", OS_CERT: certificate, OS_KEY: key };
    for (const [name, pem] of Object.entries(files))
      writeFileSync(join(scratch.folder, name), pem, { mode: 0o600 });
    const env = { OS_CACERT: "OS_CACERT", OS_CERT: "OS_CERT", OS_KEY: "OS_KEY" };
    expect(await revoke([], { input, env })).toMatchObject({ exitCode: 0 });
    expect(deletions()).toBe(1);
  });

  test("that cannot be read is exit code 1", async () => {
    for (const name of ["none", "."]) {
      const result = await revoke(["--state", name]);
      expect(result).toMatchObject({ exitCode: 1, stdout: "" });
      expect(result.stderr).toMatch(/(does not exist|is a directory).*\[ERR_STATE_INVALID\]\n$/);
    }
  });
});
