/**
 * One server for all launches of one process: what is started here is what Terraform starts, by a
 * process like Terraform. After each test, the stage looks for processes and files that are left.
 */
import { spawn, spawnSync } from "node:child_process";
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  rmSync,
  symlinkSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { readProcessStat, startEnvironmentOf } from "../../../lib/plugin/handover/proc";
import { createServerIdentity } from "../../../lib/plugin/tls/server-identity";
import { someOf } from "../../support/fuzz";
import { describeIf, testIf } from "../../support/skips";
import { aMoment, handoverStage, openIn, STICKY, untilGone } from "../fixtures/handover-stage";
import { type LaunchingProcess, launchVariables } from "../fixtures/launching-process";

/**
 * Debian's sh is dash, Alpine's is busybox, Red Hat's is bash: /bin/sh is one of these. Another one
 * is tried if a variable names it: TEST_SHELL=/opt/bash-3.2/bin/bash.
 */
const SHELLS = ["/bin/dash", "/bin/bash --posix", "/bin/busybox sh"].concat(
  process.env.TEST_SHELL ?? [],
);

describeIf(process.platform === "linux", "the hand-over is for Linux only")("a launch", () => {
  const stage = handoverStage();
  const { terraform, folderOf, servers, connected, led, onlyServer, end, ownServer } = stage;

  for (const shell of someOf(SHELLS))
    describeIf(existsSync(shell.split(" ")[0] ?? ""), "it is not here")(`by ${shell}`, () => {
      let launcher: string;
      beforeAll(async () => {
        launcher = await stage.packageIn(`package of ${shell.replaceAll("/", " ")}`, { shell });
      });

      test("after the first is served by the server of the first, each ends with its own connection, and the server with Terraform", async () => {
        const parent = terraform();
        const first = await led(parent, launcher);
        const others = await Promise.all([1, 2, 3].map(() => parent.launch(launcher)));
        const clients = await Promise.all(others.map(connected));
        await end(first.launched, first.client);
        for (const [index, other] of others.entries()) {
          expect(await clients[index]?.ping()).toBe(0);
          await end(other, clients[index]);
        }
        const late = await parent.launch(launcher);
        await end(late);
        const lines = [first.launched, ...others, late].map(({ line }) => line);
        expect(new Set(await Promise.all(lines)).size).toBe(1);
        expect(servers()).toHaveLength(1);
      });

      test("is not ended by what a terminal or a CI system sends to all of the process group", async () => {
        const parent = terraform();
        const { launched, server } = await led(parent, launcher);
        const second = await parent.launch(launcher);
        const client = await connected(second);
        for (const pid of [launched.pid, second.pid, server])
          for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1"])
            process.kill(pid, signal);
        expect(await client.ping()).toBe(0);
        await end(second, client);
      });

      test("ends when the server is killed, and the next has a server of its own", async () => {
        const parent = terraform();
        const { launched, server } = await led(parent, launcher);
        const second = await parent.launch(launcher);
        await connected(second);
        process.kill(server, "SIGKILL");
        await Promise.all([launched.exited, second.exited]);
        const third = await parent.launch(launcher);
        expect(await third.line).not.toBe(await launched.line);
        await end(third);
      });

      test("has its own server if PATH has only Node.js", async () => {
        const bin = path.join(stage.scratch.home, "bin");
        mkdirSync(bin);
        symlinkSync(process.execPath, path.join(bin, "node"));
        const parent = terraform({ PATH: bin });
        await connected(await parent.launch(launcher));
        await ownServer(parent, launcher);
        rmSync(bin, { recursive: true });
      });

      // Makefiles do so: `export SHELLOPTS := errexit:pipefail`. Where sh is bash, it begins with
      // them.
      test("has a server whatever options of a shell were exported", async () => {
        const parent = terraform({ SHELLOPTS: "errexit:noglob:nounset:pipefail" });
        const { launched } = await led(parent, launcher);
        expect(await (await parent.launch(launcher)).line).toBe(await launched.line);
      });
    });

  test("ends with its connection, and its client cannot come again", async () => {
    const { launched, client } = await led(terraform());
    await client.end();
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
    await connected(await parent.launch(stage.executable));
    expect(servers()).toHaveLength(1);
  });

  test.each<[when: string, launch: (parent: LaunchingProcess) => Promise<unknown>]>([
    ["before it has connected", async (parent) => (await parent.launch(stage.executable)).line],
    [
      "while it is connected, and has launched more",
      async (parent) => {
        await led(parent);
        await connected(await parent.launch(stage.executable));
        await (await parent.launch(stage.executable)).line;
      },
    ],
  ])(
    "leaves nothing when Terraform is killed %s",
    async (_, launch) => {
      const parent = terraform();
      await launch(parent);
      await parent.end("SIGKILL");
      for (const { pid } of servers()) await untilGone(pid);
    },
    60_000,
  );

  test("is awaited only for a while: then the server ends, and the next launch starts another", async () => {
    const parent = terraform({ ECHO_GRACE_MS: "50" });
    const { launched, client, server } = await led(parent);
    await end(launched, client);
    await untilGone(server);
    expect(existsSync(folderOf(parent.pid))).toBe(false);
    await connected(await parent.launch(stage.executable));
    expect(onlyServer()).not.toBe(server);
  });

  test("is heard by a server that has opened its slot, and opens `control` only afterwards", async () => {
    const parent = terraform();
    const folder = folderOf(parent.pid);
    mkdirSync(folder, { mode: 0o700 });
    const [slot = "", control = ""] = ["1", "control"].map((name) => path.join(folder, name));
    spawnSync("mkfifo", [slot, control]);
    const answer = openSync(slot, "r+");
    const { pid, line, exited } = await parent.launch(stage.executable);
    const isWaiting = () =>
      openIn(pid)[0] === slot && /^State:\tS/m.test(readFileSync(`/proc/${pid}/status`, "latin1"));
    while (!isWaiting()) await aMoment();
    const hears = openSync(control, constants.O_RDWR | constants.O_NONBLOCK);
    const heard = Buffer.alloc(2);
    expect(readSync(hears, heard)).toBe(2);
    expect(heard.toString()).toBe("1\n");
    writeSync(answer, "1|6|unix|/s|grpc|\nend\n");
    expect(await line).toBe("1|6|unix|/s|grpc|");
    expect(await exited).toMatchObject({ code: 0 });
    for (const descriptor of [answer, hears]) closeSync(descriptor);
    rmSync(folder, { recursive: true });
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
    const entries = (startEnvironmentOf(launched.pid) ?? []).filter(Boolean);
    const environment = entries.map((entry) => entry.split(/=(.*)/s).slice(0, 2));
    for (const [slot, pid] of ["$$", launched.pid].entries()) {
      // All as a launcher does it, but by a process that is not Terraform's child.
      const claim = [
        `cd '${folderOf(parent.pid)}'; n=${slot + 1}`,
        'exec 3<>"$n" 4<"$n" 3>&- 5<>control',
        `printf '%s\\n' "${pid}" '${path.dirname(stage.executable)}/main.cjs' "$PLUGIN_CLIENT_CERT" >"c$n"`,
        'echo "$n" >&5; exec 5>&-; read -r line <&4; echo "got: $line"',
      ].join("; ");
      const answer = spawnSync("/bin/sh", ["-c", claim], {
        env: { ...Object.fromEntries(environment), PLUGIN_CLIENT_CERT: client.certificatePem },
        encoding: "utf8",
        timeout: 50_000,
      });
      expect(answer.stdout).toBe("got: refused\n");
    }
    const stranger = await launched.connect(client);
    expect(await stranger.ping()).toBeUndefined();
  });

  test("is served by a process that keeps no file of Terraform open, with no secret in its arguments", async () => {
    const { launched, server } = await led(terraform());
    const targets = [launched.pid, server].flatMap((pid) =>
      [0, 1, 2].map((descriptor) => readlinkSync(`/proc/${pid}/fd/${descriptor}`)),
    );
    expect(targets).toMatchObject({ 3: "/dev/null", 5: "/dev/null" });
    for (const target of targets.slice(1, 3)) expect(openIn(server)).not.toContain(target);
    expect(readFileSync(`/proc/${server}/cmdline`, "latin1")).not.toMatch(/CERTIFICATE/);
  });

  /** The environment of a shell that launches by itself. */
  const launching = () => ({ ...stage.scratch.env, ...launchVariables() });

  test("without a reader of its line leaves no server", () => {
    const launcher = spawn("sleep", ["30"], { env: stage.scratch.env, stdio: "ignore" });
    const args = [
      ...[path.join(path.dirname(stage.executable), "main.cjs"), folderOf(process.pid)],
      ...[process.pid, readProcessStat(process.pid)?.startTime, launcher.pid].map(String),
    ];
    const shell = 'node "$0" handover "$@" | :';
    const ran = spawnSync("/bin/sh", ["-c", shell, ...args], { env: launching(), timeout: 50_000 });
    launcher.kill();
    expect(ran).toMatchObject({ status: 0, signal: null });
  });

  testIf(
    spawnSync("unshare", ["--pid", "--fork", "--mount-proc", "true"]).status === 0,
    "no PID namespace can be made here",
  )(
    "in another PID namespace is not confused with one of this, although the folder has the same name",
    async () => {
      const parent = terraform();
      const { launched } = await led(parent);
      const inside = `
      read -r stat </proc/$$/stat; set -- \${stat##*") "}
      mv '${folderOf(parent.pid)}' "${STICKY}/echo-$$-\${20}"
      '${stage.executable}' </dev/null >"$HOME/line" & while [ ! -s "$HOME/line" ]; do sleep 0.02; done
      mv "${STICKY}/echo-$$-\${20}" '${folderOf(parent.pid)}'
      kill -9 $!; wait; rm -r "$TMPDIR"/tfp-*`;
      const ran = spawnSync(
        "unshare",
        ["--pid", "--fork", "--mount-proc", "/bin/sh", "-c", inside],
        {
          ...{ env: launching(), encoding: "utf8", timeout: 50_000 },
        },
      );
      expect(ran).toMatchObject({ status: 0 });
      const line = readFileSync(path.join(stage.scratch.home, "line"), "utf8");
      expect(line).toMatch(/^1\|6\|unix\|.*\/tfp-/);
      expect(line).not.toContain(await launched.socket());
    },
  );
});
