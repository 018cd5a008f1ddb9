/** A server for one launch: the launcher with the hand-over switched off. */

import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect as connectTo } from "node:net";
import path from "node:path";
import { connect as connectByTls } from "node:tls";
import { createServerIdentity } from "../../../lib/plugin/tls/server-identity";
import { describeIf } from "../../support/skips";
import { placeIn } from "../fixtures/grpc-client";
import { handoverStage } from "../fixtures/handover-stage";

// After each test, the stage looks for processes and files that are left.
const stage = handoverStage();
const terraform = () => stage.terraform({ ECHO_HANDOVER: "0" });
const launch = (more: Readonly<Record<string, string>> = {}) =>
  terraform().launch(stage.executable, more);

/** A script in the place of the launcher, whose path it gets. */
function script(text: string): string {
  const file = path.join(stage.scratch.folder, "script");
  writeFileSync(file, `#!/bin/sh\nset -- '${stage.executable}'\n${text}\n`, { mode: 0o755 });
  return file;
}

/** A launch by Node.js itself, with a file that it loads before the provider. */
const launchBy = (required: string, more: Readonly<Record<string, string>> = {}) => {
  const start = `exec '${process.execPath}' --require '${required}' "\${1%/*}/main.cjs"`;
  return terraform().launch(script(start), more);
};

test.each([
  [
    "nothing of Terraform's",
    { TF_PLUGIN_MAGIC_COOKIE: "" },
    /^This program is the Terraform provider "echo"/,
  ],
  [
    "a certificate that is none",
    { PLUGIN_CLIENT_CERT: "canary" },
    /^The provider "echo" cannot start \(\w+( \w+)?\)\.$/,
  ],
])("a start by %s prints why on standard output and exits with 1", async (_, env, expected) => {
  const { line, exited } = await launch(env);
  expect(await line).toMatch(expected);
  expect(await exited).toMatchObject({ code: 1 });
});

test("exits after its last connection; the socket's folder has gone with the first: even a killed provider leaves nothing", async () => {
  const [one, killed] = [await launch(), await launch()];
  const client = await stage.connected(one);
  await stage.connected(killed);
  expect(stage.scratch.leftovers()).toEqual([]);
  process.kill(killed.pid, "SIGKILL");
  await client.end();
  expect(await one.exited).toMatchObject({ code: 0 });
});

test("no signal ends it: SIGHUP does nothing, SIGINT and SIGTERM end its waits; it ends with Terraform", async () => {
  const launched = await launch();
  const client = await stage.connected(launched);
  process.kill(launched.pid, "SIGHUP");
  expect(await client.ping()).toBe(0);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.kill(launched.pid, signal);
  expect(await client.ping()).toBe(0);
  await stage.end(launched, client);
});

test("exits if nobody connects within a minute, which passes in an instant here", async () => {
  const hurry = path.join(stage.scratch.folder, "hurry.cjs");
  const shorter = "(then, ms, ...more) => after(then, ms === 60_000 ? 500 : ms, ...more)";
  writeFileSync(hurry, `const after = setTimeout; globalThis.setTimeout = ${shorter};`);
  const { line, exited } = await launchBy(hurry);
  expect(await line).toMatch(/^1\|6\|unix\|/);
  expect(await exited).toEqual({ code: 0, signal: null });
});

test("exits when the process that started it is killed before it has connected", async () => {
  const parent = terraform();
  expect(await (await parent.launch(stage.executable)).line).toMatch(/^1\|6\|unix\|/);
  await parent.end("SIGKILL");
});

test("exits if nobody reads its line, as when Terraform was killed early", async () => {
  const { exited } = await terraform().launch(script('"$1" | :'));
  expect(await exited).toMatchObject({ code: 0 });
});

describe("on Windows, where it listens on a port", () => {
  const launchThere = (more: Readonly<Record<string, string>> = {}) =>
    launchBy(path.join(__dirname, "../fixtures/as-on-windows.cjs"), more);

  test("Terraform finds it at the loopback address, and ends it; another client of the port gets no answer", async () => {
    const launched = await launchThere();
    const line = await launched.line;
    const [, port] = /^1\|6\|tcp\|127\.0\.0\.1:(\d+)\|/.exec(line) ?? [];
    const place = { host: "127.0.0.1", port: Number(port), ca: placeIn(line).ca };
    for (const socket of [
      connectTo(place),
      connectByTls({ ...place, ALPNProtocols: ["h2"], servername: "localhost" }),
    ]) {
      socket.on("error", () => undefined).resume();
      socket.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
      await once(socket, "close");
    }
    const stranger = await launched.connect(createServerIdentity());
    expect(await stranger.ping()).toBeUndefined();
    await stage.end(launched);
  });

  test("reports missing TLS, its only way to recognize Terraform, and does not start", async () => {
    const { line, exited } = await launchThere({ PLUGIN_CLIENT_CERT: "" });
    expect(await line).toMatch(/^On Windows .* needs TLS.*: unset TF_DISABLE_PLUGIN_TLS\.$/);
    expect(await exited).toMatchObject({ code: 1 });
  });
});

/** Mounts for one command, which sees only its own processes: as a hardened pod has them. */
const POD = `mount --bind "\${1%/*}" /mnt
mount -t tmpfs -o mode=0777 tmpfs /tmp
mount -t tmpfs -o mode=0777 tmpfs /dev/shm
mount -t tmpfs -o ro tmpfs /var/tmp
mount -o remount,bind,ro /`;
const NAMESPACES = ["-mpf", "--kill-child", "--mount-proc"];
const isRoot = process.getuid?.() === 0;
const hasPods =
  isRoot && spawnSync("unshare", [...NAMESPACES, "mount", "-t", "tmpfs", "x", "/mnt"]);

describeIf(hasPods && hasPods.status === 0, "not root, or no mounts for a command")(
  "where each folder that can be written is writable for everybody, and not sticky",
  () => {
    const SERVES = /^1\|6\|unix\|\/tmp\/(mine\/)?tfp-\w+\/s\|grpc\|/;
    const REFUSES =
      /^No folder for the provider's socket: "\/tmp" \(other users may rename what is in it\), "\/var\/tmp" \(EROFS\), "\/dev\/shm" \(other users may rename what is in it\)\. Set TMPDIR to .* sticky/;
    test.each<[string, string, Record<string, string>, RegExp]>([
      ["serves, as there are no other users", ":", {}, SERVES],
      ["serves below such a folder", "mkdir -m 700 /tmp/mine", { TMPDIR: "/tmp/mine" }, SERVES],
      ["does not without mutual TLS", ":", { PLUGIN_CLIENT_CERT: "" }, REFUSES],
      ["takes one that is sticky", "chmod +t /dev/shm", {}, /unix\|\/dev\/shm\/tfp-/],
      [
        "does not if another user has a process",
        "setpriv --reuid 12345 sleep 9 & until grep -q 12345 /proc/*/status; do :; done",
        {},
        REFUSES,
      ],
      [
        "does not if another user has a file there",
        "touch /tmp/x /dev/shm/x; chown 12345 /*/x /dev/shm/x",
        {},
        REFUSES,
      ],
      ["does not where another user owns it", "chown 12345 /tmp /dev/shm", {}, REFUSES],
    ])("it %s", async (_, before, more, expected) => {
      const file = script(
        `exec unshare ${NAMESPACES.join(" ")} /bin/sh -c '${POD}\n${before}\nexec /mnt/"\${1##*/}"' sh "$1"`,
      );
      const { line, pid } = await terraform().launch(file, { TMPDIR: "", ...more });
      try {
        expect(await line).toMatch(expected);
      } finally {
        // The rest ends with it. One that refuses may have ended already.
        try {
          process.kill(pid, "SIGKILL");
        } catch (error) {
          expect(error).toMatchObject({ code: "ESRCH" });
        }
      }
    });

    test("the hand-over takes a sticky /dev/shm", async () => {
      const pod = `${POD}\nchmod +t /dev/shm\nexec /mnt/"\${1##*/}"`;
      const parent = stage.terraform();
      const { line } = await parent.launch(script(`exec unshare -m /bin/sh -c '${pod}' sh "$1"`));
      expect(await line).toMatch(/^1\|6\|unix\|\/dev\/shm\/echo-/);
      await parent.end();
    });
  },
);
