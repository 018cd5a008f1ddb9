import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { escapeTemplates } from "../../../lib/constructs/blocks/block";
import {
  HOOK_COMMAND,
  HOOK_LINE,
  HOOK_NAME,
  HOOK_SCRIPT,
  HOOK_TEXT,
} from "../../../lib/constructs/rotation/hook-script";
import { testIf } from "../../support/skips";
import { temporaryFolder } from "../../support/temporary-folder";

/** Runs a hook's command as Terraform does. */
function run(
  command: string,
  env: Readonly<Record<string, string>> = {},
  TMPDIR = temporaryFolder(),
  cwd = process.cwd(),
) {
  const texts = { [HOOK_SCRIPT]: HOOK_TEXT, [HOOK_COMMAND]: command, [HOOK_NAME]: "reload" };
  const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", HOOK_LINE], {
    encoding: "utf8",
    cwd,
    env: { PATH: process.env.PATH ?? "", TMPDIR, ...texts, TOKEN: "canary", ...env },
  });
  const files = readdirSync(TMPDIR).map((name) => join(TMPDIR, name));
  return { status, printed: stdout + stderr, files };
}

// SC2012: the fields of `ls -n` are read, not names of files.
const shellcheck = (input: string) =>
  spawnSync("shellcheck", ["-s", "sh", "-e", "SC2012", "-"], { input, encoding: "utf8" });

describe("a hook's script", () => {
  // The sh of macOS is bash 3.2, that of Debian dash, that of Alpine busybox.
  testIf(shellcheck("").status === 0, "no shellcheck")(
    "uses only features that every sh knows",
    () => {
      expect(shellcheck(HOOK_TEXT).stdout).toBe("");
      expect(shellcheck(`${HOOK_TEXT}[[ $1 == 0 ]]`).stdout).toContain("POSIX");
    },
  );

  it("prints and keeps nothing when the command succeeds", () => {
    expect(run('echo "$TOKEN"; echo "$TOKEN" >&2')).toEqual({ status: 0, printed: "", files: [] });
  });

  it.each([
    ["that ends with 3", "exit 3", 3],
    ["that is killed", "kill -9 $$", 137],
    ["that sh cannot read", "if", 2],
    ["that is not there", "exec no-such-command-here", 127],
  ])(
    "prints only the exit code of a command %s, and keeps its output for its owner",
    (_name, command, code) => {
      const { status, printed, files } = run(`echo "$TOKEN"\n${command}`);
      const [file = ""] = files;
      expect(status).toBe(code);
      expect(printed).toBe(
        `The hook ended with exit code ${code}. Its output is in ${file}, which only its owner can read: it may hold the token.\n`,
      );
      expect(statSync(file).mode & 0o777).toBe(0o600);
      if (command !== "if") expect(readFileSync(file, "utf8")).toMatch(/^canary\n/);
    },
  );

  it.each([
    ["prints only the exit code of a command that fails", "exit 3", 3],
    ["prints nothing of one that goes well", "true", 0],
  ])("drops the output if it cannot be stored, and %s", (_name, end, code) => {
    const bin = temporaryFolder();
    writeFileSync(join(bin, "mktemp"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    const command = `echo "$TOKEN"; ${end}`;
    const { status, printed } = run(command, { PATH: `${bin}:${process.env.PATH}` });
    expect(status).toBe(code);
    const why = "Its output was dropped: no folder is safe for it. Set TMPDIR to";
    expect(printed).toMatch(
      new RegExp(code === 0 ? "^$" : `^The hook ended with exit code 3. ${why} `),
    );
  });

  /** The folder of the output, with a TMPDIR and another folder to take. */
  const folderOf = (TMPDIR: string, other: string) => {
    const { printed } = run("exit 1", { TMPDIR, XDG_RUNTIME_DIR: other }, other);
    return dirname(/Its output is in (\S+),/.exec(printed)?.[1] ?? "");
  };

  it.each<[string, (folder: string) => void]>([
    ["others may write", (folder) => chmodSync(folder, 0o777)],
    ["a group may write", (folder) => chmodSync(folder, 0o770)],
    ["others may write to the folder above", (folder) => chmodSync(dirname(folder), 0o777)],
    ["there is nothing", (folder) => rmdirSync(folder)],
  ])("uses another folder than a TMPDIR where %s", (_name, change) => {
    const folder = join(temporaryFolder(), "t");
    const other = temporaryFolder();
    mkdirSync(folder);
    const linked = join(other, "link");
    symlinkSync(folder, linked);
    change(folder);
    for (const TMPDIR of [folder, linked]) expect(folderOf(TMPDIR, other)).toBe(other);
    expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([]);
  });

  testIf(process.getuid?.() === 0, "only root can make another user's folder")(
    "never uses another user's TMPDIR, who could replace the output before the command has it",
    () => {
      const theirs = temporaryFolder();
      const own = temporaryFolder();
      chownSync(theirs, 12_345, 12_345);
      for (const mode of [0o700, 0o755, 0o1777]) {
        chmodSync(theirs, mode);
        expect(folderOf(theirs, own)).toBe(own);
      }
      expect(readdirSync(theirs)).toEqual([]);
    },
  );

  it("leaves the environment unchanged except its own variables", () => {
    const given = { output: "kept", code: "kept", command: "kept" };
    const { files } = run(
      `echo "$output $code $command [$${HOOK_SCRIPT}$${HOOK_COMMAND}$${HOOK_NAME}]"; exit 1`,
      given,
    );
    expect(readFileSync(files[0] ?? "", "utf8")).toBe("kept kept kept []\n");
  });

  it.each([
    ["fails as well", "exit 1", 1],
    ["goes well", "true", 0],
  ])("removes the output of its earlier run when it %s", (_name, command, left) => {
    const folder = join(temporaryFolder(), 'it\'s a "folder"');
    mkdirSync(folder);
    const [first = ""] = run("exit 1", {}, folder).files;
    const { files } = run(command, {}, folder);
    expect(files).toHaveLength(left);
    expect(files).not.toContain(first);
  });

  it("leaves files of another hook, of another folder and behind a link alone", () => {
    const folder = temporaryFolder();
    const [first = ""] = run("exit 1", {}, folder).files;
    const elsewhere = join(temporaryFolder(), "kept");
    writeFileSync(elsewhere, "kept");
    symlinkSync(elsewhere, `${first}.link`);
    mkdirSync(`${first}.folder`);
    run("exit 1", { [HOOK_NAME]: "another" }, folder);
    run("exit 1", {}, folder, temporaryFolder());
    expect(readdirSync(folder)).toHaveLength(5);
    const { printed } = run("true", {}, folder);
    expect(printed).toBe("");
    expect([
      existsSync(first),
      existsSync(`${first}.folder`),
      readFileSync(elsewhere, "utf8"),
    ]).toEqual([false, true, "kept"]);
    expect(readdirSync(folder)).toHaveLength(3);
  });

  it("shows no token to a shell that traces", () => {
    expect(run('echo "$TOKEN"; exit 1', { SHELLOPTS: "xtrace" }).printed).not.toMatch("canary");
  });
});

it("a string for Terraform is literal except its CDK tokens", () => {
  expect(escapeTemplates("a ${b} %{c} $${d} ${TfToken[TOKEN.1]} $e")).toBe(
    "a $${b} %%{c} $$${d} ${TfToken[TOKEN.1]} $e",
  );
});
