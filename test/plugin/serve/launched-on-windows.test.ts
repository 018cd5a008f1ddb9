/** A launched provider that takes its machine for one with Windows: it listens on a port. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect as connectTo } from "node:net";
import path from "node:path";
import { connect as connectByTls } from "node:tls";
import { createServerIdentity, type ServerIdentity } from "../../../lib/plugin/tls/server-identity";
import { stillRunning } from "../../support/processes";
import { makeScratch, type Scratch } from "../../support/scratch";
import { writeEchoPackage } from "../fixtures/echo-package";
import { GrpcClient, PROVIDER, placeIn, SHUTDOWN } from "../fixtures/grpc-client";
import { launchVariables } from "../fixtures/launching-process";

const terraform = createServerIdentity();
let scratch: Scratch;
let main: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  scratch = makeScratch();
  main = path.join(
    path.dirname(await writeEchoPackage(path.join(scratch.folder, "package"))),
    "main.cjs",
  );
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  expect(await stillRunning(scratch.marker)).toEqual([]);
  expect(scratch.leftovers()).toEqual([]);
});
afterAll(() => scratch.remove());

function launch(env: Record<string, string> = {}) {
  const child = spawn(
    process.execPath,
    ["--require", path.join(__dirname, "../fixtures/as-on-windows.cjs"), main],
    {
      env: {
        ...scratch.env,
        ...launchVariables(terraform),
        ...env,
      },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  children.push(child);
  const exited = once(child, "exit").then(([code]) => code as number | null);
  const line = once(child.stdout, "data").then(([chunk]) => String(chunk).trimEnd());
  return { line, exited };
}

/** The port of a handshake line, and its certificate. */
async function portIn(line: Promise<string>): Promise<{ port: number; ca: string }> {
  expect(await line).toMatch(/^1\|6\|tcp\|127\.0\.0\.1:\d+\|/);
  const { address, ca } = placeIn(await line);
  return { port: Number(address.split(":")[1]), ca };
}

const clientOf = ({ port, ca }: { port: number; ca: string }, as: ServerIdentity) =>
  GrpcClient.connect(port, { ca: [ca], key: as.keyPem, cert: as.certificatePem });

test("Terraform finds it at a port of the loopback address, and ends it; another client of the port gets no answer", async () => {
  const { line, exited } = launch();
  const place = await portIn(line);
  for (const socket of [
    connectTo(place.port, "127.0.0.1"),
    connectByTls({ ...place, ALPNProtocols: ["h2"], servername: "localhost" }),
  ]) {
    socket.on("error", () => undefined).resume();
    socket.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    await once(socket, "close");
  }
  const stranger = clientOf(place, createServerIdentity());
  const answer = await stranger.unary(`${PROVIDER}GetFunctions`, new Uint8Array(0));
  expect(answer.status).toBeUndefined();
  const grpc = clientOf(place, terraform);
  expect((await grpc.unary(`${PROVIDER}GetFunctions`, new Uint8Array(0))).status).toBe(0);
  expect((await grpc.unary(SHUTDOWN, new Uint8Array(0))).status).toBe(0);
  await grpc.end();
  expect(await exited).toBe(0);
});

test("reports missing TLS, its only way to recognize Terraform, and does not start", async () => {
  const { line, exited } = launch({ PLUGIN_CLIENT_CERT: "" });
  expect(await line).toMatch(/^On Windows .* needs TLS.*: unset TF_DISABLE_PLUGIN_TLS\.$/);
  expect(await exited).toBe(1);
});
