import "../../../lib/cli/revoke-verify";
import type { EmbeddedIdentityService } from "../../../lib/testing";
import { cli } from "../run-cli";
import {
  fingerprint,
  issue,
  object,
  startIdentity,
  stateOf,
  stdin,
  TOMORROW,
} from "./stored-tokens";

let identity: EmbeddedIdentityService;
let a: string;
let b: string;

beforeEach(async () => {
  identity = await startIdentity();
  [a, b] = [await issue(identity), await issue(identity)];
});
afterEach(() => identity.stop());

const revoke = (token: string) =>
  cli(["revoke"], { env: { OS_AUTH_URL: identity.authUrl }, ...stdin(token) });

async function verify(input: string, ...args: readonly string[]) {
  const result = await cli(["verify", ...args], {
    env: { OS_AUTH_URL: identity.authUrl },
    ...stdin(input),
  });
  for (const secret of [a, b, "canary"]) expect(result.stdout).not.toContain(secret);
  expect(result.stderr).toBe("");
  return result;
}

test("each IAM token has a line, and the exit code says whether all are alive; nothing is changed", async () => {
  const of = (token: string, name: string, more?: object) => object(identity, token, name, more);
  const alive = `alive           ${fingerprint(a)}  iam_token.n0  until ${TOMORROW}\n`;
  const fixed = of("canary", "fixed", { kind: "static_token", fingerprint: null });
  expect(await verify(stateOf([of(a, "n0"), fixed]))).toMatchObject({
    exitCode: 0,
    stdout: `${alive}Alive: 1 of 1.\n`,
  });
  await revoke(b);
  const nowhere = { auth_url: "http://127.0.0.1:1" };
  const all = [of(a, "n0"), of(b, "n1"), of("cut", "n2"), of("x", "n3", nowhere)];
  const state = stateOf(all, { copy: { value: b } });
  const { exitCode, stdout } = await verify(state);
  expect(exitCode).toBe(1);
  expect(stdout.split("\n").map((line) => line.slice(0, 50))).toEqual([
    alive.slice(0, 50),
    `refused         ${fingerprint(b)}  iam_token.n1, output`,
    "    It can live again only if its project was disabled or".slice(0, 50),
    `refused         ${fingerprint("cut")}  iam_token.n2  until `,
    "    It can live again only if its project was disabled or".slice(0, 50),
    `NOT ASKED       ${fingerprint("x")}  iam_token.n3  until `,
    `    Issued by "http://127.0.0.1:1": ask that service, by`.slice(0, 50),
    "Alive: 1 of 4.",
    "",
  ]);
  const listed = JSON.parse((await verify(state, "--json")).stdout);
  expect(listed.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
    "alive",
    "refused",
    "refused",
    "not_asked",
  ]);
  expect(identity.isValid(a)).toBe(true);
  const others = identity.journal.filter(({ method }) => /POST|DELETE/.test(method));
  // To issue, and to revoke.
  expect(others).toHaveLength(3);
});

test("a token itself is asked about; a state without one is no success", async () => {
  await revoke(b);
  expect(await verify(a)).toMatchObject({
    exitCode: 0,
    stdout: `alive           ${fingerprint(a)}  Standard input\nAlive: 1 of 1.\n`,
  });
  expect(await verify(b)).toMatchObject({
    exitCode: 1,
    stdout: expect.stringMatching(/^refused .*\n {4}It can live again only if /),
  });
  expect(await verify(stateOf([]))).toMatchObject({
    exitCode: 1,
    stdout: "Standard input holds no IAM token that is recognized: nothing was verified.\n",
  });
});
