/** The process that Terraform starts, started by hand. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect as connectTo } from "node:net";
import path from "node:path";
import { connect as connectByTls } from "node:tls";
import { createServerIdentity } from "../../../lib/plugin/tls/server-identity";
import { stillRunning } from "../../support/processes";
import { makeScratch, type Scratch } from "../../support/scratch";
import { writeEchoPackage } from "../fixtures/echo-package";
import { connectBy, type GrpcClient, PROVIDER, placeIn } from "../fixtures/grpc-client";
import { launchVariables } from "../fixtures/launching-process";

let scratch: Scratch;
let executable: string;
const client = createServerIdentity();
const launch = launchVariables(client);

beforeAll(async () => {
  scratch = makeScratch();
  executable = await writeEchoPackage(path.join(scratch.folder, "package"));
});
const children: ChildProcess[] = [];
const clients: GrpcClient[] = [];
afterEach(async () => {
  // A test that has failed may have left them.
  await Promise.all(clients.splice(0).map((grpc) => grpc.end()));
  for (const child of children.splice(0)) child.kill("SIGKILL");
  expect(await stillRunning(scratch.marker)).toEqual([]);
  expect(scratch.leftovers()).toEqual([]);
});
afterAll(() => scratch.remove());

function start(
  env: Record<string, string>,
  command: readonly [string, ...string[]] = [executable],
) {
  const [file, ...args] = command;
  const child = spawn(file, args, {
    env: { ...scratch.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  let stdout = "";
  const line = new Promise<string>((resolve) => {
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      stdout += chunk;
      if (stdout.includes("\n")) resolve(stdout.slice(0, stdout.indexOf("\n")));
    });
  });
  const exited = once(child, "exit").then(([code]) => code as number | null);
  const connect = async (as = client) => {
    const grpc = connectBy(await line, as);
    clients.push(grpc);
    return grpc;
  };
  return { child, line, exited, connect, stdout: () => stdout };
}

test.each([
  ["nothing of Terraform's", {}, /^This program is the Terraform provider "echo"/],
  [
    "a certificate that is none",
    { ...launch, PLUGIN_CLIENT_CERT: "canary" },
    /^The provider "echo" cannot start \(\w+( \w+)?\)\.$/,
  ],
])(
  "a start by %s prints one line on standard output and exits with 1",
  async (_, env, expected) => {
    const started = start(env);
    expect(await started.line).toMatch(expected);
    expect(await started.exited).toBe(1);
    expect(started.stdout().trimEnd().split("\n")).toHaveLength(1);
  },
);

test("exits after its last connection", async () => {
  const { connect, exited } = start(launch);
  const grpc = await connect();
  expect(await grpc.ping()).toBe(0);
  await grpc.end();
  expect(await exited).toBe(0);
});

test("once Terraform is connected the socket's folder is gone: even a killed provider leaves nothing", async () => {
  const { connect, exited, child } = start(launch);
  const grpc = await connect();
  await grpc.ping();
  expect(scratch.leftovers()).toEqual([]);
  child.kill("SIGKILL");
  await exited;
  await grpc.closed();
});

test.each(["SIGTERM", "SIGHUP"] as const)(
  "%s cleans up and exits, SIGINT does not",
  async (signal) => {
    const { line, exited, child } = start(launch);
    await line;
    child.kill("SIGINT");
    child.kill(signal);
    expect(await exited).toBe(143);
  },
);

test("SIGTERM ends it even while its event loop is busy", async () => {
  const { connect, exited, child } = start(launch);
  const grpc = await connect();
  await grpc.unary(`${PROVIDER}GetFunctions`, new Uint8Array(20_000));
  // Of two signals that wait, a process may handle the later one first.
  const busy = once(child.stderr, "data");
  child.kill("SIGUSR2");
  await busy;
  child.kill("SIGTERM");
  // Not by a handler, which would exit with 143.
  expect(await exited).toBe(null);
  await grpc.closed();
}, 60_000);

test("it exits when the process that started it is killed before it has connected", async () => {
  const { line, exited, child } = start(launch, ["/bin/sh", "-c", '"$0" & wait', executable]);
  expect(await line).toMatch(/^1\|6\|unix\|/);
  child.kill("SIGKILL");
  await exited;
  expect(await stillRunning(scratch.marker)).toEqual([]);
});

test("exits if nobody reads its line, as when Terraform was killed early", async () => {
  const { exited } = start(launch, ["/bin/sh", "-c", '"$0" | :', executable]);
  expect(await exited).toBe(0);
});

describe("on Windows, where it listens on a port", () => {
  const startThere = (env: Record<string, string>) => {
    const pretend = path.join(__dirname, "../fixtures/as-on-windows.cjs");
    const main = path.join(path.dirname(executable), "main.cjs");
    return start(env, [process.execPath, "--require", pretend, main]);
  };

  test("Terraform finds it at the loopback address, and ends it; another client of the port gets no answer", async () => {
    const { line, connect, exited } = startThere(launch);
    const [, port] = /^1\|6\|tcp\|127\.0\.0\.1:(\d+)\|/.exec(await line) ?? [];
    const place = { host: "127.0.0.1", port: Number(port), ca: placeIn(await line).ca };
    for (const socket of [
      connectTo(place),
      connectByTls({ ...place, ALPNProtocols: ["h2"], servername: "localhost" }),
    ]) {
      socket.on("error", () => undefined).resume();
      socket.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
      await once(socket, "close");
    }
    const stranger = await connect(createServerIdentity());
    expect(await stranger.ping()).toBeUndefined();
    const grpc = await connect();
    expect(await grpc.ping()).toBe(0);
    expect(await grpc.shutdown()).toBe(0);
    expect(await exited).toBe(0);
  });

  test("reports missing TLS, its only way to recognize Terraform, and does not start", async () => {
    const { line, exited } = startThere({ ...launch, PLUGIN_CLIENT_CERT: "" });
    expect(await line).toMatch(/^On Windows .* needs TLS.*: unset TF_DISABLE_PLUGIN_TLS\.$/);
    expect(await exited).toBe(1);
  });
});
