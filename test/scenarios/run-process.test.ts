import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startCommand } from "../support/command";
import { canListProcesses, markedProcesses, pidOf, stillRunning } from "../support/processes";
import { makeScratch, type Scratch } from "../support/scratch";
import { describeIf, testIf } from "../support/skips";
import {
  IAM_TOKENS,
  iamTokens,
  type RunOptions,
  socketFolders,
  startIamTokens,
} from "./run-support";

jest.setTimeout(60_000);

const withProc = testIf(canListProcesses(), "no /proc to find the provider in");
const hasScript = spawnSync("script", ["--version"]).status === 0;

let scratch: Scratch;
beforeEach(() => {
  scratch = makeScratch();
});
afterEach(async () => {
  const left = { processes: await stillRunning(scratch.marker), files: scratch.leftovers() };
  scratch.remove();
  expect(left).toEqual({ processes: [], files: [] });
});

/** Notes each signal, says so, and ends when the last of them has come; by itself after a while. */
const NOTING = `
const { appendFileSync } = require("node:fs");
const [, file, ...until] = process.argv;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"]) {
  process.on(signal, () => {
    appendFileSync(file, signal + "\\n");
    console.log("got " + signal);
    if (signal === until[0]) until.shift();
    if (until.length === 0) setTimeout(() => process.exit(42), 300);
  });
}
setTimeout(() => process.exit(3), 55_000);
console.log("ready");
`;
const noting = (...until: readonly string[]) => [
  process.execPath,
  "-e",
  NOTING,
  join(scratch.folder, "noted"),
  ...until,
];
const noted = () => readFileSync(join(scratch.folder, "noted"), "utf8").trim().split("\n");

const run = (args: readonly string[], more: Partial<RunOptions> = {}) =>
  iamTokens(["run", ...args], { scratch, ...more });
const start = (args: readonly string[], more: Partial<RunOptions> = {}) =>
  startIamTokens(["run", ...args], { scratch, ...more });
const providerOf = (marker = scratch.marker) =>
  markedProcesses(marker).find(({ command }) => /attached\.js/.test(command));

describe("exit codes", () => {
  test.each([
    ["of the command", ["sh", "-c", "exit 7"], 7],
    ["of a command that kill -9 has ended", ["sh", "-c", "kill -9 $$"], 137],
    ["of a command that SIGTERM has ended", ["sh", "-c", "kill -TERM $$"], 143],
    ["for a command that is not found", ["no-such-command"], 127],
    ["for a command whose interpreter is not found", ["./script"], 127],
    ["for a file that is not executable", ["./plain"], 126],
    ["for a folder", ["./folder"], 126],
  ])("%s: %j is %i", async (_what, command, exitCode) => {
    writeFileSync(join(scratch.folder, "script"), "#!/no/such/interpreter\n");
    chmodSync(join(scratch.folder, "script"), 0o755);
    writeFileSync(join(scratch.folder, "plain"), "x");
    mkdirSync(join(scratch.folder, "folder"));
    const result = await run(["--", ...command]);
    expect(result).toMatchObject({ exitCode, stdout: "" });
    if (exitCode === 126 || exitCode === 127)
      expect(result.stderr).toMatch(/\[ERR_COMMAND_NOT_RUN\]/);
    else expect(result.stderr).toBe("");
  });

  test.each([
    [["--"], {}, "No command is given."],
    [[], {}, "No command is given."],
    [["--json", "no/such/folder/x.json", "--", "touch", "started"], {}, "--json"],
    [["--json", ".", "--", "touch", "started"], {}, "--json"],
    [["--misspelt", "--", "touch", "started"], {}, "Unknown option"],
    [["--", "touch", "started"], { TF_REATTACH_PROVIDERS: "not JSON" }, "TF_REATTACH_PROVIDERS"],
  ])("%j with %j is a usage error before anything is started", async (args, env, said) => {
    const result = await run(args, { env });
    expect(result).toMatchObject({ exitCode: 2, stdout: "" });
    expect(result.stderr).toContain(said);
    expect(result.stderr).toMatch(/\[ERR_USAGE\]\n$/);
    expect(existsSync(join(scratch.folder, "started"))).toBe(false);
  });
});

describe("the command", () => {
  test.each([
    [["./show"], ["--version"]],
    [["--quiet", "./show"], ["--help"]],
    [["--quiet", "--", "./show"], ["help"]],
    [["./show"], ["-json", "--quiet", "--no-such-option", "--", "-x"]],
  ])(
    "begins with the first word that is not an option, in %j: it gets %j itself",
    async (given, args) => {
      const show = '#!/bin/sh\nprintf "<%s>" "$@"\n';
      writeFileSync(join(scratch.folder, "show"), show, { mode: 0o755 });
      const shown = args.map((arg) => `<${arg}>`).join("");
      expect(await run([...given, ...args])).toMatchObject({ exitCode: 0, both: shown });
    },
  );

  test("has its own input and output, with nothing in between, and never in a mode that it did not request", async () => {
    const script = `
      for fd in 0 1 2; do
        readlink /proc/self/fd/$fd
        sed -n 's/^flags:[^0-9]*//p' /proc/$$/fdinfo/$fd
      done`;
    const direct = await startCommandAlone(script);
    // After a while, too: who shares a pipe could still change its mode.
    const byRun = await run(["--", "sh", "-c", `sleep 0.3; ${script}`]);
    const shape = (text: string) => text.replaceAll(/\[\d+\]/g, "[…]");
    expect(shape(byRun.stdout)).toBe(shape(direct));
  });

  test("has the outer environment with two more variables", async () => {
    const show = [process.execPath, "-e", "console.log(JSON.stringify(process.env))"];
    const result = await run(["--", ...show], { env: { OWN: "1", NODE_OPTIONS: "--no-warnings" } });
    const env = JSON.parse(result.stdout) as Record<string, string>;
    expect(env).toMatchObject({
      OWN: "1",
      NODE_OPTIONS: "--no-warnings",
      CDKTF_SKIP_PROVIDER_LOCK: "true",
    });
    expect(Object.keys(JSON.parse(env.TF_REATTACH_PROVIDERS ?? ""))).toEqual([
      "npm.invalid/cdktf-iam-tokens/iam",
    ]);
  });
});

describeIf(hasScript, "there is no script command here to make a terminal with")(
  "at a terminal",
  () => {
    /**
     * Runs it at a terminal of its own; what is typed comes when the command says that it is ready.
     */
    async function typing(command: string, what: string): Promise<string> {
      const recording = join(scratch.folder, "recording");
      const typed = `until grep -q ready '${recording}' 2>/dev/null; do sleep 0.05; done; printf '${what}'; sleep 1`;
      const line = `trap : INT; '${process.execPath}' '${IAM_TOKENS}' run -- ${command}; echo "code=$?"; stty -a | grep -o ' echo '`;
      writeFileSync(join(scratch.folder, "line"), line);
      const script = startCommand(
        "sh",
        ["-c", `(${typed}) | script -qfec 'sh line' '${recording}'`],
        {
          cwd: scratch.folder,
          env: scratch.env,
        },
      );
      return (await script.finished).text;
    }

    test("the command has the terminal: input, output, colours, the foreground; afterwards the terminal is restored", async () => {
      const text = await typing(
        "sh -c 'test -t 0 && test -t 1 && test -t 2 && echo ready && read answer && echo got $answer'",
        "yes\\r",
      );
      expect(text).toMatch(/ready[\s\S]*got yes[\s\S]*code=0\s+ echo/);
    });

    test("a typed Ctrl-C reaches the command once", async () => {
      writeFileSync(
        join(scratch.folder, "noting.js"),
        NOTING.replace("[, file, ...until]", "[, , file, ...until]"),
      );
      const text = await typing(`'${process.execPath}' noting.js noted SIGINT`, "\\003");
      expect(text).toMatch(/got SIGINT[\s\S]*code=42/);
      expect(noted()).toEqual(["SIGINT"]);
    });

    test("a terminal that is closed is SIGHUP for the command, and its exit code stays", async () => {
      const file = (name: string) => join(scratch.folder, name);
      const command = `sh -c 'trap "exit 42" HUP; touch ready; while :; do sleep 0.1; done'`;
      writeFileSync(
        file("line"),
        `trap : HUP; '${process.execPath}' '${IAM_TOKENS}' run -- ${command}; echo $? >code`,
      );
      const terminal = startCommand("script", ["-qfec", "sh line", "/dev/null"], {
        cwd: scratch.folder,
        env: scratch.env,
      });
      while (!existsSync(file("ready"))) await new Promise((resolve) => setTimeout(resolve, 10));
      terminal.signalAlone("SIGKILL");
      await terminal.finished;
      expect(await stillRunning(scratch.marker)).toEqual([]);
      expect(readFileSync(file("code"), "utf8")).toBe("42\n");
    });
  },
);

describe("signals", () => {
  test.each([
    ["to the whole group reaches the command", "signalGroup"],
    ["to only run is passed on,", "signalAlone"],
  ] as const)("each %s once", async (_what, send) => {
    const signals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const;
    const command = start(["--", ...noting(...signals)]);
    await command.printed(/ready/);
    for (const signal of signals) {
      command[send](signal);
      await command.printed(new RegExp(`got ${signal}`));
    }
    expect((await command.finished).exitCode).toBe(42);
    expect(noted()).toEqual(signals);
  });

  withProc("a signal before there is a command ends all", async () => {
    const command = start(["--", ...noting("SIGTERM")]);
    // As soon as the provider is being started.
    while (providerOf() === undefined) await new Promise((resolve) => setTimeout(resolve, 1));
    command.signalAlone("SIGTERM");
    const { exitCode } = await command.finished;
    // Whichever was first: the signal, or the command, which then has got it.
    expect([143, 42]).toContain(exitCode);
  });
});

describe("unexpected ends", () => {
  withProc(
    "kill -9 of the provider is reported at once with its cause; the command goes on, and its exit code stays its own",
    async () => {
      const command = start(["--", ...noting("SIGUSR1")]);
      await command.printed(/ready/);
      process.kill(pidOf(providerOf()), "SIGKILL");
      await command.printed(
        /The provider ended during the command \(SIGKILL\).*\[ERR_RUN_PROVIDER_FAILED\]/,
      );
      expect(socketFolders(scratch)).toEqual([]);
      command.signalAlone("SIGUSR1");
      expect((await command.finished).exitCode).toBe(42);
    },
  );

  withProc("a provider that was killed leaves no summary, nor that of an earlier run", async () => {
    const file = join(scratch.folder, "tokens.json");
    await run(["--json", file, "--", "true"]);
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ total: { uses: 0 } });
    const command = start(["--json", file, "--", ...noting("SIGUSR1")]);
    await command.printed(/ready/);
    process.kill(pidOf(providerOf()), "SIGKILL");
    await command.printed(/ERR_RUN_PROVIDER_FAILED/);
    command.signalAlone("SIGUSR1");
    expect((await command.finished).exitCode).toBe(42);
    expect(readFileSync(file, "utf8")).toBe("");
  });

  withProc(
    "kill -9 of run itself: the provider notices, and is gone with its folder; the command goes on",
    async () => {
      const command = start(["--", ...noting("SIGUSR1")]);
      await command.printed(/ready/);
      expect(socketFolders(scratch)).toHaveLength(1);
      process.kill(command.pid, "SIGKILL");
      while (providerOf() !== undefined) await new Promise((resolve) => setTimeout(resolve, 10));
      expect(socketFolders(scratch)).toEqual([]);
      command.signalGroup("SIGUSR1");
      await command.printed(/got SIGUSR1/);
      await command.finished;
    },
  );
});

/** The output of a shell without run around it, with the same input and output. */
async function startCommandAlone(script: string): Promise<string> {
  return (
    await startCommand("sh", ["-c", script], { cwd: scratch.folder, env: scratch.env }).finished
  ).stdout;
}
