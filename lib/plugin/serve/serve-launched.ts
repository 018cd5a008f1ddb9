import { faultName, PluginStartError } from "../faults";
import { HandedOverServer } from "../handover/handed-over-server";
import { parseHandoverRequest } from "../handover/handover-request";
import { type DescriptorSink, descriptorSink } from "../launch/descriptor-sink";
import { FIRST_CONNECTION_MS, HANG_UP_MS, handshakeLine, parseLaunch } from "../launch/handshake";
import { createHclog, logLevelOf } from "../launch/hclog";
import { freshSocketPlace } from "../launch/socket-folder";
import type { Log } from "../provider";
import { PluginServer, type ProviderSource } from "../server/plugin-server";
import { onlyClient } from "../tls/mutual-tls";
import { createServerIdentity } from "../tls/server-identity";

/** How often it looks whether the process that started it is still there, in milliseconds. */
const PARENT_WATCH_MS = 2_000;

const EXIT_TERMINATED = 128 + 15;

interface LaunchedOptions<Session> {
  /** The provider, or a function that loads it: that runs while Terraform is connecting. */
  readonly provider: ProviderSource<Session>;
  /**
   * Make ready what later calls will need. For a hand-over each is called in a moment when nothing
   * is asked for: when a launch is over and the next has not come yet. What they throw is logged.
   */
  readonly warmUp?: readonly (() => unknown)[];
  /** The provider's type name, for messages and logs. */
  readonly name: string;
  /** The provider's version, for logs. */
  readonly version: string;
  /** The environment that Terraform gave; `process.env`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * The arguments that the launcher gave: by them it asks for one server for all launches. None
   * when left out.
   */
  readonly args?: readonly string[];
  /**
   * For a hand-over: milliseconds that the server waits for the next launch; 10 seconds when left
   * out.
   */
  readonly graceMs?: number | undefined;
}

/**
 * Serves a provider to the Terraform or OpenTofu that started this process, until that is over;
 * then the process exits. Started by the launcher for a hand-over it serves all launches of that
 * Terraform.
 *
 * It owns the process: nothing else may write to standard output, SIGINT ends the waits only
 * (Ctrl-C reaches the whole process group, and Terraform ends its providers itself), SIGTERM and
 * SIGHUP clean up and exit. An exception that nobody catches ends it with a log line that has the
 * error's name only.
 *
 * @example
 * serveLaunched({ provider, name: "iam", version: "0.1.0", env: process.env });
 */
export async function serveLaunched<Session>(options: LaunchedOptions<Session>): Promise<void> {
  const stdout = descriptorSink(1);
  const log = createHclog({
    sink: descriptorSink(2),
    module: `provider.${options.name}`,
    level: logLevelOf(options.env),
    clock: Date.now,
  });
  process.on("uncaughtException", (error) => {
    log("error", "an unexpected fault ends the provider", { fault: faultName(error) });
    process.exit(1);
  });
  try {
    const { clientCertificate } = parseLaunch(options.env, options.name);
    const request = parseHandoverRequest(options.args ?? []);
    const server =
      request !== undefined && clientCertificate !== undefined
        ? new HandedOverServer({ ...options, request, clientCertificate, log, stdout }).server
        : serveOne(options, clientCertificate, log, stdout);
    process.on("SIGINT", () => {
      // Terraform ends its providers itself, so this one stays. But in the plan of an apply it asks
      // for nothing until the plan is over: so that Ctrl-C does not hang on a service that does not
      // answer, the waits end here.
      log("debug", "SIGINT ends the waits; the end is left to Terraform");
      server.interrupt();
    });
    for (const signal of ["SIGTERM", "SIGHUP"] as const) {
      process.on(signal, () => void server.close().finally(() => process.exit(EXIT_TERMINATED)));
    }
    server.http2.on("error", (error) => refuse(stdout, options.name, error));
  } catch (error) {
    refuse(stdout, options.name, error);
  }
}

/** Serves the one launch that this process is. */
function serveOne<Session>(
  options: LaunchedOptions<Session>,
  clientCertificate: string | undefined,
  log: Log,
  stdout: DescriptorSink,
): PluginServer<Session> {
  const place = freshSocketPlace({
    env: options.env,
    platform: process.platform,
    withoutTls: clientCertificate === undefined,
  });
  process.on("exit", place.remove);
  const identity = clientCertificate === undefined ? undefined : createServerIdentity();
  endWithParent();
  const lonely = setTimeout(() => process.exit(0), FIRST_CONNECTION_MS);
  const server = new PluginServer({
    provider: options.provider,
    log,
    tls:
      identity === undefined || clientCertificate === undefined
        ? undefined
        : {
            key: identity.keyPem,
            cert: identity.certificatePem,
            isClient: onlyClient(clientCertificate),
          },
    onConnected: () => {
      clearTimeout(lonely);
      // Terraform connects once. Without the folder nobody else can, and nothing is left should
      // this process be killed.
      place.remove();
    },
    onDisconnected: () => {
      if (server.connections === 0) process.exit(0);
    },
    onShutdown: () => setTimeout(() => process.exit(0), HANG_UP_MS),
  });
  server.http2.listen(place.socket, () => {
    // Who started this process may be gone for so long that this one has never seen it: its parent
    // was another from the start.
    if (!stdout.write(handshakeLine(place.socket, identity?.certificateDer))) process.exit(0);
    server.prepare();
    log("debug", "the provider listens", { version: options.version, node: process.versions.node });
  });
  return server;
}

/**
 * Exits when the parent is gone. The end of the connection tells that at once, nearly always: but
 * not before the first connection, nor after a fault of the protocol, when Node.js keeps a session
 * that does not notice its socket's end.
 */
function endWithParent(): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.exit(0);
  }, PARENT_WATCH_MS).unref();
}

/**
 * Terraform shows the first line of standard output when it is no handshake: the one place where a
 * start-up error is seen.
 */
function refuse(stdout: DescriptorSink, name: string, error: unknown): never {
  const why =
    error instanceof PluginStartError
      ? error.message
      : `The provider "${name}" cannot start (${faultName(error)}).`;
  stdout.write(`${why}\n`);
  process.exit(1);
}
