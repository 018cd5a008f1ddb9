import { getEventListeners } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { findProgram } from "../../../lib/provider/process/find-program";
import type { ProcessContext } from "../../../lib/provider/process/process-context";
import { rememberSecret } from "../../../lib/provider/secrets/known-secrets";
import { outputOf } from "../../../lib/provider/secrets/run-command";
import { SecretReader } from "../../../lib/provider/secrets/secret-reader";
import type { Command, SecretReference } from "../../../lib/provider/secrets/secret-reference";
import { IamTokensError, Secret } from "../../../lib/tokens";
import { CANARY, contextOf, FakeIdentity, surroundingsOf } from "../fixtures";

const log = () => {};
const origin = "password_command of the provider block";
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "iam-command-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A command that runs these lines of Node.js. */
const node = (script: string): Command => [process.execPath, "-e", script];
const PRINTS = node(
  `require("fs").appendFileSync("runs", "x"); console.log(process.env.SECRET ?? "pw")`,
);
const runs = (): number =>
  existsSync(join(folder, "runs")) ? readFileSync(join(folder, "runs"), "utf8").length : 0;

const readerOf = (variables: ProcessContext["variables"] = {}, now?: () => number) => {
  const identity = new FakeIdentity();
  const surroundings = surroundingsOf(variables, { workingFolder: folder });
  return { identity, reader: new SecretReader(surroundings, identity, now) };
};

const refusal = async (command: Command, variables: ProcessContext["variables"] = {}) => {
  const { reader } = readerOf(variables);
  const { signal } = new AbortController();
  try {
    return (
      await reader.read({ kind: "command", command, origin }, { signal, log }, false)
    ).reveal();
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    expect(error.message).not.toContain("canary");
    return error.message;
  }
};

describe("a command", () => {
  test("has Terraform's environment and folder, and gives its output less one newline", async () => {
    const { reader } = readerOf({ SECRET: " a b\u00e9 " });
    const { signal } = new AbortController();
    const reference = { kind: "command", command: PRINTS, origin } as const;
    expect((await reader.read(reference, { signal, log }, false)).reveal()).toBe(" a b\u00e9 ");
    expect(runs()).toBe(1);
  });

  test("has nothing by which Terraform speaks to a provider, and the extra certificates by their own name", async () => {
    const variables = {
      PLUGIN_CLIENT_CERT: "x",
      PLUGIN_MIN_PORT: "1",
      PLUGIN_PROTOCOL_VERSIONS: "6",
      TF_PLUGIN_MAGIC_COOKIE: "x",
      PLUGIN_OF_MINE: "y",
      PLUGIN_MAX_PORT_OF_MINE: "y",
      MY_PLUGIN_MAX_PORT: "y",
      IAM_TOKENS_EXTRA_CA_CERTS: "ca.pem",
    };
    const prints = node(
      `console.log(Object.keys(process.env).sort().join(), process.env.NODE_EXTRA_CA_CERTS)`,
    );
    expect(await refusal(prints, variables)).toBe(
      "MY_PLUGIN_MAX_PORT,NODE_EXTRA_CA_CERTS,PLUGIN_MAX_PORT_OF_MINE,PLUGIN_OF_MINE ca.pem",
    );
  });

  test("has no shell and no input", async () => {
    const script = `process.stdin.on("end", () => console.log(process.argv.slice(1).join("|"))).resume()`;
    expect(await refusal([...node(script), "$HOME", "a b", ";"])).toBe("$HOME|a b|;");
  });

  test.each<{ what: string; script: string; says: RegExp }>([
    {
      what: "prints nothing",
      script: "",
      says: /^The output of the command ".*" \(password_command of the provider block\) is empty\. Give a command that prints the secret alone\. \[ERR_SECRET_EMPTY\]$/,
    },
    {
      what: "prints a newline of Windows",
      script: `console.log("\\r")`,
      says: /is empty\. Give a command that prints the secret alone\. \[ERR_SECRET_EMPTY\]$/,
    },
    {
      what: "prints two lines",
      script: `console.log("${CANARY.password}\\nx")`,
      says: /has more than one line\. Give a command that prints the secret alone\. \[ERR_COMMAND_FAILED\]$/,
    },
    {
      what: "prints blank lines",
      script: `console.log("\\n")`,
      says: /has more than one line\. /,
    },
    {
      what: "prints a line that begins anew",
      script: `process.stdout.write("a\\rb")`,
      says: /has more than one line\. /,
    },
    {
      what: "exits with 3 after printing the secret on both streams",
      script: `console.log("${CANARY.password}"); console.error("${CANARY.password}"); process.exit(3)`,
      says: /exited with 3\..*ERR_COMMAND_FAILED/,
    },
    {
      what: "prints 10 MB",
      script: `process.stdout.write("x".repeat(1e7))`,
      says: /printed more than 64 KiB, and was ended.*ERR_COMMAND_FAILED/,
    },
    {
      what: "is killed",
      script: `process.kill(process.pid, "SIGKILL")`,
      says: /was ended by SIGKILL.*ERR_COMMAND_FAILED/,
    },
    {
      what: "prints bytes",
      script: "process.stdout.write(Buffer.from([0xff, 0xfe]))",
      says: /^The output of the command ".*" \(password_command of the provider block\) is not UTF-8.*ERR_SECRET_NOT_UTF8/,
    },
  ])("that $what is refused, without anything that it printed", async ({ script, says }) => {
    expect(await refusal(node(script))).toMatch(says);
  });

  test.each<[Command, RegExp]>([
    [
      ["no-such-program", CANARY.password],
      /is in none of the absolute folders of PATH\. Give the path of the program/,
    ],
    [["./secret.sh read x"], /one entry per word; no shell reads them/],
    [
      ["./no-such-program", CANARY.password],
      /does not exist, or its interpreter or the working folder does not\. Give/,
    ],
  ])("that does not exist is refused, by its name alone: %j", async (command, says) => {
    const said = await refusal(command, { PATH: process.env.PATH });
    expect(said).toMatch(says);
    expect(said).toMatch(
      /^The command ".*" \(password_command of the provider block\) .*FAILED\]$/,
    );
  });

  const script = (path: string, prints: string) => {
    writeFileSync(path, `#!/bin/sh\necho ${prints}\n`);
    chmodSync(path, 0o700);
  };

  (process.platform === "win32" ? test.skip : test)(
    "is searched in the absolute folders of PATH alone, never in the configuration's folder",
    async () => {
      mkdirSync(join(folder, "bin"));
      script(join(folder, "op"), "planted");
      script(join(folder, "bin", "op"), "planted");
      const here = relative(process.cwd(), folder);
      for (const PATH of [here, `:${here}/bin`, ":", ".:", "", undefined])
        expect(await refusal(["op"], { PATH })).toContain("ERR_COMMAND_FAILED");
      mkdirSync(join(folder, "bin", "tool"));
      script(join(folder, "bin", "op"), "meant");
      const PATH = `:.:${join(folder, "none")}:${join(folder, "bin")}`;
      expect(await refusal(["op"], { PATH })).toBe("meant");
      // A folder is no program, and a path is the user's own word.
      expect(await refusal(["tool"], { PATH })).toContain("ERR_COMMAND_FAILED");
      expect(await refusal(["./op"], { PATH })).toBe("planted");
    },
  );

  test.each([
    ["op", "HERE/op.exe"],
    ["both", "HERE/both.com"],
    ["op.exe", "HERE/op.exe"],
    ["plain", undefined],
    ["dir\\op", "dir\\op"],
  ])("on Windows, %s is %s: only in the absolute folders of PATH", (name, found) => {
    for (const file of ["op.exe", "both.com", "both.exe", "plain"]) script(join(folder, file), "");
    const find = (path: string) => findProgram(name, path, "win32")?.replace(folder, "HERE");
    expect(find(`.;;C:;"${folder}"`)).toBe(found);
    expect(find(`.;;C:;${relative(process.cwd(), folder)}`)).toBe(
      name.includes("\\") ? found : undefined,
    );
  });

  test("that fails says why in the log alone, if it is asked to, and without what it printed as the secret", async () => {
    const fails = node(
      `console.log("short"); console.error("+ login short \u001b[1m ${CANARY.static}\\n##vso[x]"); process.exit(3)`,
    );
    rememberSecret(CANARY.static);
    const logOf = async (variables: Record<string, string>) => {
      const context = contextOf();
      const reading = outputOf(
        fails,
        origin,
        surroundingsOf(variables, { workingFolder: folder }),
        context,
      );
      await expect(reading).rejects.toMatchObject({
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
  });

  test("with arguments that the system does not take is refused without them", async () => {
    expect(await refusal([...PRINTS, CANARY.password.repeat(10_000)])).toMatch(
      /\(password_command of the provider block\) cannot be started \(E2BIG\)\. Run it by hand/,
    );
  });

  test("is ended at once when Terraform has stopped before, and may print up to 64 KiB", async () => {
    const surroundings = surroundingsOf({}, { workingFolder: folder });
    await expect(
      outputOf(node("setInterval(() => {}, 1000)"), origin, surroundings, {
        signal: AbortSignal.abort(),
        log,
      }),
    ).rejects.toMatchObject({
      code: "ERR_CANCELLED",
      problem: expect.stringMatching(/^The command ".*" \(.*\) was ended: Terraform stopped\.$/),
    });
    const prints = node(`process.stdout.write("x".repeat(64 * 1024))`);
    expect(await refusal(prints)).toHaveLength(64 * 1024);
  });

  test("that cannot be executed is refused", async () => {
    writeFileSync(join(folder, "script"), "");
    chmodSync(join(folder, "script"), 0o600);
    expect(await refusal([join(folder, "script")])).toMatch(
      /cannot be started \(EACCES\)\. Give the path of the program/,
    );
  });

  const HANGS = `
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

  (process.platform === "linux" ? test : test.skip)(
    "is ended with its children when Terraform stops, and when it hangs",
    async () => {
      const surroundings = surroundingsOf({}, { workingFolder: folder });
      const stop = new AbortController();
      const stopped = outputOf(node(HANGS), origin, surroundings, { signal: stop.signal, log });
      const expectation = expect(stopped).rejects.toMatchObject({ code: "ERR_CANCELLED" });
      const first = await pids();
      stop.abort();
      await expectation;
      await Promise.all(first.map(ended));
      rmSync(join(folder, "pids"));

      const hangs = outputOf(
        node(HANGS),
        origin,
        surroundings,
        { signal: new AbortController().signal, log },
        2_000,
      );
      await expect(hangs).rejects.toMatchObject({
        code: "ERR_COMMAND_FAILED",
        problem: expect.stringContaining("did not end within 2 s, and was ended"),
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
  const surroundings = surroundingsOf({}, { workingFolder: folder });
  const signals = Array.from({ length: 12 }, () => new AbortController().signal);
  const outputs = signals.map((signal, count) =>
    outputOf(node(`console.log(${count})`), origin, surroundings, { signal, log }),
  );
  expect(counts()).toEqual(before.map((count) => count + 1));
  expect((await Promise.all(outputs)).map(String)).toContain("11\n");
  expect(counts()).toEqual(before);
  expect(signals.flatMap((signal) => getEventListeners(signal, "abort"))).toEqual([]);
  process.off("warning", note);
  expect(warnings).toEqual([]);
});

(process.platform === "win32" ? test.skip : test)(
  "a signal to the provider ends a command, and is not its failure",
  async () => {
    // As the provider has: the signal does not end this process.
    const stays = () => {};
    process.on("SIGHUP", stays);
    const surroundings = surroundingsOf({}, { workingFolder: folder });
    const hangs = node("setInterval(() => {}, 1000)");
    const output = outputOf(hangs, origin, surroundings, {
      signal: new AbortController().signal,
      log,
    });
    process.emit("SIGHUP", "SIGHUP");
    await expect(output).rejects.toMatchObject({
      code: "ERR_CANCELLED",
      problem: expect.stringContaining("was ended: the provider got SIGHUP"),
    });
    process.off("SIGHUP", stays);
  },
);

test("a program that IAM_TOKENS_ALLOWED_COMMANDS does not list is not run", async () => {
  const list = (text: string) => ({ IAM_TOKENS_ALLOWED_COMMANDS: text });
  expect(await refusal(PRINTS, list("op"))).toMatch(
    /^The program ".*" \(password_command .* may not be used: .*\[ERR_COMMAND_NOT_ALLOWED\]$/,
  );
  expect(runs()).toBe(0);
  expect(await refusal(PRINTS, list(`op,${process.execPath}`))).toBe("pw");
});

describe("how often it is asked", () => {
  const reference: SecretReference = { kind: "command", command: PRINTS, origin };

  test("once for all tokens at once, and for later ones, until the secret is refused; then at most once a minute", async () => {
    let now = 0;
    const { reader } = readerOf({}, () => now);
    const { signal } = new AbortController();
    const read = () => reader.read(reference, { signal, log }, false);
    await Promise.all(Array.from({ length: 100 }, read));
    now += 3_600_000;
    await read();
    expect(runs()).toBe(1);
    reader.refused(reference);
    await read();
    now += 59_999;
    await read();
    expect(runs()).toBe(1);
    now += 1;
    await read();
    expect(runs()).toBe(2);
    now += 3_600_000;
    await read();
    expect(runs()).toBe(2);
  });

  test("an identity token is read again after a minute", async () => {
    let now = 0;
    const { reader, identity } = readerOf(
      { ACTIONS_ID_TOKEN_REQUEST_URL: "https://x.test", ACTIONS_ID_TOKEN_REQUEST_TOKEN: "b" },
      () => now,
    );
    const { signal } = new AbortController();
    const asked: SecretReference = { kind: "audience", audience: "a", origin: "oidc_audience" };
    for (const time of [0, 59_999, 60_000, 60_001]) {
      now = time;
      await reader.read(asked, { signal, log }, true);
    }
    expect(identity.audiences).toEqual(["a", "a"]);
    // A clock that was set back says nothing.
    now = 59_999;
    await reader.read(asked, { signal, log }, true);
    await reader.read({ ...asked, audience: "b" }, { signal, log }, true);
    expect(identity.audiences).toEqual(["a", "a", "a", "b"]);
  });

  test("another command is another secret", async () => {
    const { reader } = readerOf();
    const read = (command: Command) =>
      reader.read(
        { kind: "command", command, origin },
        { signal: new AbortController().signal, log },
        false,
      );
    expect((await read(PRINTS)).reveal()).toBe("pw");
    expect((await read(node("console.log('other')"))).reveal()).toBe("other");
  });

  test("a failure is not kept, and the end of one waiting operation does not end the command", async () => {
    const { reader } = readerOf();
    const { signal } = new AbortController();
    const fails: SecretReference = { kind: "command", command: node("process.exit(1)"), origin };
    for (let time = 0; time < 2; time++)
      await expect(reader.read(fails, { signal, log }, false)).rejects.toThrow(/exited with 1/);
    const first = new AbortController();
    const one = reader.read(reference, { signal: first.signal, log }, false);
    const other = reader.read(reference, { signal, log }, false);
    first.abort();
    await expect(one).rejects.toMatchObject({ code: "ERR_CANCELLED" });
    expect((await other).reveal()).toBe("pw");
    expect(runs()).toBe(1);
  });
});

test.each<{ variables: Record<string, string>; says: RegExp }>([
  {
    variables: {},
    says: /^oidc_audience asks GitHub Actions for an identity token, but ACTIONS_ID_TOKEN_REQUEST_URL and ACTIONS_ID_TOKEN_REQUEST_TOKEN are not set\. This process does not run in a job of GitHub Actions\. Elsewhere, the identity token comes from a variable, a file or a command\. \[/,
  },
  {
    variables: { GITHUB_ACTIONS: "true", ACTIONS_ID_TOKEN_REQUEST_URL: "https://x.test" },
    says: /This job of GitHub Actions may not get identity tokens\. Add "permissions: id-token: write" to the job, /,
  },
  {
    variables: { GITHUB_ACTIONS: "false", ACTIONS_ID_TOKEN_REQUEST_TOKEN: "b" },
    says: /does not run in a job of GitHub Actions/,
  },
])("an audience without GitHub's variables: $says", async ({ variables, says }) => {
  const { reader } = readerOf(variables);
  const { signal } = new AbortController();
  const asked: SecretReference = { kind: "audience", audience: "a", origin: "oidc_audience" };
  await expect(reader.read(asked, { signal, log }, true)).rejects.toMatchObject({
    code: "ERR_IDENTITY_TOKEN_UNAVAILABLE",
    message: expect.stringMatching(says),
  });
});

test.each([
  [
    "canary\r\nx-header: 1",
    "ERR_SECRET_UNUSABLE",
    "contains characters that a header cannot carry",
  ],
  ["canary\0", "ERR_SECRET_NOT_UTF8", "contains NUL bytes"],
])("a secret of the job is refused before a request: %j", async (bearer, code, why) => {
  const { reader, identity } = readerOf({
    ACTIONS_ID_TOKEN_REQUEST_URL: "https://x.test",
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: bearer,
  });
  const asked: SecretReference = { kind: "audience", audience: "a", origin: "oidc_audience" };
  const reading = reader.read(asked, { signal: new AbortController().signal, log }, true);
  await expect(reading).rejects.toMatchObject({
    code,
    problem: expect.stringContaining(`ACTIONS_ID_TOKEN_REQUEST_TOKEN ${why}`),
    message: expect.not.stringContaining("canary"),
  });
  expect(identity.audiences).toEqual([]);
});

test("an identity token that is empty is refused", async () => {
  const { reader, identity } = readerOf({
    ACTIONS_ID_TOKEN_REQUEST_URL: "https://x.test",
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: "b",
  });
  identity.requestIdentityToken = async () => Secret.of("");
  const asked: SecretReference = { kind: "audience", audience: "a", origin: "oidc_audience" };
  await expect(
    reader.read(asked, { signal: new AbortController().signal, log }, true),
  ).rejects.toThrow(/^The identity token of GitHub Actions is empty\. .*\[ERR_SECRET_EMPTY\]$/);
});
