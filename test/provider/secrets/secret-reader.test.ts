import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ProcessContext } from "../../../lib/provider/process/process-context";
import type { Command } from "../../../lib/provider/process/run-program";
import { rememberSecret } from "../../../lib/provider/secrets/known-secrets";
import { outputOf } from "../../../lib/provider/secrets/run-command";
import { SecretReader } from "../../../lib/provider/secrets/secret-reader";
import type { SecretReference } from "../../../lib/provider/secrets/secret-reference";
import { Secret } from "../../../lib/tokens";
import { pidOf } from "../../support/processes";
import { CANARY, contextOf, eachIn, FakeIdentity, refusalOf, surroundingsOf } from "../fixtures";

const log = () => {};
const origin = "password_command of the provider block";
let folder: string;
eachIn((own) => {
  folder = own;
});

/** A command that runs these lines of Node.js. */
const node = (script: string): Command => [process.execPath, "-e", script];
const PRINTS = node(
  `require("fs").appendFileSync("runs", "x"); console.log(process.env.SECRET ?? "pw")`,
);
const runs = (): number =>
  existsSync(join(folder, "runs")) ? readFileSync(join(folder, "runs"), "utf8").length : 0;
const here = (variables: ProcessContext["variables"] = {}) =>
  surroundingsOf(variables, { workingFolder: folder });
const waiting = (signal = new AbortController().signal) => ({ signal, log });

const readerOf = (variables: ProcessContext["variables"] = {}, now?: () => number) => {
  const identity = new FakeIdentity();
  return { identity, reader: new SecretReader(here(variables), identity, now) };
};

/** What a command gives, or the error. */
const outcome = async (command: Command, variables: ProcessContext["variables"] = {}) => {
  const { reader } = readerOf(variables);
  let secret: Secret | undefined;
  const error = await refusalOf(async () => {
    secret = await reader.read({ kind: "command", place: command, origin }, waiting(), false);
  });
  return secret?.reveal() ?? `${error?.code} ${error?.problem} ${error?.remedy}`;
};

describe("a command", () => {
  const NAMES = node(
    `console.log(Object.keys(process.env).sort().join(), process.env.NODE_EXTRA_CA_CERTS)`,
  );
  const OF_PLUGINS = {
    PLUGIN_CLIENT_CERT: "x",
    PLUGIN_MIN_PORT: "1",
    PLUGIN_PROTOCOL_VERSIONS: "6",
    TF_PLUGIN_MAGIC_COOKIE: "x",
  };
  const OTHERS = {
    PLUGIN_OF_MINE: "y",
    PLUGIN_MAX_PORT_OF_MINE: "y",
    MY_PLUGIN_MAX_PORT: "y",
    IAM_TOKENS_EXTRA_CA_CERTS: "ca.pem",
  };

  test.each<[string, Command, ProcessContext["variables"], string]>([
    [
      "Terraform's environment, and one newline less",
      PRINTS,
      { SECRET: " a b\u00e9 " },
      " a b\u00e9 ",
    ],
    [
      "nothing by which Terraform speaks to a provider",
      NAMES,
      { ...OF_PLUGINS, ...OTHERS },
      "MY_PLUGIN_MAX_PORT,NODE_EXTRA_CA_CERTS,PLUGIN_MAX_PORT_OF_MINE,PLUGIN_OF_MINE ca.pem",
    ],
    ["up to 64 KiB", node(`process.stdout.write("x".repeat(65536))`), {}, "x".repeat(65_536)],
  ])("has %s", async (_what, command, variables, printed) => {
    expect(await outcome(command, variables)).toBe(printed);
  });

  test.each<[string, string, RegExp]>([
    [
      "prints nothing",
      "",
      /^ERR_SECRET_EMPTY The output of the command ".*" \(password_.* alone\.$/,
    ],
    ["prints a newline of Windows", `console.log("\\r")`, /^ERR_SECRET_EMPTY/],
    [
      "prints two lines",
      `console.log("${CANARY.password}\\nx")`,
      /^ERR_COMMAND_FAILED .* line\. .* alone\.$/,
    ],
    ["begins a line anew", `process.stdout.write("a\\rb")`, /^ERR_COMMAND_FAILED .* line\./],
    [
      "fails after printing the secret",
      `console.log("${CANARY.password}"); console.error("${CANARY.password}"); process.exit(3)`,
      /^ERR_COMMAND_FAILED .* exited with 3\. /,
    ],
    ["is killed", `process.kill(process.pid, "SIGKILL")`, /^ERR_COMMAND_FAILED .* by SIGKILL\. /],
    ["prints bytes", "process.stdout.write(Buffer.from([0xff]))", /^ERR_SECRET_NOT_UTF8/],
  ])("that %s is refused, without anything that it printed", async (_what, script, says) => {
    expect(await outcome(node(script))).toMatch(says);
  });

  test.each<[what: string, Command, RegExp]>([
    [
      "is not there",
      ["no-such-program", CANARY.password],
      /^ERR_COMMAND_FAILED .* absolute folders of PATH\. Give/,
    ],
    [
      "is not in its place",
      ["./no such program", CANARY.password],
      /^ERR_COMMAND_FAILED .* does not exist, .* Give the/,
    ],
    [
      "has its arguments in one word",
      ["./secret.sh read x"],
      /^ERR_COMMAND_FAILED .*, one entry per word; no shell/,
    ],
    [
      "is not executable",
      ["./plain"],
      /^ERR_COMMAND_FAILED .* cannot be started \(EACCES\)\. Give the path/,
    ],
    [
      "has too long arguments",
      [...PRINTS, CANARY.password.repeat(10_000)],
      /^ERR_COMMAND_FAILED .* \(E2BIG\)\. Run it by/,
    ],
  ])("that %s is refused, by its name alone", async (_what, command, says) => {
    writeFileSync(join(folder, "plain"), "", { mode: 0o600 });
    expect(await outcome(command, { PATH: process.env.PATH })).toMatch(says);
  });

  test("that fails says why in the log alone, if it is asked to, and without what it printed as the secret", async () => {
    const fails = node(
      `console.log("short"); process.stderr.write("+ login short \u001b[1m ${CANARY.static}\\n##vso[x]"); process.exit(3)`,
    );
    rememberSecret(CANARY.static);
    const logOf = async (variables: ProcessContext["variables"], command = fails) => {
      const context = contextOf();
      await expect(outputOf(command, origin, here(variables), context)).rejects.toMatchObject({
        code: "ERR_COMMAND_FAILED",
        message: expect.not.stringContaining("login"),
      });
      return context.logged.join();
    };
    expect(await logOf({})).toBe("");
    expect(await logOf({ IAM_TOKENS_COMMAND_STDERR: "0" })).toBe("");
    const logged = await logOf({ IAM_TOKENS_COMMAND_STDERR: "1" });
    expect(logged).toMatch(/^error a command for a secret failed .*password_command/s);
    expect(logged).toContain("+ login (sensitive) ?[1m (sensitive)\\n\\\\u0023#vso[x]");
    expect(logged).not.toContain("canary");
    // A line that is cut may begin with a secret, also where it is the only one.
    for (const first of ["first line", ""]) {
      const long = node(
        `process.stderr.write("${first && `${first}\\n`}" + "cut".repeat(30_000)); process.exit(3)`,
      );
      const cut = await logOf({ IAM_TOKENS_COMMAND_STDERR: "1" }, long);
      expect(cut).toContain(`stderr: '${first}'`);
      expect(cut).not.toContain("cut");
    }
  });

  test("that takes too long is ended and logged, and one that is cancelled is no failure", async () => {
    const hangs = node(
      `console.log("${CANARY.password}"); console.error("waits"); setInterval(() => {}, 1_000)`,
    );
    const stop = new AbortController();
    const context = contextOf(undefined, stop.signal);
    const variables = here({ IAM_TOKENS_COMMAND_STDERR: "1" });
    await expect(outputOf(hangs, origin, variables, context, 1_000)).rejects.toMatchObject({
      code: "ERR_COMMAND_FAILED",
      problem: expect.stringContaining("did not end within 1 s, and was ended"),
      message: expect.not.stringContaining("canary"),
      remedy: expect.stringContaining("it may wait for a question that nobody answers"),
    });
    expect(context.logged).toHaveLength(1);
    const cancelled = outputOf(hangs, origin, variables, context);
    setImmediate(() => stop.abort());
    await expect(cancelled).rejects.toMatchObject({
      code: "ERR_CANCELLED",
      problem: expect.stringContaining("was ended: Terraform stopped."),
    });
    const interrupted = outputOf(hangs, origin, variables, contextOf());
    process.listeners("exit")[0]?.(0);
    await expect(interrupted).rejects.toMatchObject({
      code: "ERR_CANCELLED",
      problem: expect.stringContaining("was ended: the provider ended."),
    });
    expect(context.logged).toHaveLength(1);
  });

  test("whose child holds its output has ended all the same, and the message says so", async () => {
    const holds = ["sh", "-c", "sleep 60 & echo canary"] as const;
    const output = outputOf(holds, origin, here({ PATH: process.env.PATH }), waiting(), 500);
    await expect(output).rejects.toMatchObject({
      problem: expect.stringMatching(/ended, but a program that it started held its output for/),
      remedy: expect.stringContaining("> /dev/null"),
    });
  });

  test("whose child keeps standard error, as that of ssh does, is not waited for", async () => {
    const keeps = ["sh", "-c", "sleep 60 >/dev/null & echo $!"] as const;
    const output = await outputOf(keeps, origin, here({ PATH: process.env.PATH }), waiting());
    process.kill(pidOf({ pid: Number(output) }));
  });
});

test("a program that IAM_TOKENS_ALLOWED_COMMANDS does not list is not run", async () => {
  const list = (text: string) => ({ IAM_TOKENS_ALLOWED_COMMANDS: text });
  expect(await outcome(PRINTS, list("op"))).toMatch(/^ERR_COMMAND_NOT_ALLOWED The command ".*" \(/);
  expect(runs()).toBe(0);
  expect(await outcome(PRINTS, list(`op,${process.execPath}`))).toBe("pw");
});

test.each(["Passw0rd", "Pass/w0rd+77%"])(
  "the secret itself in place of the program is not repeated: %s",
  async (secret) => {
    for (const list of [{}, { IAM_TOKENS_ALLOWED_COMMANDS: "op" }]) {
      const message = await outcome([secret, secret], list);
      expect(message).toMatch(/^ERR_COMMAND_(?:FAILED|NOT_ALLOWED) The command that .* names /);
      expect(message).not.toMatch(/passw0rd/i);
      expect(message).not.toContain("Pass/");
    }
  },
);

describe("how often it is asked", () => {
  const reference: SecretReference = { kind: "command", place: PRINTS, origin };

  test("once for all tokens at once, and for later ones, until the secret is refused; then at most once a minute", async () => {
    let now = 0;
    const { reader } = readerOf({}, () => now);
    const read = () => reader.read(reference, waiting(), false);
    reader.refused(reference);
    await Promise.all(Array.from({ length: 100 }, read));
    now += 3_600_000;
    await read();
    // Whichever setting names it.
    await reader.read({ ...reference, origin: "another setting" }, waiting(), false);
    reader.refused(reference);
    await read();
    now += 59_999;
    await read();
    expect(runs()).toBe(1);
    for (const later of [1, 3_600_000]) {
      now += later;
      await read();
      expect(runs()).toBe(2);
    }
    const other: SecretReference = { kind: "command", place: node("console.log(1)"), origin };
    expect((await reader.read(other, waiting(), false)).reveal()).toBe("1");
  });

  test("an identity token is read again after a minute", async () => {
    let now = 0;
    const { reader, identity } = readerOf(OF_GITHUB, () => now);
    for (const time of [0, 59_999, 60_000, 60_001]) {
      now = time;
      await reader.read(ASKED, waiting(), true);
    }
    await reader.read({ ...ASKED, place: "b" }, waiting(), true);
    expect(identity.audiences).toEqual(["a", "a", "b"]);
  });

  test("the end of one waiting operation does not end the command", async () => {
    const { reader } = readerOf();
    const first = new AbortController();
    const one = reader.read(reference, waiting(first.signal), false);
    const other = reader.read(reference, waiting(), false);
    first.abort();
    await expect(one).rejects.toMatchObject({ code: "ERR_CANCELLED" });
    expect((await other).reveal()).toBe("pw");
    expect(runs()).toBe(1);
  });
});

const ASKED = { kind: "audience", place: "a", origin: "oidc_audience" } as const;
const OF_GITHUB = {
  ACTIONS_ID_TOKEN_REQUEST_URL: "https://x.test",
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: "b",
};
const UNAVAILABLE = "ERR_IDENTITY_TOKEN_UNAVAILABLE";

test.each<[what: string, Partial<typeof OF_GITHUB>, code: string, says: RegExp]>([
  [
    "nothing",
    {},
    UNAVAILABLE,
    /^oidc_audience .*_URL and ACTIONS_ID_TOKEN_REQUEST_TOKEN are not set\. Add /,
  ],
  [
    "the address alone",
    { ACTIONS_ID_TOKEN_REQUEST_URL: "https://x.test" },
    UNAVAILABLE,
    /"permissions: id-token: /,
  ],
  [
    "the secret alone",
    { ACTIONS_ID_TOKEN_REQUEST_TOKEN: "b" },
    UNAVAILABLE,
    /"permissions: id-token: /,
  ],
  [
    "a secret of two lines",
    { ...OF_GITHUB, ACTIONS_ID_TOKEN_REQUEST_TOKEN: "canary\r\nx-header: 1" },
    "ERR_SECRET_UNUSABLE",
    /^ACTIONS_ID_TOKEN_REQUEST_TOKEN contains/,
  ],
])("GitHub is not asked with %s", async (_what, variables, code, says) => {
  const { reader, identity } = readerOf(variables);
  await expect(reader.read(ASKED, waiting(), true)).rejects.toMatchObject({
    code,
    message: expect.not.stringContaining("canary"),
  });
  await expect(reader.read(ASKED, waiting(), true)).rejects.toThrow(says);
  expect(identity.audiences).toEqual([]);
});

test("an identity token that is empty is refused", async () => {
  const { reader, identity } = readerOf(OF_GITHUB);
  identity.requestFromGitHub = async () => Secret.of("");
  await expect(reader.read(ASKED, waiting(), true)).rejects.toMatchObject({
    code: "ERR_SECRET_EMPTY",
    problem: "The identity token of GitHub Actions is empty.",
  });
});
