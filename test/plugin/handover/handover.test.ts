/**
 * One server for all launches of one process: what is started here is what Terraform starts, by a
 * process like Terraform.
 */
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { createServerIdentity } from "../../../lib/plugin/tls/server-identity";
import { markedProcesses, stillRunning } from "../../support/processes";
import { makeScratch, type Scratch } from "../../support/scratch";
import { describeIf } from "../../support/skips";
import { writeEchoPackage } from "../fixtures/echo-package";
import type { GrpcClient } from "../fixtures/grpc-client";
import { PROVIDER, SHUTDOWN } from "../fixtures/grpc-client";
import { type Launched, LaunchingProcess } from "../fixtures/launching-process";

jest.setTimeout(30_000);

const NOTHING = new Uint8Array(0);
const isRoot = process.getuid?.() === 0;

/** Debian's sh is dash, Alpine's is busybox, Red Hat's is bash. */
const SHELLS = ["/bin/sh", "/bin/dash", "/bin/bash --posix", "/bin/busybox sh"];

describeIf(process.platform === "linux", "the hand-over is for Linux only")("a launch", () => {
  let scratch: Scratch;
  let executable: string;
  const parents: LaunchingProcess[] = [];

  beforeAll(async () => {
    scratch = makeScratch();
    executable = await writeEchoPackage(path.join(scratch.folder, "package"), { handover: true });
  });
  afterEach(async () => {
    await Promise.all(parents.splice(0).map((parent) => parent.end()));
    expect(await stillRunning(scratch.marker)).toEqual([]);
    expect(scratch.leftovers()).toEqual([]);
  });
  afterAll(() => scratch.remove());

  function terraform(more: Readonly<Record<string, string>> = {}): LaunchingProcess {
    const parent = new LaunchingProcess({ ...scratch.env, ...more });
    parents.push(parent);
    return parent;
  }

  /** The folder of a process's hand-over. */
  const folderOf = (pid: number) => path.join(scratch.tmp, `echo-${pid}-${startTimeOf(pid)}`);
  const servers = () =>
    markedProcesses(scratch.marker).filter(({ command }) => /main\.cjs/.test(command));

  /** Launches, connects and asks for something, as Terraform does first. */
  async function connected(launched: Launched): Promise<GrpcClient> {
    const client = await launched.connect();
    expect((await client.unary(`${PROVIDER}GetFunctions`, NOTHING)).status).toBe(0);
    return client;
  }

  /** The first launch of a process, and its server ready for the next. */
  async function led(parent: LaunchingProcess, more: Readonly<Record<string, string>> = {}) {
    const launched = await parent.launch(executable, more);
    const client = await leading(launched);
    return { launched, client, server: await onlyServer() };
  }

  /** Connects as {@link connected} does. The server hears of other launches a moment later. */
  async function leading(launched: Launched): Promise<GrpcClient> {
    const client = await connected(launched);
    const folder = path.dirname(await launched.socket());
    const open = (pid: number) =>
      readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`));
    while (!servers().some(({ pid }) => open(pid).includes(path.join(folder, "control")))) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return client;
  }

  async function onlyServer(): Promise<number> {
    const [server, ...others] = servers();
    expect(others).toEqual([]);
    return server?.pid ?? -1;
  }

  async function shutDown(client: GrpcClient): Promise<void> {
    expect((await client.unary(SHUTDOWN, NOTHING)).status).toBe(0);
    await client.end();
  }

  async function ownServer(
    parent: LaunchingProcess,
    launcher: string,
    more: Readonly<Record<string, string>> = {},
  ) {
    const launched = await parent.launch(launcher, more);
    expect(path.basename(path.dirname(await launched.socket()))).toMatch(/^tfp-/);
    await shutDown(await connected(launched));
    expect(await launched.exited).toMatchObject({ code: 0 });
  }

  for (const shell of SHELLS)
    describeIf(existsSync(shell.split(" ")[0] ?? ""), "not here")(`by ${shell}`, () => {
      let launcher: string;
      beforeAll(async () => {
        launcher = await writeEchoPackage(
          path.join(scratch.folder, `package of ${shell.replaceAll("/", " ")}`),
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
          expect((await client.unary(`${PROVIDER}GetFunctions`, NOTHING)).status).toBe(0);
          await shutDown(client);
          expect(await others[index]?.exited).toEqual({ code: 0, signal: null });
        }
        const late = await parent.launch(launcher);
        expect(await late.line).toBe(await first.line);
        await shutDown(await connected(late));
        await late.exited;
        expect(servers()).toHaveLength(1);
        await parent.end();
        expect(await stillRunning(scratch.marker, 2_000)).toEqual([]);
      });

      test("is not ended by Ctrl-C, which reaches all of the process group", async () => {
        const parent = terraform();
        const first = await parent.launch(launcher);
        await leading(first);
        const second = await parent.launch(launcher);
        const client = await connected(second);
        for (const { pid } of [first, second]) process.kill(pid, "SIGINT");
        process.kill(await onlyServer(), "SIGINT");
        expect((await client.unary(`${PROVIDER}GetFunctions`, NOTHING)).status).toBe(0);
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

      test("has a server of its own where PATH has nothing but Node.js", async () => {
        const bin = path.join(scratch.tmp, "bin");
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
        const alone = terraform({ SHELLOPTS });
        writeFileSync(folderOf(alone.pid), "");
        await ownServer(alone, launcher);
        spawnSync("rm", [folderOf(alone.pid)]);
      });
    });

  test("only serves the client whose certificate it was started with", async () => {
    const parent = terraform();
    const { launched } = await led(parent);
    const stranger = await launched.connect(createServerIdentity());
    expect((await stranger.unary(`${PROVIDER}GetFunctions`, NOTHING)).status).toBeUndefined();
  });

  test("cannot come again after its Shutdown", async () => {
    const parent = terraform();
    const { launched, client } = await led(parent);
    await shutDown(client);
    await launched.exited;
    const again = await launched.connect();
    expect((await again.unary(`${PROVIDER}GetFunctions`, NOTHING)).status).toBeUndefined();
  });

  test("ends by its Shutdown, also when its client keeps the connection", async () => {
    const parent = terraform();
    const { launched, client } = await led(parent);
    expect((await client.unary(SHUTDOWN, NOTHING)).status).toBe(0);
    expect(await launched.exited).toEqual({ code: 0, signal: null });
  });

  test("that is killed takes nobody with it", async () => {
    const parent = terraform();
    const { client } = await led(parent);
    const second = await parent.launch(executable);
    await second.line;
    process.kill(second.pid, "SIGKILL");
    await second.exited;
    expect((await client.unary(`${PROVIDER}GetFunctions`, NOTHING)).status).toBe(0);
    const third = await parent.launch(executable);
    await connected(third);
    expect(servers()).toHaveLength(1);
  });

  test("leaves no process and no folder when Terraform is killed, whatever was under way", async () => {
    const parent = terraform();
    await led(parent);
    await connected(await parent.launch(executable));
    await (await parent.launch(executable)).line;
    await parent.end("SIGKILL");
    expect(await stillRunning(scratch.marker, 2_000)).toEqual([]);
    expect(scratch.leftovers()).toEqual([]);
  });

  test("leaves none either when Terraform is killed before it has connected", async () => {
    const parent = terraform();
    await (await parent.launch(executable)).line;
    await parent.end("SIGKILL");
    expect(await stillRunning(scratch.marker, 2_000)).toEqual([]);
  });

  test("of another process has another server", async () => {
    const one = await led(terraform());
    const two = await terraform().launch(executable);
    await connected(two);
    expect(await two.socket()).not.toBe(await one.launched.socket());
    expect(servers()).toHaveLength(2);
  });

  test("is awaited for a while only: then the server ends, and the next launch starts another", async () => {
    const parent = terraform({ ECHO_GRACE_MS: "50" });
    const { launched, client, server } = await led(parent);
    await shutDown(client);
    await launched.exited;
    await untilGone(server);
    expect(scratch.leftovers()).toEqual([]);
    const next = await parent.launch(executable);
    await connected(next);
    expect(await onlyServer()).not.toBe(server);
  });

  test("that comes while a connection is open finds the server, however long nothing was launched", async () => {
    const parent = terraform({ ECHO_GRACE_MS: "1" });
    const { launched } = await led(parent);
    expect(await (await parent.launch(executable)).line).toBe(await launched.line);
  });

  test("finds a slot after many others", async () => {
    const parent = terraform();
    const { launched } = await led(parent);
    const free = () =>
      readdirSync(folderOf(parent.pid)).filter((name) => /^[1-9]/.test(name)).length;
    for (let round = 0; round < 9; round += 1) {
      // More are made in good time; a burst that is quicker has servers of its own.
      while (free() < 10) await new Promise((resolve) => setTimeout(resolve, 10));
      const many = await Promise.all(Array.from({ length: 10 }, () => parent.launch(executable)));
      for (const one of many) expect(await one.line).toBe(await launched.line);
    }
    expect(servers()).toHaveLength(1);
  });

  describe("has a server of its own", () => {
    test.each<[string, Record<string, string>]>([
      ["another variable", { OTHER: "1" }],
      ["another value", { HOME: "/nowhere" }],
    ])("when its environment has %s than that of the first", async (_, more) => {
      const parent = terraform();
      await led(parent);
      await ownServer(parent, executable, more);
    });

    test.each<[string, Record<string, string>]>([
      ["it is switched off", { ECHO_HANDOVER: "0" }],
      ["Terraform wants logs", { TF_LOG: "debug" }],
      ["Terraform wants logs of providers", { TF_LOG_PROVIDER: "trace" }],
      ["there is no absolute folder for it", { TMPDIR: "." }],
    ])("when %s", async (_, more) => {
      await ownServer(terraform(more), executable);
    });

    // Its line is one of fields between bars: Terraform would wait a minute for a socket elsewhere.
    test.each(["a|b", "a\nb"])(
      "when the folder for it is called %j, which no handshake line can hold",
      async (name) => {
        const TMPDIR = path.join(scratch.tmp, name);
        mkdirSync(TMPDIR);
        await ownServer(terraform({ TMPDIR }), executable);
        rmdirSync(TMPDIR);
      },
    );

    test("when the program that it would start is another", async () => {
      const parent = terraform();
      const { launched } = await led(parent);
      const other = await writeEchoPackage(path.join(scratch.folder, "other package"), {
        handover: true,
      });
      expect(await (await parent.launch(other)).socket()).not.toBe(await launched.socket());
    });

    test("when the folder's place is taken by a file, a FIFO, or a link to a folder", async () => {
      const slots = ["1", "control"].map((name) => path.join(scratch.home, name));
      spawnSync("mkfifo", slots);
      for (const take of [
        (place: string) => writeFileSync(place, ""),
        (place: string) => spawnSync("mkfifo", [place]),
        (place: string) => symlinkSync(scratch.home, place),
      ]) {
        const parent = terraform();
        take(folderOf(parent.pid));
        await ownServer(parent, executable);
        expect(readdirSync(scratch.tmp)).toHaveLength(1);
        spawnSync("rm", [folderOf(parent.pid)]);
      }
      expect(readdirSync(scratch.home).sort()).toEqual(["1", "control"]);
      spawnSync("rm", slots);
    });

    test("when few files may be open, of which slots would take most", async () => {
      const limited = path.join(scratch.folder, "limited");
      writeFileSync(limited, `#!/bin/sh\nulimit -n 100\nexec '${executable}'\n`, { mode: 0o755 });
      const parent = terraform();
      const first = await parent.launch(limited);
      await connected(first);
      const second = await parent.launch(limited);
      expect(path.basename(path.dirname(await second.socket()))).toMatch(/^tfp-/);
      await shutDown(await connected(second));
      await second.exited;
    });

    test("when there is a folder already, with FIFOs that nobody serves", async () => {
      const parent = terraform();
      const place = folderOf(parent.pid);
      mkdirSync(place, { mode: 0o700 });
      spawnSync("mkfifo", [path.join(place, "control"), path.join(place, "1")]);
      await ownServer(parent, executable);
      spawnSync("rm", ["-r", place]);
    });

    test("when the folder was left behind by a server that was killed", async () => {
      const parent = terraform();
      const { launched, client, server } = await led(parent);
      await shutDown(client);
      await launched.exited;
      process.kill(server, "SIGKILL");
      await untilGone(server);
      await ownServer(parent, executable);
      spawnSync("rm", ["-r", folderOf(parent.pid)]);
    });

    (isRoot ? test : test.skip)(
      "when the folder is another user's, who answers in it",
      async () => {
        const parent = terraform();
        const place = folderOf(parent.pid);
        mkdirSync(place, { mode: 0o777 });
        spawnSync("mkfifo", [path.join(place, "control"), path.join(place, "1")]);
        for (const file of [place, path.join(place, "control"), path.join(place, "1")])
          chownSync(file, 12_345, 12_345);
        await ownServer(parent, executable);
        // Not even its certificate was written there.
        expect(readdirSync(place).sort()).toEqual(["1", "control"]);
        spawnSync("rm", ["-r", place]);
      },
    );

    test("when others may rename what is in the folder for temporary files", async () => {
      const open = path.join(scratch.tmp, "open");
      mkdirSync(open);
      chmodSync(open, 0o777);
      const parent = terraform({ TMPDIR: open });
      await ownServer(parent, executable);
      spawnSync("rm", ["-r", open]);
    });

    test("when the folder's path is too long for a socket", async () => {
      const long = path.join(scratch.tmp, "x".repeat(70));
      mkdirSync(long);
      const parent = terraform({ TMPDIR: long });
      await ownServer(parent, executable);
      spawnSync("rm", ["-r", long]);
    });
  });

  test.each([
    ["says who it is", () => "$$"],
    [
      "says that it is one that Terraform has started",
      (launched: Launched) => String(launched.pid),
    ],
  ])(
    "is taken for what it is: a process that Terraform has not started is refused, also when it %s",
    async (_, pidOf) => {
      const parent = terraform();
      const { launched } = await led(parent);
      const place = folderOf(parent.pid);
      // All as a launcher does it, but by a process that is not Terraform's child.
      const client = createServerIdentity();
      const claim = [
        `cd '${place}'`,
        "exec 3<>1 4<1 3>&- 5<>control",
        `printf '%s\\n' "${pidOf(launched)}" '${path.dirname(executable)}/main.cjs' "$PLUGIN_CLIENT_CERT" >c1`,
        "echo 1 >&5",
        "exec 5>&-",
        'read -r line <&4; echo "got: $line"',
      ].join("; ");
      const answer = spawnSync("/bin/sh", ["-c", claim], {
        env: { ...environmentOf(launched.pid), PLUGIN_CLIENT_CERT: client.certificatePem },
        encoding: "utf8",
        timeout: 10_000,
      });
      expect(answer.stdout).toBe("got: \n");
      const stranger = await launched.connect(client);
      expect((await stranger.unary(`${PROVIDER}GetFunctions`, NOTHING)).status).toBeUndefined();
    },
  );

  test("is served by a process that keeps nothing of Terraform's open", async () => {
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

  test("whose line nobody reads leaves no server", () => {
    const launcher = spawn("sleep", ["30"], { env: scratch.env, stdio: "ignore" });
    const place = path.join(scratch.tmp, "echo-1-1");
    const args = [
      path.join(path.dirname(executable), "main.cjs"),
      place,
      process.pid,
      startTimeOf(process.pid),
      launcher.pid,
    ];
    const ran = spawnSync("/bin/sh", ["-c", 'node "$0" handover "$@" | :', ...args.map(String)], {
      env: {
        ...scratch.env,
        TF_PLUGIN_MAGIC_COOKIE: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
        PLUGIN_PROTOCOL_VERSIONS: "5,6",
        PLUGIN_CLIENT_CERT: createServerIdentity().certificatePem,
      },
      timeout: 10_000,
    });
    launcher.kill();
    expect(ran).toMatchObject({ status: 0, signal: null });
  });

  test("in another PID namespace is not taken for one of this, though the folder has the name of its own", async () => {
    const parent = terraform();
    const { launched } = await led(parent);
    const inside = `
      read -r stat </proc/$$/stat; set -- \${stat##*") "}
      mv '${folderOf(parent.pid)}' "$TMPDIR/echo-$$-\${20}"
      '${executable}' </dev/null >"$HOME/line" & sleep 0.1; wait_for() { while [ ! -s "$HOME/line" ]; do sleep 0.02; done; }; wait_for
      mv "$TMPDIR/echo-$$-\${20}" '${folderOf(parent.pid)}'
      kill $!; wait`;
    const ran = spawnSync("unshare", ["--pid", "--fork", "--mount-proc", "/bin/sh", "-c", inside], {
      env: {
        ...scratch.env,
        TF_PLUGIN_MAGIC_COOKIE: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
        PLUGIN_PROTOCOL_VERSIONS: "5,6",
        PLUGIN_CLIENT_CERT: createServerIdentity().certificatePem,
      },
      encoding: "utf8",
      timeout: 20_000,
    });
    if (ran.status !== 0)
      return console.warn(`skipped: no PID namespace can be made here (${ran.stderr})`);
    const line = readFileSync(path.join(scratch.home, "line"), "utf8");
    expect(line).toMatch(/^1\|6\|unix\|.*\/tfp-/);
    expect(line).not.toContain(await launched.socket());
  });
});

function startTimeOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}

/** That with which a process was started, in its order. */
function environmentOf(pid: number): Record<string, string> {
  const entries = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").filter(Boolean);
  return Object.fromEntries(
    entries.map((entry) => [
      entry.slice(0, entry.indexOf("=")),
      entry.slice(entry.indexOf("=") + 1),
    ]),
  );
}

function linkOf(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return "";
  }
}

async function untilGone(pid: number): Promise<void> {
  while (existsSync(`/proc/${pid}/fd`) && readFileSync(`/proc/${pid}/cmdline`, "latin1") !== "") {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
