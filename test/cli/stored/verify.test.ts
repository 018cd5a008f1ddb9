import { Readable } from "node:stream";
import "../../../lib/cli/stored";
import { EmbeddedIdentityService } from "../../../lib/testing";
import { fingerprintOf, Secret } from "../../../lib/tokens";
import { cli } from "../run-cli";

const NOW = Date.UTC(2026, 0, 1);
const TOMORROW = "2026-01-02T00:00:00Z";
let identity: EmbeddedIdentityService;
let tokens: readonly string[];
const v3 = () => `${identity.authUrl}/identity/v3`;
const fingerprint = (token = "") => fingerprintOf(Secret.of(token));

beforeEach(async () => {
  const permission = { account: true, projects: [] };
  const serviceUsers = [{ name: "deployer", password: "canary", permission }];
  identity = await EmbeddedIdentityService.start(
    { accountId: "123456", serviceUsers },
    { now: () => NOW },
  );
  const env = {
    OS_AUTH_URL: identity.authUrl,
    OS_USER_DOMAIN_NAME: "123456",
    OS_USERNAME: "deployer",
    OS_PASSWORD: "canary",
  };
  const issue = async () => (await cli(["issue", "--scope", "account"], { env })).stdout.trim();
  tokens = [await issue(), await issue()];
});
afterEach(() => identity.stop());

const attributes = (token = "", more: object = {}) => ({
  ...{ token, kind: "iam_token_account_scoped", fingerprint: fingerprint(token) },
  ...{ auth_url: v3(), expires_at: TOMORROW, ...more },
});
const stateOf = (...objects: readonly object[]) =>
  JSON.stringify({
    version: 4,
    outputs: { copy: { value: tokens[1] } },
    resources: objects.map((attributes, index) => ({
      ...{ mode: "managed", type: "iam_token", name: `n${index}`, instances: [{ attributes }] },
    })),
  });

const revoke = (token = "") =>
  cli(["revoke", "--env", "T"], { env: { T: token, OS_AUTH_URL: identity.authUrl } });

async function verify(input: string, ...args: readonly string[]) {
  const openStdin = () => Readable.from([Buffer.from(input)]);
  const result = await cli(["verify", ...args], { openStdin });
  for (const secret of [...tokens, "canary"]) expect(result.stdout).not.toContain(secret);
  expect(result.stderr).toBe("");
  return result;
}

test("each IAM token has a line, and the exit code says whether all are alive; nothing is changed", async () => {
  const [a, b] = tokens;
  const alive = `alive           ${fingerprint(a)}  iam_token.n0  ${v3()}  until ${TOMORROW}\n`;
  const fixed = { token: "canary", kind: "static_token" };
  expect(await verify(stateOf(attributes(a), fixed))).toMatchObject({
    exitCode: 0,
    stdout: `${alive}Alive: 1 of 1.\n`,
  });
  await revoke(b);
  const nowhere = { auth_url: "http://127.0.0.1:1" };
  const state = stateOf(attributes(a), attributes(b), attributes("cut"), attributes("x", nowhere));
  const { exitCode, stdout } = await verify(state);
  expect(exitCode).toBe(1);
  expect(stdout.split("\n").map((line) => line.slice(0, 50))).toEqual([
    alive.slice(0, 50),
    `GONE            ${fingerprint(b)}  iam_token.n1, output`,
    `    Gone at ${v3()}, which only`.slice(0, 50),
    `GONE            ${fingerprint("cut")}  iam_token.n2  http:/`,
    `    Gone at ${v3()}, which only`.slice(0, 50),
    `UNKNOWN         ${fingerprint("x")}  iam_token.n3  http:/`,
    "    The connection to 127.0.0.1:1 failed (ECONNREF",
    "Alive: 1 of 4.",
    "",
  ]);
  const listed = JSON.parse((await verify(state, "--json")).stdout);
  expect(listed.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
    "alive",
    "gone",
    "gone",
    "unknown",
  ]);
  expect(identity.isValid(String(a))).toBe(true);
  const others = identity.journal.filter(({ method }) => /POST|DELETE/.test(method));
  // To issue, and to revoke.
  expect(others).toHaveLength(3);
});

test("a token itself is asked about; a state without one is no success", async () => {
  const [a = "", b = ""] = tokens;
  await revoke(b);
  const at = ["--auth-url", identity.authUrl];
  expect(await verify(a, ...at)).toMatchObject({
    exitCode: 0,
    stdout: `alive           ${fingerprint(a)}  Standard input  ${v3()}\nAlive: 1 of 1.\n`,
  });
  expect(await verify(b, ...at)).toMatchObject({
    exitCode: 1,
    stdout: expect.stringMatching(/^UNKNOWN .*\n {4}The service does not know it\./),
  });
  expect(await verify(stateOf())).toMatchObject({
    exitCode: 1,
    stdout: "Standard input holds no IAM token that is recognized: nothing was verified.\n",
  });
});
