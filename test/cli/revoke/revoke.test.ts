import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { EmbeddedIdentityService } from "../../../lib/testing";
import { fingerprintOf, Secret } from "../../../lib/tokens";
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
  instances: [{ attributes: { token, auth_url: v3(), expires_at: TOMORROW, ...more } }],
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
  ])("%s is revoked; a second time there is nothing to do", async (_, args) => {
    const token = await issue();
    const given = { input: `${token}\n`, env: { LEAKED: token, OS_AUTH_URL: identity.authUrl } };
    const first = await revoke(args, given);
    expect(first).toMatchObject({ exitCode: 0, stderr: "" });
    expect(first.stdout).toMatch(new RegExp(`^revoked +${fingerprint(token)}  .*\n.*1 of 1\\.\n$`));
    expect(identity.isValid(token)).toBe(false);
    const second = await revoke(args, given);
    expect(second.exitCode).toBe(0);
    expect(second.stdout).toMatch(
      /^already gone +- .*\n.*another service issued it\.\nNothing to do: .*\n$/,
    );
  });

  test("goes to --auth-url rather than to the environment's", async () => {
    const token = await issue();
    const env = { OS_AUTH_URL: "https://127.0.0.1:1" };
    expect(await revoke(["--auth-url", identity.authUrl], { input: token, env })).toMatchObject({
      exitCode: 0,
    });
    expect(identity.isValid(token)).toBe(false);
  });

  test("goes to the address of a cloud", async () => {
    const auth = { auth_url: identity.authUrl, username: "u", password: "p" };
    const clouds = { prod: { auth: { ...auth, user_domain_name: "123456" } } };
    writeFileSync(join(scratch.folder, "clouds.yaml"), JSON.stringify({ clouds }));
    const result = await revoke([], { input: await issue(), env: { OS_CLOUD: "prod" } });
    expect(result.stdout).toMatch(/^revoked/);
  });

  test.each([
    ["no service", [], "x", {}, 2, /service that issued the token is not given.*ERR_USAGE/],
    [
      "nothing",
      [],
      "",
      { OS_AUTH_URL: "http://127.0.0.1:1" },
      1,
      /input is empty.*state pull.*ERR_STATE_INVALID/,
    ],
    [
      "two lines",
      [],
      "a\nb\n",
      { OS_AUTH_URL: "http://127.0.0.1:1" },
      1,
      /neither a token nor a state.*ERR_SECRET_UNUSABLE/,
    ],
    [
      "10 MB",
      [],
      "a".repeat(1e7),
      { OS_AUTH_URL: "http://127.0.0.1:1" },
      1,
      /neither a token nor a state.*up to 8192/,
    ],
    ["an unset variable", ["--env", "NONE"], "", {}, 1, /NONE is not set.*ERR_SECRET_MISSING/],
    ["a token as name", ["--env", "canary!"], "", {}, 2, /not the name of an .*ERR_USAGE/],
    ["two sources", ["--env", "A", "--state", "b"], "", {}, 2, /Both --env and --state.*ERR_USAGE/],
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
  test("is read from a file, from --state - and from standard input alone; only what lives is revoked", async () => {
    const [a, b, c] = [await issue(), await issue(), await issue()];
    const old = object("long-gone", "old", { expires_at: "2025-12-01T00:00:00Z" });
    writeFileSync(join(scratch.folder, "state"), stateOf(object(a), old));
    const first = await revoke(["--state", "state"]);
    expect(first.stdout.split("\n")).toEqual([
      expect.stringMatching(`^revoked +${fingerprint(a)}  iam_token\\.ci$`),
      expect.stringMatching(/^expired +[0-9a-f]{12} {2}iam_token\.old$/),
      "Revoked: 1 of 2.",
      "",
    ]);
    expect(deletions()).toBe(1);
    expect((await revoke(["--state", "state"])).stdout).toMatch(
      /^already gone .*\nexpired .*\nNothing to do: no token is valid any more\.\n$/,
    );
    await revoke(["--state", "-"], { input: stateOf(object(b)) });
    // As Windows PowerShell redirects it.
    await revoke([], { input: Buffer.from(`\ufeff${stateOf(object(c))}`, "utf16le") });
    expect([a, b, c].map((token) => identity.isValid(token))).toEqual([false, false, false]);
  });

  test("with --json is a list of outcomes", async () => {
    const token = await issue();
    const input = stateOf(object(token), { ...object(token), name: "again" });
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

  test("without tokens leaves nothing to do", async () => {
    const { exitCode, stdout } = await revoke([], { input: stateOf() });
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: "Standard input holds no token of this provider: nothing to do.\n",
    });
  });

  test("of which one may still live is exit code 1, with the reason, and the others are revoked", async () => {
    const token = await issue();
    const fixed = { ...object("canary-static"), type: "iam_static_token", mode: "data" };
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
      expect.stringMatching(/^revoked .* iam_token.ci$/),
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
    const { headers } = await identity.handle(issuing());
    const input = stateOf(object(headers["x-subject-token"] ?? ""));
    const without = await revoke([], { input });
    expect(without).toMatchObject({ exitCode: 1 });
    expect(without.stdout).toMatch(
      /Give the service's CA in OS_CACERT, or .* OS_CLOUD names\. \[ERR_TLS_FAILED\]/,
    );
    const { certificate = "", key = "" } = identity.clientCertificate ?? {};
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

  test("with thirty tokens is worked off eight at a time, in its order", async () => {
    const tokens = await Promise.all(Array.from({ length: 30 }, issue));
    const input = stateOf(...tokens.map((token, index) => object(token, `t${index}`)));
    const { stdout, exitCode } = await revoke(["--json"], { input });
    const places = JSON.parse(stdout).map((each: { places: string[] }) => each.places[0]);
    expect(places).toEqual(tokens.map((_, index) => `iam_token.t${index}`));
    expect(exitCode).toBe(0);
    expect(tokens.filter((token) => identity.isValid(token))).toEqual([]);
  });
});
