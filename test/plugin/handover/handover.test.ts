/**
 * One server for all launches of one process: what is started here is what Terraform starts, by a
 * process like Terraform.
 */
import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
} from "node:fs";
import path from "node:path";
import { createServerIdentity } from "../../../lib/plugin/tls/server-identity";
import { stillRunning } from "../../support/processes";
import { describeIf } from "../../support/skips";
import { writeEchoPackage } from "../fixtures/echo-package";
import { PROVIDER } from "../fixtures/grpc-client";
import {
  environmentOf,
  handoverStage,
  linkOf,
  startTimeOf,
  untilGone,
} from "../fixtures/handover-stage";
import { launchVariables } from "../fixtures/launching-process";

/**
 * Debian's sh is dash, Alpine's is busybox, Red Hat's is bash: /bin/sh is one of these. Another one
 * is tried if a variable names it: TEST_SHELL=/opt/bash-3.2/bin/bash.
 */
const SHELLS = ["/bin/dash", "/bin/bash --posix", "/bin/busybox sh"].concat(
  process.env.TEST_SHELL ?? [],
);

describeIf(process.platform === "linux", "the hand-over is for Linux only")("a launch", () => {
  const stage = handoverStage();
  const { terraform, folderOf, servers, connected, led, leading, onlyServer, shutDown, ownServer } =
    stage;

  for (const shell of SHELLS)
    describeIf(existsSync(shell.split(" ")[0] ?? ""), "not here")(`by ${shell}`, () => {
      let launcher: string;
      beforeAll(async () => {
        launcher = await writeEchoPackage(
          path.join(stage.scratch.folder, `package of ${shell.replaceAll("/", " ")}`),
          { handover: true, shell },
        );
      });

      test("after the first is served by the server of the first, each ends by its own Shutdown, and the server with Terraform", async () => {
        const parent = terraform();
        const first = await parent.launch(launcher);
        const firstClient = await leading(first);
        const others = await Promise.all([
          parent.launch(launcher),
          parent.launch(launcher),
          parent.launch(launcher),
        ]);
        expect(new Set(await Promise.all([first, ...others].map(({ line }) => line))).size).toBe(1);
        expect(servers()).toHaveLength(1);
        const clients = await Promise.all(others.map(connected));
        await shutDown(firstClient);
        expect(await first.exited).toEqual({ code: 0, signal: null });
        for (const [index, client] of clients.entries()) {
          expect(await client.ping()).toBe(0);
          await shutDown(client);
          expect(await others[index]?.exited).toEqual({ code: 0, signal: null });
        }
        const late = await parent.launch(launcher);
        expect(await late.line).toBe(await first.line);
        await shutDown(await connected(late));
        await late.exited;
        expect(servers()).toHaveLength(1);
        await parent.end();
        expect(await stillRunning(stage.scratch.marker)).toEqual([]);
      });

      test("is not ended by Ctrl-C, which reaches all of the process group", async () => {
        const parent = terraform();
        const first = await parent.launch(launcher);
        await leading(first);
        const second = await parent.launch(launcher);
        const client = await connected(second);
        for (const { pid } of [first, second]) process.kill(pid, "SIGINT");
        process.kill(await onlyServer(), "SIGINT");
        expect(await client.ping()).toBe(0);
        await shutDown(client);
        expect(await second.exited).toEqual({ code: 0, signal: null });
      });

      test("ends when the server is killed, and the next has a server of its own", async () => {
        const parent = terraform();
        const first = await parent.launch(launcher);
        await leading(first);
        const second = await parent.launch(launcher);
        await connected(second);
        process.kill(await onlyServer(), "SIGKILL");
        await Promise.all([first.exited, second.exited]);
        const third = await parent.launch(launcher);
        expect(await third.line).not.toBe(await first.line);
        await shutDown(await connected(third));
        await third.exited;
      });

      test("has its own server if PATH has only Node.js", async () => {
        const bin = path.join(stage.scratch.tmp, "bin");
        mkdirSync(bin);
        symlinkSync(process.execPath, path.join(bin, "node"));
        const parent = terraform({ PATH: bin });
        await connected(await parent.launch(launcher));
        await ownServer(parent, launcher);
        await parent.end();
        spawnSync("rm", ["-r", bin]);
      });

      // Makefiles do so: `export SHELLOPTS := errexit:pipefail`. Where sh is bash, it begins with
      // them.
      test("has a server whatever options of a shell were exported", async () => {
        const SHELLOPTS = "errexit:noglob:nounset:pipefail";
        const parent = terraform({ SHELLOPTS });
        const first = await parent.launch(launcher);
        await leading(first);
        expect(await (await parent.launch(launcher)).line).toBe(await first.line);
      });
    });

  test("ends by its Shutdown, also when its client keeps the connection, which cannot come again", async () => {
    const { launched, client } = await led(terraform());
    expect(await client.shutdown()).toBe(0);
    expect(await launched.exited).toEqual({ code: 0, signal: null });
    const again = await launched.connect();
    expect(await again.ping()).toBeUndefined();
  });

  test("that is killed ends no other process", async () => {
    const parent = terraform();
    const { client } = await led(parent);
    const second = await parent.launch(stage.executable);
    await second.line;
    process.kill(second.pid, "SIGKILL");
    await second.exited;
    expect(await client.ping()).toBe(0);
    const third = await parent.launch(stage.executable);
    await connected(third);
    expect(servers()).toHaveLength(1);
  });

  test("leaves no process and no folder when Terraform is killed, whatever was under way", async () => {
    const parent = terraform();
    await led(parent);
    await connected(await parent.launch(stage.executable));
    await (await parent.launch(stage.executable)).line;
    await parent.end("SIGKILL");
    expect(await stillRunning(stage.scratch.marker)).toEqual([]);
    expect(stage.scratch.leftovers()).toEqual([]);
  });

  test("leaves none when Terraform is killed while the server's event loop is busy", async () => {
    const parent = terraform();
    const { launched, client } = await led(parent);
    await shutDown(client);
    await launched.exited;
    const busy = await connected(await parent.launch(stage.executable));
    await busy.unary(`${PROVIDER}GetFunctions`, new Uint8Array(20_000));
    process.kill(await onlyServer(), "SIGUSR2");
    await parent.end("SIGKILL");
    while (servers().length > 0) await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await stillRunning(stage.scratch.marker)).toEqual([]);
  }, 60_000);

  test("leaves none when Terraform is killed before it has connected", async () => {
    const parent = terraform();
    await (await parent.launch(stage.executable)).line;
    await parent.end("SIGKILL");
    expect(await stillRunning(stage.scratch.marker)).toEqual([]);
  });

  test("is awaited only for a while: then the server ends, and the next launch starts another", async () => {
    const parent = terraform({ ECHO_GRACE_MS: "50" });
    const { launched, client, server } = await led(parent);
    await shutDown(client);
    await launched.exited;
    await untilGone(server);
    expect(stage.scratch.leftovers()).toEqual([]);
    await connected(await parent.launch(stage.executable));
    expect(await onlyServer()).not.toBe(server);
  });

  test("takes a slot in a burst of its launches; one that finds none has a server of its own", async () => {
    const parent = terraform();
    const { launched } = await led(parent);
    const many = await Promise.all(
      Array.from({ length: 66 }, () => parent.launch(stage.executable)),
    );
    const lines = await Promise.all(many.map(({ line }) => line));
    const first = await launched.line;
    const shared = lines.filter((line) => line === first).length;
    // Further slots are made while they are taken.
    expect(shared).toBeGreaterThanOrEqual(24);
    expect(servers()).toHaveLength(1 + 66 - shared);
  }, 120_000);

  test("is checked: a process that Terraform has not started is refused, even when it says that it is one", async () => {
    const parent = terraform();
    const { launched } = await led(parent);
    const client = createServerIdentity();
    for (const [slot, pid] of ["$$", launched.pid].entries()) {
      // All as a launcher does it, but by a process that is not Terraform's child.
      const claim = [
        `cd '${folderOf(parent.pid)}'; n=${slot + 1}`,
        'exec 3<>"$n" 4<"$n" 3>&- 5<>control',
        `printf '%s\\n' "${pid}" '${path.dirname(stage.executable)}/main.cjs' "$PLUGIN_CLIENT_CERT" >"c$n"`,
        'echo "$n" >&5; exec 5>&-; read -r line <&4; echo "got: $line"',
      ].join("; ");
      const answer = spawnSync("/bin/sh", ["-c", claim], {
        env: { ...environmentOf(launched.pid), PLUGIN_CLIENT_CERT: client.certificatePem },
        encoding: "utf8",
        timeout: 50_000,
      });
      expect(answer.stdout).toBe("got: refused\n");
    }
    const stranger = await launched.connect(client);
    expect(await stranger.ping()).toBeUndefined();
  });

  test("is served by a process that keeps no file of Terraform open", async () => {
    const parent = terraform();
    const { launched, server } = await led(parent);
    const output = readlinkSync(`/proc/${launched.pid}/fd/1`);
    const open = readdirSync(`/proc/${server}/fd`).map((fd) => linkOf(`/proc/${server}/fd/${fd}`));
    expect(open).not.toContain(output);
    expect([0, 2].map((fd) => linkOf(`/proc/${server}/fd/${fd}`))).toEqual([
      "/dev/null",
      "/dev/null",
    ]);
    // And no secret is in its arguments.
    expect(readFileSync(`/proc/${server}/cmdline`, "latin1")).not.toMatch(/CERTIFICATE/);
  });

  test.each([
    ["", ":"],
    [", though it lies in the pipe", "head -c 1"],
  ])("without a reader of its line leaves no server%s", (_, reader) => {
    const launcher = spawn("sleep", ["30"], { env: stage.scratch.env, stdio: "ignore" });
    const place = path.join(stage.scratch.tmp, "echo-1-1");
    const args = [
      path.join(path.dirname(stage.executable), "main.cjs"),
      place,
      process.pid,
      startTimeOf(process.pid),
      launcher.pid,
    ];
    const shell = `node "$0" handover "$@" | ${reader}`;
    const ran = spawnSync("/bin/sh", ["-c", shell, ...args.map(String)], {
      env: {
        ...stage.scratch.env,
        ...launchVariables(),
      },
      timeout: 50_000,
    });
    launcher.kill();
    expect(ran).toMatchObject({ status: 0, signal: null });
  });

  test("in another PID namespace is not confused with one of this, although the folder has the same name", async () => {
    const parent = terraform();
    const { launched } = await led(parent);
    const inside = `
      read -r stat </proc/$$/stat; set -- \${stat##*") "}
      mv '${folderOf(parent.pid)}' "$TMPDIR/echo-$$-\${20}"
      '${stage.executable}' </dev/null >"$HOME/line" & sleep 0.1; wait_for() { while [ ! -s "$HOME/line" ]; do sleep 0.02; done; }; wait_for
      mv "$TMPDIR/echo-$$-\${20}" '${folderOf(parent.pid)}'
      kill $!; wait`;
    const ran = spawnSync("unshare", ["--pid", "--fork", "--mount-proc", "/bin/sh", "-c", inside], {
      env: {
        ...stage.scratch.env,
        ...launchVariables(),
      },
      encoding: "utf8",
      timeout: 50_000,
    });
    if (ran.status !== 0)
      return console.warn(`skipped: no PID namespace can be made here (${ran.stderr})`);
    const line = readFileSync(path.join(stage.scratch.home, "line"), "utf8");
    expect(line).toMatch(/^1\|6\|unix\|.*\/tfp-/);
    expect(line).not.toContain(await launched.socket());
  });
});
