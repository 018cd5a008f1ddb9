import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { request } from "node:http";
import { createServer } from "node:https";
import { join } from "node:path";
import { Readable } from "node:stream";
import { lineOf, type Outcome } from "../../../lib/cli/revoke-verify/outcome";
import type { EmbeddedIdentityService, Intercept } from "../../../lib/testing";
import { AUTHORITY } from "../../identity/support/certificates";
import { LoopbackServer } from "../../support/loopback-server";
import { useScratch } from "../../support/scratch";
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
const scratch = useScratch();
const HIDDEN = { status: 404, body: '{"error":{"code":404}}' };
// A list of versions at another path than that of the rule.
const intercept: Intercept = ({ path, headers }, serve) => {
  if (headers["x-auth-token"] === "hidden") return HIDDEN;
  return path === "/region/"
    ? {
        status: 300,
        body: JSON.stringify({
          versions: { values: [{ id: "v3.14", links: [{ rel: "self", href: v3() }] }] },
        }),
      }
    : serve();
};
beforeEach(async () => {
  identity = await startIdentity({ intercept });
});
afterEach(() => identity.stop());

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
  const of = { ...known, expires_at: null };
  const rows: readonly (readonly [Partial<Outcome>, string | RegExp])[] = [
    [{}, "revoked         0123456789ab  a, b\n"],
    [{ outcome: "refused", reason: "R." }, /^refused .*b\n {4}R\.\n$/],
    [{ outcome: "not_asked", reason: "R\n." }, /^NOT ASKED {7}0123.*\n {4}R\?\.\n$/],
    [
      { outcome: "may_still_live", fingerprint: null, expires_at: TOMORROW },
      `MAY STILL LIVE  -             a, b  until ${TOMORROW}\n`,
    ],
    [
      { outcome: "not_known_here", places: ["\u001b[2J\n::x::".repeat(999)] },
      /^NOT KNOWN HERE {2}0123456789ab {2}\?\[2J\?\\u003a:x.{600,1600}\n$/,
    ],
  ];
  for (const [more, line] of rows) expect(lineOf({ ...of, ...more })).toMatch(line);
});

test("an address without a version is asked, for a token and its revocation", async () => {
  const OS_AUTH_URL = `${identity.authUrl}/region`;
  const token = await issue({ OS_AUTH_URL });
  const outcome = await revoke([], { input: token, env: { OS_AUTH_URL } });
  expect(outcome.stdout).toMatch(/^revoked/);
  expect(identity.isValid(token)).toBe(false);
});

describe("a token", () => {
  test("is revoked; asked again it is over, and one that is cut or quoted is not known here", async () => {
    const token = await issue();
    const env = { OS_AUTH_URL: identity.authUrl };
    // By half a block of the cipher.
    for (const input of [token.slice(0, -11), `"${token}"`])
      expect(await revoke([], { input, env })).toMatchObject({
        exitCode: 1,
        stdout: expect.stringMatching(
          /^NOT KNOWN HERE +\w+ {2}Standard input\n {4}The service refuses it\. Check that the token is whole, and that this service issued it: only then it is over\.\n/,
        ),
      });
    expect(identity.isValid(token)).toBe(true);
    expect(await revoke([], { input: `${token}\n`, env })).toEqual({
      exitCode: 0,
      stderr: "",
      stdout: `revoked         ${fingerprint(token)}  Standard input\nRevoked: 1 of 1.\n`,
    });
    expect(identity.isValid(token)).toBe(false);
    expect(await revoke([], { input: token, env })).toEqual({
      exitCode: 0,
      stderr: "",
      stdout: `refused         ${fingerprint(token)}  Standard input\n    It can live again only if its project was disabled or its user has lost a role, and that is undone.\nRevoked: 0 of 1. Refused already: 1.\n`,
    });
  });

  const AT = { OS_AUTH_URL: "http://127.0.0.1:1" };
  test.each<[string, string[], string, Record<string, string>, number, RegExp]>([
    ["no service", [], "x", {}, 2, /is not given\. Add --auth-url ADDRESS, or set .*ERR_USAGE/],
    ["nothing", [], "", AT, 1, /^Standard input is not a Terraform state.*ERR_STATE_INVALID/],
    ["two lines", [], "a\nb\n", AT, 1, /neither a token nor a state.*one line of.*UNUSABLE/],
    ["10 MB", [], "a".repeat(1e7), AT, 1, /neither a token nor a state.*up to 32768/],
    ["a wrong address", ["--auth-url", "http://x.test"], "", {}, 2, /--auth-url: .*ERR_USAGE/],
    ["a wrong OS_AUTH_URL", [], "x", { OS_AUTH_URL: "http://x.test" }, 2, /^OS_AUTH_URL: .*USAGE/],
    ["an archive", [], "PK\u0003\u0004", AT, 1, /unzip -p FILE tfstate.*ERR_STATE_INVALID/],
    [
      "no file",
      ["--state", "x/../none"],
      "",
      AT,
      1,
      /^The file "none" cannot be read \(ENOENT\).*STATE_INVALID/,
    ],
    [
      "a folder",
      ["--state", "."],
      "",
      AT,
      1,
      /^The file "\." cannot be read \(EISDIR\).*STATE_INVALID/,
    ],
  ])("is refused with %s", async (_, args, input, env, exitCode, text) => {
    const stderr = expect.stringMatching(text);
    expect(await revoke(args, { input, env })).toEqual({ exitCode, stdout: "", stderr });
  });

  test("is not read from a terminal, where a shell would keep it, nor from what cannot be read", async () => {
    const terminal = Object.assign(Readable.from([]), { isTTY: true });
    expect(await cli(["revoke"], { env: AT, openStdin: () => terminal })).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: expect.stringMatching(/standard input is a terminal.*--state FILE/),
    });
    const broken = new Readable({
      read() {
        this.destroy(Object.assign(new Error("canary"), { code: "EISDIR" }));
      },
    });
    expect(await cli(["revoke"], { env: AT, openStdin: () => broken })).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^Standard input cannot be read \(EISDIR\)\. .*STATE_INVALID/),
    });
  });
});

const here = () => ({ OS_AUTH_URL: identity.authUrl });

describe("a state", () => {
  test("is read from a file or a pipe, from --state - and from standard input alone", async () => {
    const [a, b, c, d] = [await issue(), await issue(), await issue(), await issue()];
    writeFileSync(join(scratch.folder, "state"), stateOf(object(a)));
    expect((await revoke(["--state", "state"], { env: here() })).stdout).toBe(
      `revoked         ${fingerprint(a)}  iam_token.ci\nRevoked: 1 of 1.\n`,
    );
    await revoke(["--state", "-"], { input: stateOf(object(b)), env: here() });
    await revoke([], { input: stateOf(object(c)), env: here() });
    // As of --state <(terraform state pull).
    const pipe = join(scratch.folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    const written = writeFile(pipe, stateOf(object(d)));
    await Promise.all([revoke(["--state", pipe], { env: here() }), written]);
    expect([a, b, c, d].map((token) => identity.isValid(token))).not.toContain(true);
  });

  test.each([
    ["an address", () => identity.authUrl, "gone"],
    ["its v3", v3, "gone"],
    ["an address without a version", () => `${identity.authUrl}/region`, "gone"],
    ["another path", () => `${identity.authUrl}/x/v3`, "there"],
  ])("has a token that is gone at %s, and is sent to no other", async (_, at, is) => {
    const token = await issue();
    const input = stateOf(object(token));
    await revoke([], { input, env: here() });
    const requests = identity.journal.length;
    const { exitCode, stdout } = await revoke(["--auth-url", at()], { input, env: here() });
    const sign = fingerprint(token);
    expect({ exitCode, stdout }).toEqual(
      is === "gone"
        ? {
            exitCode: 0,
            stdout: `refused         ${sign}  iam_token.ci  until ${TOMORROW}\n    It can live again only if its project was disabled or its user has lost a role, and that is undone.\nRevoked: 0 of 1. Refused already: 1.\n`,
          }
        : {
            exitCode: 1,
            stdout: `NOT ASKED       ${sign}  iam_token.ci  until ${TOMORROW}\n    Issued by "${v3()}": ask that service, by --auth-url.\nRevoked: 0 of 1. Not ended: 1.\n`,
          },
    );
    if (is === "there") expect(identity.journal).toHaveLength(requests);
  });

  test.each(["revoke", "verify"])(
    "that cannot be read is refused with the next step of %s, and not repeated",
    async (verb) => {
      const program = "npx --no-install cdktf-iam-tokens";
      for (const text of [
        "",
        "[]",
        "{}",
        "canary",
        '{"version":4}',
        '{"version":3,"resources":[]}',
        '{"version":4,"resources":{}}',
        '{"encrypted_data":"canary","meta":{}}',
        "PK\u0003\u0004canary",
        "[".repeat(200_000),
      ])
        expect(await cli([verb, "--state", "-"], { env: here(), ...stdin(text) })).toEqual({
          exitCode: 1,
          stdout: "",
          stderr: `Standard input is not a Terraform state of version 4. In the stack's folder: terraform state pull | ${program} ${verb}. Of a saved plan: unzip -p FILE tfstate | ${program} ${verb}. With OpenTofu: tofu state pull. [ERR_STATE_INVALID]\n`,
        });
    },
  );

  test("may have a token as a name, which is not printed", async () => {
    const token = await issue();
    const { stdout } = await revoke([], {
      input: JSON.stringify({ version: 4, resources: [], outputs: { [token]: { value: token } } }),
      env: here(),
    });
    expect(stdout).toMatch(/^revoked .* output\.\(sensitive\)\n/);
  });

  test.each<[string, () => object, RegExp]>([
    [
      "a token that is cut",
      () => object("cut", "ci", { fingerprint: fingerprint("whole") }),
      /^NOT KNOWN HERE .* until .*\n {4}The service refuses it\. Check that the token is whole/,
    ],
    ["a token of any service", () => object("t", "ci", { auth_url: null }), /^NOT KNOWN HERE/],
    ["a token that may not be looked at", () => object("hidden"), /^MAY STILL LIVE/],
    [
      "another address",
      () => object("t", "ci", { auth_url: "http://evil.example.test" }),
      /^NOT ASKED .*\n {4}Issued by "http:\/\/evil\.example\.test": ask/,
    ],
    [
      "nothing that can be sent",
      () => object("", "ci"),
      /^NOT ASKED {7}- .*\n {4}The state holds nothing there that can be sent/,
    ],
    [
      "a static token",
      () => object("canary-static", "ci", { kind: "static_token", fingerprint: null }),
      /^MAY STILL LIVE {2}- .*\n {4}A static token never expires/,
    ],
  ])("with %s is exit code 1, with the reason", async (_, made, said) => {
    const { exitCode, stdout } = await revoke([], { input: stateOf(made()), env: here() });
    expect([exitCode, stdout]).toEqual([1, expect.stringMatching(said)]);
    expect(stdout).toMatch(/Not ended: 1\.\n$/);
  });

  test("with --json is a list of outcomes, without commands for a terminal or a CI system", async () => {
    const token = await issue();
    const hostile = object("canary", `\u001b[2J\n::stop-commands::x${CONTROLS}`, {
      auth_url: "http://x.test/v3",
    });
    const input = stateOf(object(token), object(token, "again"), hostile);
    const { stdout, exitCode } = await revoke(["--json"], { input, env: here() });
    for (const command of ["\u001b", "::stop", ...CONTROLS]) expect(stdout).not.toContain(command);
    expect(JSON.parse(stdout)[1].places[0]).toContain(CONTROLS);
    expect({ exitCode, found: JSON.parse(stdout) }).toEqual({
      exitCode: 1,
      found: [
        {
          outcome: "revoked",
          fingerprint: fingerprint(token),
          places: ["iam_token.ci", "iam_token.again"],
          expires_at: TOMORROW,
        },
        expect.objectContaining({ outcome: "not_asked" }),
      ],
    });
    expect((await revoke([], { input: stateOf(), env: here() })).stdout).toMatch(
      /^Standard input holds no token that/,
    );
  });

  test("of a service with a private CA and client certificates, by the files of the environment", async () => {
    const { ca, server, client } = AUTHORITY;
    const options = { ...server, ca, requestCert: true, rejectUnauthorized: true };
    const forwarding = createServer(options, (incoming, outgoing) => {
      const { method, headers, url } = incoming;
      const inner = request(`${identity.authUrl}${url}`, { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      });
      incoming.pipe(inner);
    });
    const front = await new LoopbackServer(forwarding).listen();
    const authUrl = `https://localhost:${front.port}`;
    const files = { OS_CACERT: ca, OS_CERT: client.cert, OS_KEY: client.key };
    for (const [name, pem] of Object.entries(files))
      writeFileSync(join(scratch.folder, name), pem, { mode: 0o600 });
    const env = { OS_CACERT: "OS_CACERT", OS_CERT: "OS_CERT", OS_KEY: "OS_KEY" };
    try {
      const token = await issue({ ...env, OS_AUTH_URL: authUrl });
      const at = ["--auth-url", authUrl];
      const lost = jest.fn();
      process.once("unhandledRejection", lost);
      const of = (name: string) => object(name, name, { auth_url: `${authUrl}/identity/v3` });
      expect(await revoke(at, { input: stateOf(of("a"), of("b")) })).toMatchObject({
        exitCode: 1,
        stdout: "",
        stderr: expect.stringMatching(/Give the service's CA, .* OS_CACERT, .*\[ERR_TLS_FAILED\]/),
      });
      expect(await revoke(at, { input: token, env })).toMatchObject({ exitCode: 0 });
      process.off("unhandledRejection", lost);
      expect(lost).not.toHaveBeenCalled();
    } finally {
      await front.close();
    }
    expect(deletions()).toBe(1);
  });
});
