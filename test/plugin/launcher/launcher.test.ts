import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { cleanEnvironment } from "../../../lib/plugin/launcher/clean-environment";
import { someOf } from "../../support/fuzz";
import { packageRoot } from "../../support/project";
import { useScratch } from "../../support/scratch";
import { testIf } from "../../support/skips";
import { LAUNCHER, LAUNCHER_WITH_NODE } from "../fixtures/launcher-texts";

function run(
  [file = "", ...args]: readonly string[],
  env: NodeJS.ProcessEnv = { PATH: process.env.PATH },
  cwd = "/",
) {
  const { stdout, stderr, status } = spawnSync(file, args, { env, cwd, encoding: "utf8" });
  return { stdout, stderr, status };
}

/** Empty if it is not here. */
const programPath = (program: string) =>
  run(["/bin/sh", "-c", `command -v ${program}`]).stdout.trim();

/**
 * The shells that there are. Debian's sh is dash, Alpine's is busybox, macOS's is bash: it is one
 * of these.
 */
const SHELLS = [["dash"], ["bash", "--posix"], ["busybox", "sh"]].flatMap(
  ([program = "", ...args]) => (programPath(program) ? [[programPath(program), ...args]] : []),
);

testIf(programPath("shellcheck") !== "", "no shellcheck")(
  "shellcheck has no remark about the launcher",
  () => {
    const launcher = path.join(packageRoot, "lib/plugin/launcher/launcher.sh");
    expect(run(["shellcheck", launcher])).toMatchObject({ stdout: "", status: 0 });
  },
);

const scratch = useScratch("block");

/** They make Node.js load, print or trust something else, or stop its start. */
const HOSTILE = [
  ...["OPTIONS", "TLS_REJECT_UNAUTHORIZED", "DEBUG", "DEBUG_NATIVE", "V8_COVERAGE", "PATH"],
  ...["COMPILE_CACHE", "REDIRECT_WARNINGS", "REPL_EXTERNAL_MODULE", "PRESERVE_SYMLINKS"],
  ...["PRESERVE_SYMLINKS_MAIN", "PENDING_DEPRECATION", "ICU_DATA", "CHANNEL_FD", "UNIQUE_ID"],
  ...["CHANNEL_SERIALIZATION_MODE", "TEST_CONTEXT", "USE_ENV_PROXY"],
]
  .map((name) => `NODE_${name}`)
  .concat("WATCH_REPORT_DEPENDENCIES", "OPENSSL_CONF", "OPENSSL_MODULES", "OPENSSL_ENGINES");

const REPORT = `console.log(JSON.stringify({
  env: process.env, file: __filename, execArgv: process.execArgv,
  core: require("node:child_process").execFileSync("/bin/sh", ["-c", "ulimit -c"], { encoding: "utf8" }),
}));`;

let count = 0;
/** A folder with the launcher and a main.cjs, by default one that reports how it was started. */
function lightFolderOf(name = "it", main = REPORT): { folder: string; executable: string } {
  count += 1;
  const folder = path.join(scratch.folder, String(count), name);
  mkdirSync(folder, { recursive: true });
  const executable = path.join(folder, "terraform-provider-echo_v1.0.0");
  writeFileSync(executable, LAUNCHER.script, { mode: 0o755 });
  writeFileSync(path.join(folder, "main.cjs"), main);
  writeFileSync(path.join(folder, "provider.cjs"), "console.log('loaded')");
  return { folder, executable };
}

const PATH = `${path.dirname(process.execPath)}:/usr/bin:/bin`;

/** Adds a Node.js to a launcher's folder, which the launcher then starts. */
function addNode(
  folder: string,
  text = `#!/bin/sh\nFROM=beside exec ${process.execPath} "$@"\n`,
): void {
  mkdirSync(path.join(folder, "node"));
  writeFileSync(path.join(folder, "node/node"), text, { mode: 0o755 });
  const [name = ""] = readdirSync(folder).filter((file) => file.startsWith("terraform-"));
  writeFileSync(path.join(folder, name), LAUNCHER_WITH_NODE.script, { mode: 0o755 });
}

const FLAVOURS = ["of PATH", "next to it"] as const;

describe.each(
  someOf(SHELLS).flatMap((shell) =>
    FLAVOURS.map((node) => [shell.join(" "), node, shell] as const),
  ),
)("the launcher in %s, with the Node.js %s,", (_, node, shell) => {
  const folderOf = (...args: Parameters<typeof lightFolderOf>) => {
    const made = lightFolderOf(...args);
    if (node === "next to it") addNode(made.folder);
    return made;
  };
  /** How main.cjs was started. */
  const report = (executable: string, env: NodeJS.ProcessEnv = {}, cwd?: string) => {
    // Terraform's own limit may be a generous one.
    const generous = ["/bin/sh", "-c", 'ulimit -c unlimited 2>/dev/null; exec "$0" "$@"'];
    const started = run([...generous, ...shell, executable], { PATH, ...env }, cwd);
    expect(started.stderr).toBe("");
    return JSON.parse(started.stdout);
  };

  test("starts main.cjs in its own folder, of any name, without core files and debugger", () => {
    const { folder, executable } = folderOf(`a 'b" $(touch x) \`c\` -n ü`);
    expect(report(executable)).toMatchObject({
      file: path.join(folder, "main.cjs"),
      execArgv: ["--inspect-port=240.0.0.1:9229"],
      core: "0\n",
      env:
        node === "of PATH"
          ? expect.not.objectContaining({ FROM: "beside" })
          : { FROM: "beside", PATH },
    });
  });

  test("is found by a relative path and by links, also where readlink knows no -f (macOS 12.2)", () => {
    const { folder, executable } = folderOf();
    const bin = path.join(path.dirname(folder), "bin");
    mkdirSync(bin);
    // A link's own target is all that it knew.
    const readlink = `#!/bin/sh\ncase $1 in -[!-]*) echo "illegal option" >&2; exit 1 ;; esac\nexec ${programPath("readlink")} "$@"\n`;
    writeFileSync(path.join(bin, "readlink"), readlink, { mode: 0o755 });
    symlinkSync(path.relative(bin, executable), path.join(bin, "second"));
    symlinkSync("second", path.join(bin, "first"));
    symlinkSync(folder, path.join(bin, "linked"));
    const name = path.basename(executable);
    for (const [file, cwd] of [
      [`./${name}`, folder],
      [name, folder],
      [path.join(bin, "linked", name), "/"],
      [path.join(bin, "first"), "/"],
      ["first", bin],
    ] as const)
      expect(report(file, { PATH: `${bin}:${PATH}` }, cwd).file).toBe(
        path.join(folder, "main.cjs"),
      );
  });

  test("removes variables that would change Node.js, and passes the certificates on", () => {
    const { executable } = folderOf();
    const hostile = Object.fromEntries(HOSTILE.map((name) => [name, "/tmp/none"]));
    const certificates = { NODE_EXTRA_CA_CERTS: "/etc/company's.pem" };
    const { env } = report(executable, { ...hostile, ...certificates, OTHER: "stays" });
    for (const name of [...HOSTILE, "NODE_EXTRA_CA_CERTS"]) expect(env).not.toHaveProperty(name);
    expect(env).toMatchObject({ OTHER: "stays", ECHO_EXTRA_CA_CERTS: "/etc/company's.pem" });
    const mine = { ECHO_EXTRA_CA_CERTS: "mine" };
    expect(report(executable, { ...mine, NODE_EXTRA_CA_CERTS: "" }).env).toMatchObject(mine);
    expect(env).not.toHaveProperty("NODE_USE_SYSTEM_CA");
    for (const options of ["--use-system-ca", "--no-warnings  --use-system-ca"]) {
      const expected = { NODE_USE_SYSTEM_CA: "1" };
      expect(report(executable, { NODE_OPTIONS: options }).env).toMatchObject(expected);
      expect(cleanEnvironment({ NODE_OPTIONS: options }, "E")).toMatchObject(expected);
    }
  });

  test("says on standard output, where Terraform shows it, that Node.js is missing", () => {
    const { folder, executable } = folderOf();
    // One that cannot be started is not used.
    if (node === "next to it") chmodSync(path.join(folder, "node/node"), 0o644);
    expect(run([...shell, executable], { PATH: "/nowhere" })).toMatchObject({
      stdout:
        'The Terraform provider "echo" needs Node.js 20.18.1 or newer, and there is no "node" in PATH.\n',
      status: 1,
    });
  });
});

test("SIGUSR1 opens no port: the debugger's address is none of this machine", async () => {
  const { executable } = lightFolderOf(
    "it",
    "setInterval(() => process.kill(process.pid, 'SIGUSR1'), 9)",
  );
  const started = spawn(executable, { env: { PATH }, stdio: ["ignore", "ignore", "pipe"] });
  const [said] = await once(started.stderr, "data");
  started.kill();
  expect(`${said}`).toMatch(/^Starting inspector on 240\.0\.0\.1:9229 failed/);
});

describe("main.cjs", () => {
  /** Runs it where `process.versions` has another entry. */
  const runAs = (program: string, version: string, ...args: readonly string[]) => {
    const main = JSON.stringify(path.join(lightFolderOf("it", LAUNCHER.main).folder, "main.cjs"));
    const pretend = `Object.defineProperty(process.versions, "${program}", { value: "${version}" });
      process.argv[1] = ${main}; require(${main});`;
    const { stdout, status } = run([process.execPath, "-e", pretend, "x", ...args], {});
    return [stdout, status];
  };

  test.each([
    ["0.10.48", false],
    ["20.9.0", false],
    ["20.18.0", false],
    ["20.18.1", true],
    ["26.1.0-nightly", true],
  ])("under Node.js %s loads the provider: %s", (version, loads) => {
    const refusal = `The Terraform provider "echo" needs Node.js 20.18.1 or newer; this is ${version}.\n`;
    expect(runAs("node", version)).toEqual(loads ? ["loaded\n", 0] : [refusal, 1]);
  });

  test.each(["bun", "deno"])(
    "under %s gives up a hand-over at once, and serves one launch",
    (name) => {
      expect(runAs(name, "1.0.0", "handover", "/nowhere", "1", "2", "3")).toEqual(["", 1]);
      expect(runAs(name, "1.0.0")).toEqual(["loaded\n", 0]);
    },
  );

  test("is plain ES5, which any Node.js can read", () => {
    expect(LAUNCHER.main).not.toMatch(/\b(const|let|async|class)\b|=>|`|\?\./);
  });
});
