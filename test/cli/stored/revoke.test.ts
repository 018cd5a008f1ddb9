import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { lineOf, type Outcome } from "../../../lib/cli/stored/outcome";
import { summaryOf } from "../../../lib/cli/stored/revoke";
import type { EmbeddedIdentityService, Intercept } from "../../../lib/testing";
import { AUTHORITY } from "../../identity/support/certificates";
import { makeScratch, type Scratch } from "../../support/scratch";
import { cli } from "../run-cli";
import {
  fingerprint,
  issue as issueAt,
  object as objectAt,
  startIdentity,
  stdin,
  TOMORROW,
  stateOf as toState,
} from "./stored-tokens";

let identity: EmbeddedIdentityService;
let scratch: Scratch;
// A list of versions at another path than that of the rule.
const intercept: Intercept = ({ path }, serve) =>
  path === "/region/"
    ? {
        status: 300,
        body: JSON.stringify({
          versions: { values: [{ id: "v3.14", links: [{ rel: "self", href: v3() }] }] },
        }),
      }
    : serve();
beforeEach(async () => {
  scratch = makeScratch();
  identity = await startIdentity({}, { intercept });
});
afterEach(async () => {
  await identity.stop();
  scratch.remove();
});

const v3 = () => identity.keystoneUrl;
const issue = (more: Record<string, string> = {}) => issueAt(identity, more, scratch.folder);
const object = (token: string, name?: string, more?: object) =>
  objectAt(identity, token, name, more);
const stateOf = (...resources: object[]) => toState(resources);

async function revoke(
  args: readonly string[],
  {
    input = "",
    env = {},
    workingFolder = scratch.folder,
  }: { input?: string | Buffer; env?: Record<string, string>; workingFolder?: string } = {},
) {
  const result = await cli(["revoke", ...args], { env, workingFolder, ...stdin(input) });
  const text = result.stdout + result.stderr;
  for (const token of identity.issuedTokens()) expect(text).not.toContain(token);
  expect(text).not.toContain("canary");
  return result;
}
/** Of which a terminal obeys some: a CSI, a new line, another direction, a tag beyond 16 bits. */
const CONTROLS = "\u009b\u0085\u2028\u202e\u{e0001}";
const deletions = () => identity.journal.filter(({ method }) => method === "DELETE").length;

test("each outcome has a line, without commands for a terminal or a CI system", () => {
  const known = { outcome: "revoked", fingerprint: "0123456789ab", places: ["a", "b"] } as const;
  const of = { ...known, auth_url: "https://k/v3", expires_at: null, address_confirmed: true };
  const places = Array.from({ length: 11 }, (_, index) => `x[${index}]`);
  const rows: readonly (readonly [Partial<Outcome>, string | RegExp])[] = [
    [{}, "revoked         0123456789ab  a, b  https://k/v3\n"],
    [{ places }, /x\[9\] and 1 more places {2}https/],
    [{ outcome: "refused", expires_at: TOMORROW, reason: "R." }, /^refused .*v3\n {4}R\.\n$/],
    [{ outcome: "unknown", reason: "R\n." }, /^NOT KNOWN {7}0123.*\n {4}R\?\.\n$/],
    [
      { outcome: "may_still_live", fingerprint: null, auth_url: null, expires_at: TOMORROW },
      `MAY STILL LIVE  -             a, b  until ${TOMORROW}\n`,
    ],
    [
      { outcome: "not_known_here", places: ["\u001b[2J\n::x::".repeat(99)] },
      /^NOT KNOWN HERE {2}0123456789ab {2}\?\[2J\?\\u003a:x.{150,300} {2}https:\/\/k\/v3\n$/,
    ],
  ];
  for (const [more, line] of rows) expect(lineOf({ ...of, ...more })).toMatch(line);
});

test("the last line counts what was revoked, and what may still live", () => {
  const of = { fingerprint: null, places: [], auth_url: null, expires_at: null };
  const counted = (isConfirmed: boolean, ...outcomes: readonly Outcome["outcome"][]) =>
    summaryOf(
      "The file",
      outcomes.map((outcome) => ({ ...of, outcome, address_confirmed: isConfirmed })),
    );
  expect([
    counted(true),
    counted(true, "refused"),
    counted(true, "revoked", "refused", "not_known_here", "may_still_live", "unknown"),
    counted(false, "revoked"),
  ]).toEqual([
    "The file holds no token that is recognized: nothing to do.\n",
    "Nothing to do: refused are all tokens that were recognized (1).\n",
    "Revoked: 1 of 5. May still live: 3.\n",
    "Revoked: 1 of 1, at addresses that only the state names.\n",
  ]);
});

test("an address without a version is asked, for a token, its revocation and doctor", async () => {
  const OS_AUTH_URL = `${identity.authUrl}/region`;
  const token = await issue({ OS_AUTH_URL });
  const outcome = await revoke([], { input: token, env: { OS_AUTH_URL } });
  expect(outcome.stdout).toContain(`${v3()}\n`);
  expect(identity.isValid(token)).toBe(false);
  const { stdout } = await cli(["doctor", "--only", "identity-service"], {
    env: { OS_AUTH_URL, OS_USER_DOMAIN_NAME: "1", OS_USERNAME: "u", OS_PASSWORD: "p" },
    workingFolder: scratch.folder,
  });
  expect(stdout).toContain(`${v3()} answers (200)`);
});

describe("a token", () => {
  test.each([
    ["on standard input", []],
    ["in a variable", ["--env", "LEAKED"]],
  ])("%s is revoked, and not known here if it is cut or gone", async (_, args) => {
    const token = await issue();
    const env = { LEAKED: `${token}\r\n`, OS_AUTH_URL: identity.authUrl };
    const unknown = {
      exitCode: 1,
      stdout: expect.stringMatching(
        /^NOT KNOWN HERE +- .* http.*\/v3\n {4}The service refuses it\. Check that the token is whole, and that this service issued it; otherwise it was revoked before, or has expired\.\n/,
      ),
    };
    const cut = token.slice(0, -4);
    expect(await revoke(args, { input: cut, env: { ...env, LEAKED: cut } })).toMatchObject(unknown);
    expect(identity.isValid(token)).toBe(true);
    expect(await revoke(args, { input: `${token}\n`, env })).toEqual({
      exitCode: 0,
      stderr: "",
      stdout: `revoked         ${fingerprint(token)}  ${
        args.length > 0 ? "The variable LEAKED" : "Standard input"
      }  ${v3()}\nRevoked: 1 of 1.\n`,
    });
    expect(identity.isValid(token)).toBe(false);
    expect(await revoke(args, { input: token, env })).toMatchObject(unknown);
  });

  test("goes to the address of a cloud, but a file of the project does not decide it", async () => {
    const auth = { auth_url: identity.authUrl, username: "u", password: "p" };
    const clouds = { prod: { auth: { ...auth, user_domain_name: "123456" } } };
    const put = (folder: string) => {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "clouds.yaml"), JSON.stringify({ clouds }));
    };
    const workingFolder = join(scratch.folder, "project");
    const config = join(scratch.folder, "config");
    const env = { OS_CLOUD: "prod", XDG_CONFIG_HOME: config };
    const input = await issue();
    put(workingFolder);
    for (const path of [undefined, "clouds.yaml", join(workingFolder, "clouds.yaml")]) {
      const more = path === undefined ? {} : { OS_CLIENT_CONFIG_FILE: path };
      expect(await revoke([], { input, env: { ...env, ...more }, workingFolder })).toEqual({
        exitCode: 1,
        stdout: "",
        stderr: `The address of the cloud that OS_CLOUD names, ${identity.authUrl}, comes from a file in this folder. Give --auth-url ADDRESS, or list the address in IAM_TOKENS_ALLOWED_AUTH_URLS. The token was not sent. [ERR_ADDRESS_NOT_ALLOWED]\n`,
      });
    }
    expect(deletions()).toBe(0);
    const listed = { ...env, IAM_TOKENS_ALLOWED_AUTH_URLS: identity.authUrl };
    expect((await revoke([], { input, env: listed, workingFolder })).stdout).toMatch(/^revoked/);
    // The same address in the user's own file.
    put(join(config, "openstack"));
    const own = await revoke([], { input: await issue(), env, workingFolder });
    expect(own.stdout).toMatch(/^revoked/);
  });

  const AT = { OS_AUTH_URL: "http://127.0.0.1:1" };
  test.each<[string, string[], string, Record<string, string>, number, RegExp]>([
    ["no service", [], "x", {}, 2, /is not given\. Add --auth-url ADDRESS, or set .*ERR_USAGE/],
    ["nothing", [], "", AT, 1, /^Standard input is not a Terraform state.*ERR_STATE_INVALID/],
    ["two lines", [], "a\nb\n", AT, 1, /neither a token nor a state.*one line of.*UNUSABLE/],
    ["10 MB", [], "a".repeat(1e7), AT, 1, /neither a token nor a state.*up to 32768/],
    [
      "no variable",
      ["--env", "NONE"],
      "",
      AT,
      1,
      /^The variable NONE is not set\..*SECRET_MISSING/,
    ],
    [
      "a token as name",
      ["--env", "canary!"],
      "",
      {},
      2,
      /^--env: the value is not the name.*USAGE/,
    ],
    ["two sources", ["--env", "A", "--state", "b"], "", {}, 2, /cannot be used with.*ERR_USAGE/],
    ["a wrong address", ["--auth-url", "http://x.test"], "", {}, 2, /--auth-url: .*ERR_USAGE/],
    [
      "a wrong OS_AUTH_URL",
      [],
      "x",
      { OS_AUTH_URL: "http://x.test" },
      1,
      /^OS_AUTH_URL: .*INVALID/,
    ],
    ["an archive", [], "PK\u0003\u0004", AT, 1, /unzip -p FILE tfstate.*ERR_STATE_INVALID/],
    ["a token as state", ["--state", "-"], "canary", AT, 1, /ERR_STATE_INVALID/],
    [
      "no file",
      ["--state", "x/../none"],
      "",
      {},
      1,
      /^The file "none" does not exist.*STATE_INVALID/,
    ],
    ["a folder", ["--state", "."], "", {}, 1, /^The file "\." is a directory.*STATE_INVALID/],
  ])("is refused with %s", async (_, args, input, env, exitCode, text) => {
    const stderr = expect.stringMatching(text);
    expect(await revoke(args, { input, env })).toEqual({ exitCode, stdout: "", stderr });
  });

  test("is not read from a terminal, where a shell would keep it, nor from what cannot be read", async () => {
    const terminal = Object.assign(Readable.from([]), { isTTY: true });
    expect(await cli(["revoke"], { openStdin: () => terminal })).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: expect.stringMatching(/standard input is a terminal.*--state FILE or --env NAME/),
    });
    let read = 0;
    const endless = new Readable({
      highWaterMark: 1,
      read() {
        read += 1;
        this.push(Buffer.alloc(8 * 1024 * 1024, "{"));
      },
    });
    expect(await cli(["revoke"], { openStdin: () => endless })).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^Standard input is larger than 64 MiB\. .*STATE_INVALID/),
    });
    expect(read).toBeLessThan(12);
    const broken = new Readable({
      read() {
        this.destroy(Object.assign(new Error("canary"), { code: "EISDIR" }));
      },
    });
    expect(await cli(["revoke"], { openStdin: () => broken })).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^Standard input cannot be read \(EISDIR\)\. .*STATE_INVALID/),
    });
  });
});

describe("a state", () => {
  test("is read from a file, from --state - and from standard input alone", async () => {
    const [a, b, c] = [await issue(), await issue(), await issue()];
    writeFileSync(join(scratch.folder, "state"), stateOf(object(a)));
    expect((await revoke(["--state", "state"])).stdout).toBe(
      `revoked         ${fingerprint(a)}  iam_token.ci  ${v3()}\nRevoked: 1 of 1, at addresses that only the state names.\n`,
    );
    await revoke(["--state", "-"], { input: stateOf(object(b)) });
    // As Windows PowerShell redirects it.
    await revoke([], {
      input: Buffer.from(`\ufeff${stateOf(object(c))}`, "utf16le"),
    });
    expect([a, b, c].map((token) => identity.isValid(token))).toEqual([false, false, false]);
  });

  test.each<[string, () => { args?: string[]; env?: Record<string, string> }, "gone" | "there"]>([
    ["nobody", () => ({}), "there"],
    ["another option", () => ({ args: ["--auth-url", "https://k.example"] }), "there"],
    ["an address that cannot be read", () => ({ env: { OS_AUTH_URL: "canary" } }), "there"],
    ["the option", () => ({ args: ["--auth-url", identity.authUrl] }), "gone"],
    ["the environment", () => ({ env: { OS_AUTH_URL: v3() } }), "gone"],
    ["the list", () => ({ env: { IAM_TOKENS_ALLOWED_AUTH_URLS: identity.authUrl } }), "there"],
    [
      "the environment, without a version",
      () => ({ env: { OS_AUTH_URL: `${identity.authUrl}/region` } }),
      "gone",
    ],
  ])("whose token is gone at an address that %s confirms", async (_, given, is) => {
    const token = await issue();
    const input = stateOf(object(token));
    await revoke([], { input });
    const { args = [], env = {} } = given();
    const { exitCode, stdout } = await revoke(args, { input, env });
    const [sign, at] = [fingerprint(token), v3()];
    expect({ exitCode, stdout }).toEqual(
      is === "gone"
        ? {
            exitCode: 0,
            stdout: `refused         ${sign}  iam_token.ci  ${at}\n    It can live again only if its project was disabled or its user has lost a role, and that is undone, until ${TOMORROW}.\nNothing to do: refused are all tokens that were recognized (1).\n`,
          }
        : {
            exitCode: 1,
            stdout: `NOT KNOWN HERE  ${sign}  iam_token.ci  ${at}  until ${TOMORROW}\n    Refused by ${at}, which only the state names. If that is your service, say so by --auth-url ADDRESS or OS_AUTH_URL.\nRevoked: 0 of 1. May still live: 1.\n`,
          },
    );
  });

  test.each([
    ["another path below the address without a version", "", "/x/v3"],
    ["a path below its v3", "/region", "/region/other/v3"],
  ])("is not confirmed for %s", async (_, at, path) => {
    await identity.stop();
    // A Keystone at every path.
    identity = await startIdentity(
      {},
      {
        intercept: (request, serve) =>
          request.method === "DELETE"
            ? { status: 401, headers: [["WWW-Authenticate", "Keystone"]], body: "" }
            : intercept(request, serve),
      },
    );
    const input = stateOf(object("t", "ci", { auth_url: `${identity.authUrl}${path}` }));
    const { exitCode, stdout } = await revoke([], {
      input,
      env: { OS_AUTH_URL: `${identity.authUrl}${at}` },
    });
    expect({ exitCode, stdout }).toEqual({
      exitCode: 1,
      stdout: expect.stringMatching(/^NOT KNOWN HERE .*\n {4}Refused by .*only the state names/),
    });
  });

  test("of a service that cannot be reached, tries that once, and lists the tokens in order", async () => {
    let asked = 0;
    await identity.stop();
    identity = await startIdentity(
      {},
      {
        intercept: ({ method }, serve) => {
          if (method !== "HEAD") return serve();
          asked += 1;
          return { cut: "close" };
        },
      },
    );
    const tokens = ["a", "b", "c", "d"].map((name) => object(`${name}-canary`, name));
    const { stdout } = await cli(["verify"], stdin(stateOf(...tokens)));
    expect(stdout.match(/iam_token\.\w/g)).toEqual([..."abcd"].map((name) => `iam_token.${name}`));
    expect(stdout.match(/ERR_CONNECTION_FAILED/g)).toHaveLength(4);
    expect(asked).toBe(1);
  });

  test.each(["revoke", "verify"])(
    "that cannot be read is refused with the next step of %s, and not repeated",
    async (verb) => {
      const program = "npx cdktf-iam-tokens";
      for (const [text, fact, next] of [
        ...[
          "",
          "[]",
          "{}",
          "canary",
          '{"version":4}',
          '{"version":3,"resources":[]}',
          '{"version":4,"resources":{}}',
          '{"format_version":"1.0","values":{}}',
          "PK\u0003\u0004canary",
          "[".repeat(200_000),
        ].map((text) => [
          text,
          "is not a Terraform state of version 4",
          `In the stack's folder: terraform state pull | ${program} ${verb}. Of a saved plan: unzip -p FILE tfstate | ${program} ${verb}.`,
        ]),
        [
          '{"encrypted_data":"canary","meta":{}}',
          "is a state that OpenTofu has encrypted",
          `In the stack's folder, OpenTofu decrypts it: tofu state pull | ${program} ${verb}.`,
        ],
      ] as const)
        expect(await cli([verb, "--state", "-"], { program, ...stdin(text) })).toEqual({
          exitCode: 1,
          stdout: "",
          stderr: `Standard input ${fact}. ${next} [ERR_STATE_INVALID]\n`,
        });
    },
  );

  test("cannot hide an older token in another resource: it is tried at an address that the caller names", async () => {
    const [now, old] = [await issue(), await issue()];
    const input = stateOf(object(now), {
      type: "terraform_data",
      name: "x",
      instances: [{ attributes: { input: `token: ${old}` } }],
    });
    const { exitCode, stdout } = await revoke([], { input });
    expect({ exitCode, stdout }).toEqual({
      exitCode: 1,
      stdout: expect.stringMatching(
        /^revoked .*\nNOT KNOWN {7}- {13}terraform_data\.x\.input\n {4}It has the form of a token, .*--auth-url ADDRESS\.\nRevoked: 1 of 2/,
      ),
    });
    const again = await revoke(["--auth-url", identity.authUrl], { input });
    expect(again).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^refused .*\n.*\nrevoked .*\nRevoked: 1 of 2\.\n$/),
    });
    expect(identity.isValid(old)).toBe(false);
  });

  test("cannot hide a token by a past end", async () => {
    const past = { expires_at: "2025-12-01T00:00:00Z", issued_at: "2025-11-30T00:00:00Z" };
    const input = stateOf(object(await issue(), "past", past));
    const { exitCode, stdout } = await revoke([], { input });
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^revoked /)]);
    expect(deletions()).toBe(1);
  });

  test.each<[string, () => object, RegExp]>([
    [
      "a token that is cut",
      () => object("cut", "ci", { fingerprint: fingerprint("whole") }),
      /^NOT KNOWN HERE .* until .*\n {4}The service refuses it\. Check that the token is whole/,
    ],
    [
      "an address that is not allowed",
      () => object("t", "ci", { auth_url: "http://127.0.0.1:1/v3" }),
      /^NOT KNOWN .*\n {4}The address .* may not be used.*\[ERR_ADDRESS_NOT_ALLOWED\]/,
    ],
    [
      "no address",
      () => object("t", "ci", { auth_url: null }),
      /^NOT KNOWN .*\n {4}The state does not say which .*--auth-url ADDRESS/,
    ],
    [
      "an address without TLS",
      () => object("t", "ci", { auth_url: "http://evil.example.test" }),
      /^NOT KNOWN .*\n {4}"http:\/\/evil.example.test" uses http.*\[ERR_ADDRESS_INVALID\]/,
    ],
    [
      "nothing that can be sent",
      () => object("", "ci"),
      /^NOT KNOWN {7}- .*\n {4}The state holds nothing there that can be sent/,
    ],
    [
      "a static token",
      () => object("canary-static", "ci", { kind: "static_token", fingerprint: null }),
      /^MAY STILL LIVE {2}- .*\n {4}A static token never expires/,
    ],
  ])("with %s is exit code 1, with the reason", async (_, made, said) => {
    const env = { IAM_TOKENS_ALLOWED_AUTH_URLS: identity.authUrl };
    const { exitCode, stdout } = await revoke([], { input: stateOf(made()), env });
    expect([exitCode, stdout]).toEqual([1, expect.stringMatching(said)]);
    expect(stdout).toMatch(/May still live: 1\.\n$/);
  });

  test("whose token names no address is asked at that of the option, not of the environment", async () => {
    const env = { OS_AUTH_URL: "https://127.0.0.1:1" };
    const input = stateOf(object("canary", "elsewhere", { auth_url: null }));
    const { stdout } = await revoke(["--auth-url", identity.authUrl], { input, env });
    expect(stdout).toMatch(/^NOT KNOWN HERE/);
  });

  test("with --json is a list of outcomes, without commands for a terminal or a CI system", async () => {
    const token = await issue();
    const hostile = object("canary", `\u001b[2J\n::stop-commands::x${CONTROLS}`, {
      auth_url: null,
    });
    const input = stateOf(object(token), object(token, "again"), hostile);
    const { stdout, exitCode } = await revoke(["--json"], { input });
    for (const command of ["\u001b", "::stop", ...CONTROLS]) expect(stdout).not.toContain(command);
    expect(JSON.parse(stdout)[1].places[0]).toContain(CONTROLS);
    expect({ exitCode, found: JSON.parse(stdout) }).toEqual({
      exitCode: 1,
      found: [
        {
          outcome: "revoked",
          fingerprint: fingerprint(token),
          places: ["iam_token.ci", "iam_token.again"],
          auth_url: v3(),
          address_confirmed: false,
          expires_at: TOMORROW,
        },
        expect.objectContaining({ outcome: "unknown", auth_url: null }),
      ],
    });
    expect((await revoke([], { input: stateOf() })).stdout).toMatch(
      /^Standard input holds no token that/,
    );
  });

  test("of a service with a private CA and client certificates, by the files of the environment", async () => {
    const { ca, server, client } = AUTHORITY;
    const options = { ...server, ca, requestCert: true, rejectUnauthorized: true };
    const front = createServer(options, (incoming, outgoing) => {
      const { method, headers, url } = incoming;
      const inner = request(`${identity.authUrl}${url}`, { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      });
      incoming.pipe(inner);
    });
    await once(front.listen(0, "127.0.0.1"), "listening");
    const authUrl = `https://localhost:${(front.address() as AddressInfo).port}`;
    const files = { OS_CACERT: ca, OS_CERT: client.cert, OS_KEY: client.key };
    for (const [name, pem] of Object.entries(files))
      writeFileSync(join(scratch.folder, name), pem, { mode: 0o600 });
    const env = { OS_CACERT: "OS_CACERT", OS_CERT: "OS_CERT", OS_KEY: "OS_KEY" };
    try {
      const token = await issue({ ...env, OS_AUTH_URL: authUrl });
      const input = stateOf(object(token, "ci", { auth_url: `${authUrl}/identity/v3` }));
      expect(await revoke([], { input })).toMatchObject({
        exitCode: 1,
        stdout: expect.stringMatching(/Give the service's CA, .* OS_CACERT, .*\[ERR_TLS_FAILED\]/),
      });
      expect(await revoke([], { input, env })).toMatchObject({ exitCode: 0 });
    } finally {
      front.close().closeAllConnections();
    }
    expect(deletions()).toBe(1);
  });
});
