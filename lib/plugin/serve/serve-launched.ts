import { once } from "node:events";
import type { Server } from "node:net";
import { faultName, PluginStartError } from "../faults";
import { type HandoverOptions, serveHandover } from "../handover/serve-handover";
import { parseHandoverRequest } from "../handover/terraform-process";
import { descriptorWriter, type Write } from "../launch/descriptor-writer";
import { FIRST_CONNECTION_MS, handshakeLine, parseLaunch } from "../launch/handshake";
import { createHclog, logLevelOf } from "../launch/hclog";
import { listenInFolder } from "../launch/socket-folder";
import type { Log } from "../provider";
import { PluginServer } from "../server/plugin-server";
import { onlyClient } from "../tls/mutual-tls";
import { createServerIdentity } from "../tls/server-identity";

/** How often it checks that the process that started it still exists, in milliseconds. */
const PARENT_WATCH_MS = 2_000;

interface LaunchedOptions extends Pick<HandoverOptions, "load" | "schema" | "graceMs"> {
  /** The provider's type name, for messages and logs. */
  readonly name: string;
  /** The provider's version, for logs. */
  readonly version: string;
  /** The environment from Terraform; `process.env`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * The arguments from the launcher, which may request one server for all launches. None by
   * default.
   */
  readonly args?: readonly string[];
}

/**
 * Serves a provider to the Terraform or OpenTofu that started this process. When that has ended,
 * the process exits. If the launcher started it for a hand-over, it serves all launches of that
 * Terraform.
 *
 * It owns the process: nothing else may write to standard output. No signal ends it, because
 * Terraform needs it for a clean end of its own: SIGINT and SIGTERM, which mean Terraform as well,
 * end the waits. An uncaught exception ends the process with a log line that contains only the
 * error's name.
 *
 * @example
 * serveLaunched({ load: () => serveProvider(echo), name: "echo", version: "0.1.0",
 * env: process.env });
 */
export async function serveLaunched(options: LaunchedOptions): Promise<void> {
  const write = descriptorWriter(1);
  const log = createHclog({
    write: descriptorWriter(2),
    module: `provider.${options.name}`,
    level: logLevelOf(options.env),
    clock: Date.now,
  });
  process.on("uncaughtException", (error) => {
    log("error", "internal error: the provider ends", { fault: faultName(error) });
    process.exit(1);
  });
  try {
    const { clientCertificate } = parseLaunch(options.env, options.name);
    const request = parseHandoverRequest(options.args ?? []);
    const server =
      request !== undefined && clientCertificate !== undefined
        ? serveHandover({ ...options, request, clientCertificate, log, write })
        : await serveOne(options, clientCertificate, log, write);
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.on(signal, () => {
        // Terraform ends its providers itself, so this process stays. But during the plan of an
        // apply, Terraform sends nothing until the plan is over. The waits end here: otherwise
        // Ctrl-C would wait for a service that does not answer.
        log("debug", `${signal}: waits end now, Terraform ends the process`);
        server.interrupt({ later: true });
      });
    }
    // Under nohup, Terraform goes on; otherwise it ends, and this process with it.
    process.on("SIGHUP", () => {});
    server.http2.on("error", (error) => {
      // Once the server listens, an error is that of one client.
      if (server.http2.listening) log("error", "a client failed", { fault: faultName(error) });
      else refuse(write, options.name, error);
    });
  } catch (error) {
    refuse(write, options.name, error);
  }
}

/** Serves only the launch of this process. */
async function serveOne(
  { load, schema, env, version }: LaunchedOptions,
  clientCertificate: string | undefined,
  log: Log,
  write: Write,
): Promise<PluginServer> {
  const tls =
    clientCertificate === undefined
      ? undefined
      : { ...createServerIdentity(), isClient: onlyClient(clientCertificate) };
  const lonely = setTimeout(exit, FIRST_CONNECTION_MS);
  const server = new PluginServer({
    load,
    schema,
    log,
    tls,
    onConnected: () => {
      clearTimeout(lonely);
      // Terraform connects once. Without the folder, nobody else can connect, and nothing is left
      // if this process is killed.
      remove();
    },
    onDisconnected: () => {
      if (server.connections === 0) exit();
    },
  });
  const remove = await listen(server.http2, env, tls !== undefined);
  process.on("exit", remove);
  endWithParent();
  const address = server.http2.address();
  // The process that started this one may have ended before this one could see it: then the parent
  // was a different one from the start.
  if (address === null || !write(handshakeLine(address, tls?.certificateDer))) exit();
  log("debug", "the provider listens", { version, node: process.versions.node });
  return server;
}

/**
 * Listens on a socket in a new folder; on Windows, where Node.js has no Unix sockets, on a free port
 * of the loopback address. All users of the machine can connect to a port, and only TLS
 * distinguishes the client from them: without TLS, nothing is served there.
 *
 * Throws {@link PluginStartError} if there is no safe place.
 *
 * @returns removes what was created
 */
async function listen(
  server: Server,
  env: LaunchedOptions["env"],
  mutualTls: boolean,
): Promise<() => void> {
  const { platform } = process;
  if (platform !== "win32")
    return (await listenInFolder(server, { env, platform, mutualTls })).remove;
  if (!mutualTls)
    throw new PluginStartError(
      "On Windows this provider needs TLS, because other users could connect to it: unset TF_DISABLE_PLUGIN_TLS.",
    );
  await once(server.listen({ host: "127.0.0.1", port: 0 }), "listening");
  return () => {};
}

/**
 * Exits when the parent has gone. The end of the connection nearly always shows this at once, but
 * not before the first connection, nor after a fault of the protocol, when Node.js keeps a session
 * that does not notice its socket's end.
 */
function endWithParent(): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) exit();
  }, PARENT_WATCH_MS).unref();
}

/**
 * If the first line of standard output is not a handshake, Terraform prints it: the only place for
 * a start-up error.
 */
function refuse(write: Write, name: string, error: unknown): never {
  const why =
    error instanceof PluginStartError
      ? error.message
      : `The provider "${name}" cannot start (${faultName(error)}).`;
  write(`${why}\n`);
  process.exit(1);
}

const exit = (): never => process.exit(0);
