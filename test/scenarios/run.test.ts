import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startCommand } from "../support/command";
import { someOf } from "../support/fuzz";
import { canListProcesses, markedProcesses, pidOf } from "../support/processes";
import { testIf } from "../support/skips";
import { IAM_TOKENS, scenarios, socketFolders, startIamTokens } from "./world";

const withProc = testIf(canListProcesses(), "no /proc to find the provider in");
const atTerminal = testIf(
  spawnSync("script", ["--version"]).status === 0,
  "there is no script command here to make a terminal with",
);

/** Notes each signal, says so, and ends when the last of them has come; by itself after a while. */
const NOTING = `
const { appendFileSync } = require("node:fs");
const until = process.argv.slice(2);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"]) {
  process.on(signal, () => {
    appendFileSync("noted", signal + "\\n");
    console.log("got " + signal);
    if (signal === until[0]) until.shift();
    if (until.length === 0) setTimeout(() => process.exit(42), 300);
  });
}
setTimeout(() => process.exit(3), 55_000);
console.log("ready");
`;

// After each, the world looks for processes and files that are left.
// docs/run.md: `run` forwards those that it alone receives
scenarios("iam-tokens run", (stage) => {
  const path = (name: string) => join(stage().scratch.folder, name);
  const run = (...args: readonly string[]) => stage().cli(["run", ...args]);
  const noted = () => readFileSync(path("noted"), "utf8").trim().split("\n");
  const provider = () =>
    markedProcesses(stage().scratch.marker).find(({ command }) => /attached\.js/.test(command));

  /** A command that notes its signals, when it is ready. */
  async function noting(until: readonly string[]) {
    writeFileSync(path("noting.js"), NOTING);
    const command = [process.execPath, "noting.js", ...until];
    const { scratch } = stage();
    const running = startIamTokens(["run", "--", ...command], { scratch });
    await running.printed(/ready/);
    return running;
  }

  const CODES: readonly [exitCode: number, what: string, args: readonly string[], code: string][] =
    [
      [7, "of the command", ["--", "sh", "-c", "exit 7"], ""],
      [137, "of a command that kill -9 has ended", ["--", "sh", "-c", "kill -9 $$"], ""],
      [127, "for a command that is not found", ["--", "no-such-command"], "not found"],
      [127, "for an interpreter that is not found", ["--", "./script"], "not found"],
      [126, "for a file that is not executable", ["--", "./plain"], "ermission denied"],
      [126, "for a folder", ["--", "./folder"], ""],
      [2, "without a command", ["--"], "ERR_USAGE"],
      [2, "for an unknown option", ["--misspelt", "--", "touch", "started"], "ERR_USAGE"],
      [
        2,
        "for a withheld variable that is not set",
        ["--withhold", "NOT_SET", "touch", "started"],
        "ERR_USAGE",
      ],
      [
        2,
        "for a withheld value",
        ["--withhold", "A=canary", "--", "touch", "started"],
        "ERR_USAGE",
      ],
      [
        2,
        "for one of a variable's values",
        ["--withhold", "canary", "--", "touch", "started"],
        "ERR_USAGE",
      ],
    ];
  test.each(someOf(CODES))("the exit code is %i: that %s", async (exitCode, _what, args, code) => {
    writeFileSync(path("script"), "#!/no/such/interpreter\n", { mode: 0o755 });
    writeFileSync(path("plain"), "x");
    mkdirSync(path("folder"));
    const { stderr, ...ended } = await stage().cli(["run", ...args], { env: { A: "canary" } });
    expect(ended).toMatchObject({ exitCode, stdout: "" });
    expect(stderr).toContain(code);
    expect(stderr).not.toContain("canary");
    expect(existsSync(path("started"))).toBe(false);
    expect(readFileSync(path("script"), "utf8")).toMatch(/^#!/);
  });

  test.each([
    [["./show"], ["--version"]],
    [["--quiet", "--", "./show"], ["help"]],
    [["./show"], ["-json", "--quiet", "--no-such-option", "--", "-x"]],
  ])(
    "the command begins with the first word that is not an option, in %j, and gets %j",
    async (given, args) => {
      writeFileSync(path("show"), '#!/bin/sh\nprintf "<%s>" "$@"\n', { mode: 0o755 });
      const both = args.map((arg) => `<${arg}>`).join("");
      expect(await run(...given, ...args)).toMatchObject({ exitCode: 0, both });
    },
  );

  test("the command has the outer environment with two more variables, and its own input and output, in the mode that it has without run", async () => {
    const script = `
      for fd in 0 1 2; do
        readlink /proc/self/fd/$fd
        sed -n 's/^flags:[^0-9]*//p' /proc/$$/fdinfo/$fd
      done
      env | grep -v "^_=" | sort`;
    const { scratch } = stage();
    const env = { ...scratch.env, CHECKPOINT_DISABLE: "1", TF_IN_AUTOMATION: "1", TF_INPUT: "0" };
    const direct = await startCommand("sh", ["-c", script], { cwd: scratch.folder, env }).finished;
    // After a while, too: who shares a pipe could still change its mode.
    const others = { TF_REATTACH_PROVIDERS: '{"a/b/c":{}}' };
    const words = ["run", "--", "sh", "-c", `sleep 0.3; ${script}`];
    const { stdout } = await stage().cli(words, { env: others });
    expect(stdout).toContain('={"a/b/c":{},"npm.invalid');
    const added = /^(CDKTF_SKIP_PROVIDER_LOCK=true|TF_REATTACH_PROVIDERS=\{.*\})\n/gm;
    expect(stdout.match(added)).toHaveLength(2);
    const shape = (text: string) => text.replace(added, "").replaceAll(/\[\d+\]/g, "[…]");
    expect(shape(stdout)).toBe(shape(direct.stdout));
  });

  atTerminal(
    "the command has the terminal, which is restored afterwards; a typed Ctrl-C reaches it once",
    async () => {
      writeFileSync(path("noting.js"), NOTING);
      const command = `sh -c 'test -t 0 && test -t 1 && test -t 2 && read answer && echo got $answer && exec "${process.execPath}" noting.js SIGINT'`;
      const line = `trap : INT; echo asks; '${process.execPath}' '${IAM_TOKENS}' run -- ${command}; echo "code=$?"; stty -a | grep -o ' echo '`;
      writeFileSync(path("line"), line);
      const until = (what: string) =>
        `until grep -q ${what} recording 2>/dev/null; do sleep 0.05; done`;
      const typed = `${until("asks")}; printf 'yes\\r'; ${until("ready")}; printf '\\003'; ${until("code")}`;
      const { scratch } = stage();
      const { text } = await startCommand(
        "sh",
        ["-c", `(${typed}) | script -qfec 'sh line' recording`],
        { cwd: scratch.folder, env: scratch.env },
      ).finished;
      expect(text).toMatch(/got yes[\s\S]*got SIGINT[\s\S]*code=42\s+ echo/);
      expect(noted()).toEqual(["SIGINT"]);
    },
  );

  atTerminal(
    "a terminal that is closed is SIGHUP for the command, and its exit code stays",
    async () => {
      const command = `sh -c 'trap "exit 42" HUP; touch ready; while :; do sleep 0.1; done'`;
      const line = `trap : HUP; '${process.execPath}' '${IAM_TOKENS}' run -- ${command}; echo $? >code; touch done`;
      writeFileSync(path("line"), line);
      const { scratch } = stage();
      const options = { cwd: scratch.folder, env: scratch.env };
      const terminal = startCommand("script", ["-qfec", "sh line", "/dev/null"], options);
      const made = async (name: string) => {
        while (!existsSync(path(name))) await new Promise((resolve) => setTimeout(resolve, 10));
      };
      await made("ready");
      terminal.signalAlone("SIGKILL");
      await terminal.finished;
      await made("done");
      expect(readFileSync(path("code"), "utf8")).toBe("42\n");
    },
  );

  test.each([
    ["to the whole group reaches the command", "signalGroup"],
    ["to run alone is passed on,", "signalAlone"],
  ] as const)("each signal %s once", async (_what, send) => {
    const signals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const;
    const command = await noting(signals);
    for (const signal of signals) {
      command[send](signal);
      await command.printed(new RegExp(`got ${signal}`));
    }
    expect((await command.finished).exitCode).toBe(42);
    expect(noted()).toEqual(signals);
  });

  withProc("a signal before there is a command is its end: none is started", async () => {
    const { scratch } = stage();
    const running = startIamTokens(["run", "--", "touch", "started"], { scratch });
    while (provider() === undefined) await new Promise((resolve) => setTimeout(resolve, 1));
    const starting = pidOf(provider());
    process.kill(starting, "SIGSTOP");
    running.signalAlone("SIGINT");
    await new Promise((resolve) => setTimeout(resolve, 100));
    process.kill(starting, "SIGCONT");
    expect((await running.finished).exitCode).toBe(130);
    expect(existsSync(path("started"))).toBe(false);
  });

  withProc(
    "kill -9 of the provider is reported at once; the command goes on, and its exit code is run's",
    async () => {
      const command = await noting(["SIGUSR1"]);
      process.kill(pidOf(provider()), "SIGKILL");
      await command.printed(/The provider ended .*\(SIGKILL\)/);
      expect(socketFolders(stage().scratch)).toEqual([]);
      command.signalAlone("SIGUSR1");
      expect((await command.finished).exitCode).toBe(42);
    },
  );

  withProc(
    "kill -9 of run itself: the provider is gone with its folder, and the command goes on",
    async () => {
      const command = await noting(["SIGUSR1"]);
      expect(socketFolders(stage().scratch)).toHaveLength(1);
      process.kill(command.pid, "SIGKILL");
      while (provider() !== undefined) await new Promise((resolve) => setTimeout(resolve, 10));
      expect(socketFolders(stage().scratch)).toEqual([]);
      command.signalGroup("SIGUSR1");
      await command.printed(/got SIGUSR1/);
      await command.finished;
    },
  );
});
