import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { serverWith } from "../identity/support/against";
import { OUTDATED } from "../identity/support/certificates";
import { startCommand } from "../support/command";
import { packageRoot } from "../support/project";
import { useScratch } from "../support/scratch";
import { testIf } from "../support/skips";

const scratch = useScratch("block");

const main = join(packageRoot, "dist/cli/main.js");
const identityServer = join(packageRoot, "dist/testing/main.js");

/** The command in a separate process, as users run it. */
const started = (shell: string) =>
  spawnSync("/bin/sh", ["-c", shell], {
    cwd: scratch.folder,
    encoding: "utf8",
    env: { ...scratch.env, COMMAND: `${process.execPath} ${main}` },
  });

/** OpenSSL's settings for what it does not trust by default. */
const WEAK = `nodejs_conf = a
[a]
ssl_conf = b
[b]
system_default = c
[c]
CipherString = DEFAULT@SECLEVEL=0
`;

/** Gives `port`, where the process `server` accepts connections and answers nothing. */
const LISTEN = `
  cd "$(mktemp -d)"
  ${process.execPath} -e "require('net').createServer().listen(0, function () { console.log(this.address().port) })" >port & server=$!
  until port=$(cat port 2>/dev/null) && [ -n "$port" ]; do sleep 0.05; done`;

test("the bundled command works by itself, and its exit code is that of the process", () => {
  expect(started("$COMMAND --version")).toMatchObject({
    status: 0,
    stderr: "",
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  });
  expect(started("$COMMAND schedule --every 6h")).toMatchObject({ status: 0, stderr: "" });
  expect(started("$COMMAND schedule --every 12h").status).toBe(1);
  expect(started("$COMMAND schedule --every never").status).toBe(2);
});

test.each([
  ["iam-tokens", main],
  ["iam-tokens-identity-server", identityServer],
])("under an older Node.js %s says so at once", (name, program) => {
  const older = `Object.defineProperty(process.versions, "node", { value: "18.20.8" }); require("${program}")`;
  expect(
    spawnSync(process.execPath, ["-e", older, "--", "--help"], { encoding: "utf8", env: {} }),
  ).toMatchObject({
    status: 1,
    stdout: "",
    stderr: `${name} needs Node.js 20.18.1 or newer; this is 18.20.8.\n`,
  });
});

test("a reader that stops reading gets no stack trace, and the exit code stays", () => {
  const closed = "{ $COMMAND schedule --every 12h; echo $? >&2; } | true";
  expect(started(closed).stderr).toMatch(/^The schedule leaves a gap[^\n]*\n1\n$/);
  expect(started("$COMMAND schedule --every 6h >&-").status).not.toBeNull();
  expect(started("$COMMAND schedule --every 12h 2>&-").status).toBe(1);
});

test.each(["child_process", "*", "stream", "http,child", "NONE"])(
  "does nothing with NODE_DEBUG=%s, by which Node.js prints what it handles",
  (debug) => {
    const canary = "gAAAAA-canary-secret";
    for (const command of ["run -- echo started", "verify --auth-url http://127.0.0.1:9"]) {
      const shell = `echo ${canary} | NODE_DEBUG='${debug}' CANARY=${canary} $COMMAND ${command}`;
      const { status, stdout, stderr } = started(shell);
      expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
      expect(stderr).toMatch(/NODE_DEBUG is .* \[ERR_USAGE\]\n$/);
      // Node.js prints bytes in hex.
      for (const form of [
        canary,
        canary
          .split("")
          .map((c) => c.charCodeAt(0).toString(16))
          .join(" "),
      ])
        expect(stderr).not.toContain(form);
    }
  },
);

testIf(
  process.platform === "linux" && Number.parseInt(process.versions.node, 10) < 24,
  "ulimit -v limits nothing here",
)(
  "a limit on address space, which WebAssembly is over, is named at once, and not taken for a service that hangs up",
  () => {
    const result = started(
      `${LISTEN}
      export OS_AUTH_URL=http://127.0.0.1:$port OS_USERNAME=u OS_USER_DOMAIN_NAME=1 OS_PASSWORD=canary
      (ulimit -v 3000000; $COMMAND issue --scope account); code=$?; kill $server; exit $code`,
    );
    expect(result).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(
        /^The connection to 127\.0\.0\.1:\d+ failed \(ENOMEM\)\. [^\n]*ulimit -v[^\n]* \[ERR_CONNECTION_FAILED\]\n$/,
      ),
    });
  },
);

test("run under node --watch or with coverage starts a provider without either", () => {
  const result = started(
    `cd "$(mktemp -d)"; export NODE_V8_COVERAGE=$PWD/coverage WATCH_REPORT_DEPENDENCIES=1
    $COMMAND run -- echo started && grep -ho 'dist/cli/[a-z]*\\.js' coverage/* | sort -u`,
  );
  expect(result).toMatchObject({
    status: 0,
    stdout: "started\ndist/cli/main.js\ndist/cli/run.js\n",
  });
});

const SIGTERM_AT_START = `const all = require("node:child_process");
const { spawn } = all;
all.spawn = (...given) => (process.kill(process.pid, "SIGTERM"), spawn(...given));
`;

/** The environment that signs in at this machine. */
const signIn = (url: string) => ({
  ...{ ...scratch.env, OS_AUTH_URL: url, OS_USERNAME: "u" },
  ...{ OS_USER_DOMAIN_NAME: "1", OS_PASSWORD: "canary" },
});

// Not by its default action, which makes a core where the system has a place for one, or leaves the
// command that has just started again.
test.each([
  ["SIGQUIT (Ctrl-\\)", 131, ""],
  ["SIGQUIT (Ctrl-\\)", 131, "--no-warnings"],
  ["SIGTERM at its start", 143, "--require=./at-start.cjs"],
])("%s ends the command by its own handler, exit code %d, with NODE_OPTIONS=%s", async (...row) => {
  const [, exitCode, options] = row;
  const cwd = scratch.tmp;
  writeFileSync(join(cwd, "at-start.cjs"), SIGTERM_AT_START);
  const { url } = await serverWith("", undefined, () => child.kill("SIGQUIT"));
  const child = spawn(process.execPath, [main, "issue", "--scope", "account"], {
    cwd,
    // Empty, it counts as set.
    env: { ...signIn(`${url}/v3`), ...(options && { NODE_OPTIONS: options }) },
    stdio: "ignore",
  });
  expect(await once(child, "exit")).toEqual([exitCode, null]);
});

test.each([
  ["issue --scope account", "NODE_OPTIONS", "--tls-cipher-list=DEFAULT@SECLEVEL=0"],
  ["issue --scope account", "OPENSSL_CONF", "openssl.cnf"],
  // As pnpm exec passes it on.
  ["-- revoke", "OPENSSL_CONF", "openssl.cnf"],
])(
  "%s trusts no more than the provider with %s=%s, which the launcher removes",
  async (words, name, value) => {
    const secure = { ...OUTDATED.server, ciphers: "DEFAULT@SECLEVEL=0" };
    const { port } = await serverWith("", secure);
    const cwd = scratch.tmp;
    writeFileSync(join(cwd, "ca.pem"), OUTDATED.ca);
    writeFileSync(join(cwd, "openssl.cnf"), WEAK);
    const piped = `printf token | "$0" "$1" ${words}`;
    const { finished } = startCommand("sh", ["-c", piped, process.execPath, main], {
      cwd,
      env: { ...signIn(`https://127.0.0.1:${port}/v3`), OS_CACERT: "ca.pem", [name]: value },
    });
    const { stderr } = await finished;
    expect(stderr).toContain("too weak). No CA helps");
  },
);

test("a removed working folder is an error in one line, if the command needs a folder", () => {
  const removed = 'cd "$(mktemp -d)" && rmdir "$PWD"';
  for (const command of ["run -- true", "issue --project web", "doctor", "install mirror"]) {
    expect(started(`${removed} && $COMMAND ${command}`)).toMatchObject({
      status: 1,
      stdout: "",
      stderr: expect.stringMatching(
        /^The current folder no longer exists \(ENOENT\)\. [^\n]* \[ERR_WORKING_FOLDER_GONE\]\n$/,
      ),
    });
  }
  expect(started(`${removed} && $COMMAND --version`)).toMatchObject({ status: 0, stderr: "" });
  expect(started(`${removed} && $COMMAND no-such-command`).status).toBe(2);
  expect(started(`${removed} && ${process.execPath} ${identityServer} --help`)).toMatchObject({
    status: 0,
    stderr: "",
  });
});

test("a full disk is an error for the requested output, and changes no exit code when only messages are lost", () => {
  expect(started("$COMMAND schedule --every 6h >/dev/full")).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("Standard output cannot be written (ENOSPC)"),
  });
  expect(started("$COMMAND schedule --every never 2>/dev/full").status).toBe(2);
  expect(started("$COMMAND run -- no-such-command 2>/dev/full").status).toBe(127);
});

test("loads only the modules that a call needs: no parser of cron expressions for the version", () => {
  const { stdout } = started(
    `${process.execPath} -e 'process.argv = ["node", "x", "--version"]; require("${main}"); setImmediate(() => console.log(Object.keys(require.cache).length))'`,
  );
  expect(stdout.trim().split("\n").at(-1)).toBe("1");
});
