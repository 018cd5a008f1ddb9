import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import path from "node:path";
import { packageRoot } from "../../support/project";
import { makeScratch, type Scratch } from "../../support/scratch";
import { testIf } from "../../support/skips";
import { LAUNCHER } from "../fixtures/launcher-texts";

/** Empty if it is not here. */
function programPath(program: string): string {
  const env = { PATH: process.env.PATH };
  const { stdout } = spawnSync("/bin/sh", ["-c", `command -v ${program}`], {
    env,
    encoding: "utf8",
  });
  return stdout.trim();
}

/**
 * The shells that there are. Debian's sh is dash, Alpine's is busybox, macOS's is bash: it is one
 * of these.
 */
const SHELLS = [["dash"], ["bash", "--posix"], ["busybox", "sh"]].filter(([program = ""]) =>
  programPath(program),
);

testIf(programPath("shellcheck") !== "", "no shellcheck")(
  "shellcheck has no remark about the launcher",
  () => {
    const launcher = path.join(packageRoot, "lib/plugin/launcher/launcher.sh");
    const { stdout, status } = spawnSync("shellcheck", [launcher], {
      env: { PATH: process.env.PATH },
      encoding: "utf8",
    });
    expect([stdout, status]).toEqual(["", 0]);
  },
);

let scratch: Scratch;
beforeAll(() => {
  scratch = makeScratch();
});
afterAll(() => scratch.remove());

/** They make Node.js load, print or trust something else, or stop its start. */
const HOSTILE = [
  ...["OPTIONS", "TLS_REJECT_UNAUTHORIZED", "DEBUG", "V8_COVERAGE", "PATH", "CHANNEL_FD"],
  ...["UNIQUE_ID", "USE_ENV_PROXY"],
]
  .map((name) => `NODE_${name}`)
  .concat("WATCH_REPORT_DEPENDENCIES", "OPENSSL_CONF", "OPENSSL_MODULES", "OPENSSL_ENGINES");

let count = 0;
/** A folder with the launcher, and a main.cjs that prints its environment and where it is. */
function folderOf(name: string): { folder: string; executable: string } {
  count += 1;
  const folder = path.join(scratch.folder, String(count), name);
  mkdirSync(folder, { recursive: true });
  const executable = path.join(folder, "terraform-provider-echo_v1.0.0");
  writeFileSync(executable, LAUNCHER.script, { mode: 0o755 });
  writeFileSync(
    path.join(folder, "main.cjs"),
    "console.log(JSON.stringify({ env: process.env, file: __filename }));",
  );
  return { folder, executable };
}

const nodeFolder = path.dirname(process.execPath);

function run(
  shell: readonly string[],
  executable: string,
  env: Record<string, string> = {},
  cwd = scratch.folder,
) {
  const [program = "sh", ...args] = shell;
  const result = spawnSync(program, [...args, executable], {
    env: { PATH: `${nodeFolder}:/usr/bin:/bin`, ...env },
    cwd,
    encoding: "utf8",
  });
  return {
    ...result,
    json: () => JSON.parse(result.stdout) as { env: Record<string, string>; file: string },
  };
}

describe.each(SHELLS.map((shell) => [shell.join(" "), shell] as const))(
  "the launcher in %s",
  (_, shell) => {
    test("starts main.cjs in its own folder, whatever the folder is called", () => {
      const { folder, executable } = folderOf(`a 'b" $(touch x) \`c\` -n ü`);
      expect(run(shell, executable).json().file).toBe(path.join(folder, "main.cjs"));
    });

    test("is found by a relative path, a linked folder, and links to it, also where readlink knows no -f, as on macOS before 12.3", () => {
      const { folder, executable } = folderOf("it");
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
      ] as const) {
        const env = { PATH: `${bin}:${nodeFolder}:/usr/bin:/bin` };
        expect(run(shell, file, env, cwd).json().file).toBe(path.join(folder, "main.cjs"));
      }
    });

    test("removes variables that would change Node.js, and passes the certificates on", () => {
      const { executable } = folderOf("it");
      const hostile: Record<string, string> = { NODE_EXTRA_CA_CERTS: "/etc/company's.pem" };
      for (const name of HOSTILE) hostile[name] = "/tmp/none";
      const { json, stderr } = run(shell, executable, { ...hostile, OTHER: "stays" });
      const { env } = json();
      expect(Object.keys(env).filter((name) => name in hostile)).toEqual([]);
      expect(env).toMatchObject({ OTHER: "stays", ECHO_EXTRA_CA_CERTS: "/etc/company's.pem" });
      expect(stderr).toBe("");
      const mine = { ECHO_EXTRA_CA_CERTS: "mine", NODE_EXTRA_CA_CERTS: "" };
      expect(run(shell, executable, mine).json().env).toMatchObject({
        ECHO_EXTRA_CA_CERTS: "mine",
      });
    });

    test("prevents core files and Node.js's debugger", () => {
      const { folder, executable } = folderOf("it");
      const printed = `require("node:child_process").execFileSync("sh", ["-c", "ulimit -c"], { encoding: "utf8" })`;
      writeFileSync(
        path.join(folder, "main.cjs"),
        `console.log(JSON.stringify([${printed}, process.execArgv]));`,
      );
      const generous = `ulimit -c unlimited 2>/dev/null; exec "$0" "$@"`;
      const { stdout } = run(["sh", "-c", generous, ...shell], executable);
      expect(JSON.parse(stdout)).toEqual(["0\n", ["--inspect-port=240.0.0.1:9229"]]);
    });

    testIf(process.platform === "linux", "no /proc")(
      "ignores SIGUSR1 until Node.js has begun, and does not end by it",
      () => {
        const { folder, executable } = folderOf("it");
        const node = path.join(folder, "node");
        writeFileSync(node, "#!/bin/sh\nexec cat /proc/self/status\n", { mode: 0o755 });
        const { stdout } = run(shell, executable, { PATH: `${folder}:/usr/bin:/bin` });
        const ignored = BigInt(`0x${/^SigIgn:\t(\w+)$/m.exec(stdout)?.[1]}`);
        expect(ignored & (1n << BigInt(constants.signals.SIGUSR1 - 1))).not.toBe(0n);
      },
    );

    test("says on standard output, where Terraform shows it, that Node.js is missing", () => {
      const { executable } = folderOf("it");
      const program = programPath(shell[0] ?? "");
      const { status, stdout } = run([program, ...shell.slice(1)], executable, {
        PATH: "/nowhere",
      });
      expect(stdout).toBe(
        'The Terraform provider "echo" needs Node.js 20.18.1 or newer, and there is no "node" in PATH.\n',
      );
      expect(status).toBe(1);
    });
  },
);

describe("main.cjs", () => {
  test.each([
    ["0.10.48", false],
    ["20.9.0", false],
    ["20.18.0", false],
    ["20.18.1", true],
    ["26.1.0-nightly", true],
  ])("under Node.js %s loads the provider: %s", (version, loads) => {
    const { folder } = folderOf("it");
    writeFileSync(path.join(folder, "main.cjs"), LAUNCHER.main);
    writeFileSync(path.join(folder, "provider.cjs"), "console.log('loaded')");
    const pretend = `Object.defineProperty(process.versions, "node", { value: "${version}" }); require("${folder}/main.cjs");`;
    const { stdout, status } = spawnSync(process.execPath, ["-e", pretend], {
      encoding: "utf8",
      env: {},
    });
    const refusal = `The Terraform provider "echo" needs Node.js 20.18.1 or newer; this is ${version}.\n`;
    expect([stdout, status]).toEqual(loads ? ["loaded\n", 0] : [refusal, 1]);
  });

  test.each(["bun", "deno"])(
    "under %s gives up a hand-over at once, and serves one launch",
    (name) => {
      const { folder } = folderOf("it");
      writeFileSync(path.join(folder, "main.cjs"), LAUNCHER.main);
      writeFileSync(path.join(folder, "provider.cjs"), "console.log('loaded')");
      const pretend = `Object.defineProperty(process.versions, "${name}", { value: "1.0.0" });
      process.argv[1] = "${folder}/main.cjs"; require(process.argv[1]);`;
      const ran = (...args: readonly string[]) => {
        const { stdout, status } = spawnSync(process.execPath, ["-e", pretend, "x", ...args], {
          encoding: "utf8",
          env: {},
        });
        return [stdout, status];
      };
      expect(ran("handover", "/nowhere", "1", "2", "3")).toEqual(["", 1]);
      expect(ran()).toEqual(["loaded\n", 0]);
    },
  );

  test("is plain ES5, which any Node.js can read", () => {
    expect(LAUNCHER.main).not.toMatch(/\b(const|let|async|class)\b|=>|`|\?\./);
  });
});
