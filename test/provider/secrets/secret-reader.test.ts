import childProcess, { type ChildProcess } from "node:child_process";
import { getEventListeners, once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { findProgram } from "../../../lib/provider/process/find-program";
import type { ProcessContext } from "../../../lib/provider/process/process-context";
import { rememberSecret } from "../../../lib/provider/secrets/known-secrets";
import { outputOf } from "../../../lib/provider/secrets/run-command";
import { SecretReader } from "../../../lib/provider/secrets/secret-reader";
import type { Command, SecretReference } from "../../../lib/provider/secrets/secret-reference";
import { IamTokensError, Secret } from "../../../lib/tokens";
import { onPlatform } from "../../support/platform";
import { testIf } from "../../support/skips";
import { CANARY, contextOf, eachIn, FakeIdentity, surroundingsOf } from "../fixtures";

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
  try {
    const { reader } = readerOf(variables);
    return (await reader.read({ kind: "command", command, origin }, waiting(), false)).reveal();
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    expect(error.message).not.toContain("canary");
    return `${error.code} ${error.problem} ${error.remedy}`;
  }
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
  const READS_INPUT = node(
    `process.stdin.on("end", () => console.log(process.argv.slice(1).join("|"))).resume()`,
  );

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
    ["no shell and no input", [...READS_INPUT, "$HOME", "a b", ";"], {}, "$HOME|a b|;"],
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
    [
      "prints a byte more than 64 KiB",
      `process.stdout.write("${CANARY.password}".padEnd(65537, "x"))`,
      /^ERR_COMMAND_FAILED .* 64 KiB/,
    ],
    ["is killed", `process.kill(process.pid, "SIGKILL")`, /^ERR_COMMAND_FAILED .* by SIGKILL\. /],
    ["prints bytes", "process.stdout.write(Buffer.from([0xff]))", /^ERR_SECRET_NOT_UTF8/],
  ])("that %s is refused, without anything that it printed", async (_what, script, says) => {
    expect(await outcome(node(script))).toMatch(says);
  });

  test.each<[Command, RegExp]>([
    [
      ["no-such-program", CANARY.password],
      /^ERR_COMMAND_FAILED .* absolute folders of PATH\. Give/,
    ],
    [["./no such program", CANARY.password], /^ERR_COMMAND_FAILED .* does not exist, .* Give the/],
    [["./secret.sh read x"], /^ERR_COMMAND_FAILED .*, one entry per word; no shell/],
    [["./plain"], /^ERR_COMMAND_FAILED .* cannot be started \(EACCES\)\. Give the path/],
    [[...PRINTS, CANARY.password.repeat(10_000)], /^ERR_COMMAND_FAILED .* \(E2BIG\)\. Run it by/],
  ])("that cannot be started is refused, by its name alone: %#", async (command, says) => {
    writeFileSync(join(folder, "plain"), "", { mode: 0o600 });
    expect(await outcome(command, { PATH: process.env.PATH })).toMatch(says);
  });

  const script = (path: string, prints: string) => {
    writeFileSync(path, `#!/bin/sh\necho ${prints}\n`);
    chmodSync(path, 0o700);
  };

  test("is searched in the absolute folders of PATH alone, never in the configuration's folder", async () => {
    mkdirSync(join(folder, "bin", "tool"), { recursive: true });
    script(join(folder, "op"), "planted");
    script(join(folder, "bin", "op"), "meant");
    const near = relative(process.cwd(), folder);
    for (const PATH of [near, `:${near}/bin`, ":", ".:", "", undefined])
      expect(await outcome(["op"], { PATH })).toMatch(/^ERR_COMMAND_FAILED/);
    const PATH = `:.:${join(folder, "none")}:${join(folder, "bin")}`;
    expect(await outcome(["op"], { PATH })).toBe("meant");
    // A folder is no program, and a path is the user's own word.
    expect(await outcome(["tool"], { PATH })).toMatch(/^ERR_COMMAND_FAILED/);
    expect(await outcome(["./op"], { PATH })).toBe("planted");
  });

  test.each([
    ["op", "HERE/op.exe"],
    ["both", "HERE/both.com"],
    ["op.exe", "HERE/op.exe"],
    ["plain", undefined],
    ["dir\\op", "dir\\op"],
  ])("on Windows, %s is %s: only in the absolute folders of PATH", (name, found) => {
    for (const file of ["op.exe", "both.com", "both.exe", "plain"]) script(join(folder, file), "");
    const find = (path: string) =>
      onPlatform("win32", () => findProgram(name, path))?.replace(folder, "HERE");
    expect(find(`.;;C:;"${folder}"`)).toBe(found);
    expect(find(`.;;C:;${relative(process.cwd(), folder)}`)).toBe(
      name.includes("\\") ? found : undefined,
    );
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
    // A line that is cut may begin with a secret.
    const long = node(
      `console.error("first line"); console.error("cut".repeat(30_000)); process.exit(3)`,
    );
    const cut = await logOf({ IAM_TOKENS_COMMAND_STDERR: "1" }, long);
    expect(cut).toMatch(/first line'/);
    expect(cut).not.toContain("cut");
  });

  test.each([
    ["takes too long", 1],
    ["is cancelled", 0],
  ])("that %s is logged %d times, although its end follows", async (what, times) => {
    const spawned = jest.spyOn(childProcess, "spawn");
    const stop = new AbortController();
    const context = contextOf(undefined, stop.signal);
    const script = `console.error("waits"); setInterval(() => {}, 1_000)`;
    const variables = here({ IAM_TOKENS_COMMAND_STDERR: "1" });
    const output = outputOf(node(script), origin, variables, context, 1_000);
    const child: ChildProcess = spawned.mock.results[0]?.value;
    spawned.mockRestore();
    const closed = once(child, "close");
    child.stderr?.once("data", () => what === "is cancelled" && setImmediate(() => stop.abort()));
    await expect(output).rejects.toBeInstanceOf(IamTokensError);
    await closed;
    expect(context.logged).toHaveLength(times);
  });

  test("whose child holds its output has ended all the same, and the message says so", async () => {
    const holds = ["sh", "-c", "sleep 60 & echo canary"] as const;
    const output = outputOf(holds, origin, here({ PATH: process.env.PATH }), waiting(), 500);
    await expect(output).rejects.toMatchObject({
      problem: expect.stringMatching(/ended, but a program that it started held its output for/),
      remedy: expect.stringContaining("> /dev/null"),
    });
  });

  const HANGS = `
    console.log("${CANARY.password}");
    process.on("SIGTERM", () => {});
    const child = require("child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    require("fs").writeFileSync("pids", process.pid + " " + child.pid);
    setInterval(() => {}, 1000);`;
  const pids = async (): Promise<number[]> => {
    for (;;) {
      const text = existsSync(join(folder, "pids"))
        ? readFileSync(join(folder, "pids"), "utf8")
        : "";
      if (/^\d+ \d+$/.test(text)) return text.split(" ").map(Number);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  /** A killed process stays until its parent has waited for it. */
  const ended = async (pid: number): Promise<void> => {
    for (;;) {
      const stat = existsSync(`/proc/${pid}/stat`)
        ? readFileSync(`/proc/${pid}/stat`, "utf8")
        : "Z";
      if (/(?:^|\) )[ZX]/.test(stat)) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };

  testIf(process.platform === "linux", "it needs /proc")(
    "is ended with its children when Terraform stops, also before, and when it hangs",
    async () => {
      const stop = new AbortController();
      const stopped = outputOf(node(HANGS), origin, here(), waiting(stop.signal));
      const expectation = expect(stopped).rejects.toMatchObject({
        code: "ERR_CANCELLED",
        problem: expect.stringContaining("was ended: Terraform stopped."),
      });
      const first = await pids();
      stop.abort();
      await expectation;
      await Promise.all(first.map(ended));
      const late = outputOf(node(HANGS), origin, here(), waiting(stop.signal));
      await expect(late).rejects.toMatchObject({ code: "ERR_CANCELLED" });
      rmSync(join(folder, "pids"), { force: true });

      await expect(outputOf(node(HANGS), origin, here(), waiting(), 2_000)).rejects.toMatchObject({
        code: "ERR_COMMAND_FAILED",
        problem: expect.stringContaining("did not end within 2 s, and was ended"),
        message: expect.not.stringContaining("canary"),
        remedy: expect.stringContaining("it may wait for a question that nobody answers"),
      });
      await Promise.all((await pids()).map(ended));
    },
  );
});

test("many commands at once share their listeners, and leave none", async () => {
  const warnings: string[] = [];
  const note = ({ name }: Error) => void warnings.push(name);
  process.on("warning", note);
  const counts = () =>
    ["exit", "SIGINT", "SIGTERM", "SIGHUP"].map((name) => process.listenerCount(name));
  const before = counts();
  const signals = Array.from({ length: 12 }, () => new AbortController().signal);
  const outputs = signals.map((signal, count) =>
    outputOf(node(`console.log(${count})`), origin, here(), waiting(signal)),
  );
  expect(counts()).toEqual(before.map((count) => count + 1));
  expect((await Promise.all(outputs)).map(String)).toContain("11\n");
  expect(counts()).toEqual(before);
  expect(signals.flatMap((signal) => getEventListeners(signal, "abort"))).toEqual([]);
  process.off("warning", note);
  expect(warnings).toEqual([]);
});

const WAITS = node("setInterval(() => {}, 1000)");

test.each<[string, () => unknown, ends: boolean]>([
  ["got SIGHUP", () => process.emit("SIGHUP", "SIGHUP"), true],
  ["got SIGTERM", () => process.emit("SIGTERM", "SIGTERM"), false],
  ["ended", () => process.listeners("exit").at(-1)?.(0), false],
])(
  "a command is ended when the provider %s, which is not its failure",
  async (why, happen, ends) => {
    const { kill } = process;
    const killed = jest
      .spyOn(process, "kill")
      .mockImplementation((pid, signal) => pid === process.pid || kill.call(process, pid, signal));
    // As the provider has: that signal does not end this process.
    const stays = () => {};
    process.on("SIGTERM", stays);
    const output = outputOf(WAITS, origin, here(), waiting());
    happen();
    const problem = expect.stringContaining(`was ended: the provider ${why}.`);
    await expect(output).rejects.toMatchObject({ code: "ERR_CANCELLED", problem });
    const own = killed.mock.calls.filter(([pid]) => pid === process.pid);
    expect(own).toEqual(ends ? [[process.pid, "SIGHUP"]] : []);
    process.off("SIGTERM", stays);
    killed.mockRestore();
  },
);

test("on Windows, the system's own tool ends a command", async () => {
  const stop = new AbortController();
  const spawn = jest.spyOn(childProcess, "spawn");
  const output = onPlatform("win32", () => {
    const started = outputOf(WAITS, origin, here(), waiting(stop.signal));
    stop.abort();
    return started;
  });
  await expect(output).rejects.toMatchObject({ code: "ERR_CANCELLED" });
  const [{ pid }] = spawn.mock.results.map(({ value }) => value);
  expect(spawn.mock.calls.map(([file, args, options]) => [file, args, options])).toEqual([
    [process.execPath, WAITS.slice(1), expect.objectContaining({ detached: false })],
    [
      "C:\\Windows\\System32\\taskkill.exe",
      ["/pid", String(pid), "/T", "/F"],
      { stdio: "ignore", windowsHide: true },
    ],
  ]);
  process.kill(Number(pid), "SIGKILL");
  spawn.mockRestore();
});

test("a program that IAM_TOKENS_ALLOWED_COMMANDS does not list is not run", async () => {
  const list = (text: string) => ({ IAM_TOKENS_ALLOWED_COMMANDS: text });
  expect(await outcome(PRINTS, list("op"))).toMatch(/^ERR_COMMAND_NOT_ALLOWED The program ".*" \(/);
  expect(runs()).toBe(0);
  expect(await outcome(PRINTS, list(`op,${process.execPath}`))).toBe("pw");
});

describe("how often it is asked", () => {
  const reference: SecretReference = { kind: "command", command: PRINTS, origin };

  test("once for all tokens at once, and for later ones, until the secret is refused; then at most once a minute", async () => {
    let now = 0;
    const { reader } = readerOf({}, () => now);
    const read = () => reader.read(reference, waiting(), false);
    reader.refused(reference);
    await Promise.all(Array.from({ length: 100 }, read));
    now += 3_600_000;
    await read();
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
    const other: SecretReference = { kind: "command", command: node("console.log(1)"), origin };
    expect((await reader.read(other, waiting(), false)).reveal()).toBe("1");
  });

  test("an identity token is read again after a minute, or if the clock was set back", async () => {
    let now = 0;
    const { reader, identity } = readerOf(OF_GITHUB, () => now);
    for (const time of [0, 59_999, 60_000, 60_001, 59_999]) {
      now = time;
      await reader.read(ASKED, waiting(), true);
    }
    await reader.read({ ...ASKED, audience: "b" }, waiting(), true);
    expect(identity.audiences).toEqual(["a", "a", "a", "b"]);
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

const ASKED = { kind: "audience", audience: "a", origin: "oidc_audience" } as const;
const OF_GITHUB = {
  ACTIONS_ID_TOKEN_REQUEST_URL: "https://x.test",
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: "b",
};
const UNAVAILABLE = "ERR_IDENTITY_TOKEN_UNAVAILABLE";

test.each<[Partial<typeof OF_GITHUB>, code: string, says: RegExp]>([
  [{}, UNAVAILABLE, /^oidc_audience .*_URL and ACTIONS_ID_TOKEN_REQUEST_TOKEN are not set\. Add /],
  [{ ACTIONS_ID_TOKEN_REQUEST_URL: "https://x.test" }, UNAVAILABLE, /"permissions: id-token: /],
  [{ ACTIONS_ID_TOKEN_REQUEST_TOKEN: "b" }, UNAVAILABLE, /"permissions: id-token: /],
  [
    { ...OF_GITHUB, ACTIONS_ID_TOKEN_REQUEST_TOKEN: "canary\r\nx-header: 1" },
    "ERR_SECRET_UNUSABLE",
    /^ACTIONS_ID_TOKEN_REQUEST_TOKEN contains/,
  ],
])("GitHub is not asked with %j: %s", async (variables, code, says) => {
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
  identity.requestIdentityToken = async () => Secret.of("");
  await expect(reader.read(ASKED, waiting(), true)).rejects.toMatchObject({
    code: "ERR_SECRET_EMPTY",
    problem: "The identity token of GitHub Actions is empty.",
  });
});
