import { faultName, PluginStartError } from "../faults";
import type { Write } from "../launch/descriptor-writer";
import { handshakeLine } from "../launch/handshake";
import type { Log } from "../provider";
import type { ServedProvider } from "../server/connection";
import { PluginServer } from "../server/plugin-server";
import { createServerIdentity } from "../tls/server-identity";
import { FirstLauncher } from "./first-launcher";
import { createHandoverFolder } from "./handover-folder";
import { Launches } from "./launches";
import { Lifetime } from "./lifetime";
import { closeInheritedFrom } from "./proc";
import { derOf, type Slot } from "./slots";
import { findTerraform, type HandoverRequest } from "./terraform-process";
import { WarmUp } from "./warm-up";

/**
 * The latest time at which other launches are noticed, in milliseconds from the first connection
 * on.
 */
const HEAR_MS = 100;
/** How often it checks whether the first launcher is ready for that. */
const HEAR_AGAIN_MS = 10;

export interface HandoverOptions {
  /** Loads the provider, with the first request that needs it. */
  readonly load: () => ServedProvider;
  /** The answer to GetProviderSchema; by default the provider encodes it. */
  readonly schema?: Uint8Array | undefined;
  /**
   * How long a server without connections waits for the next launch, in milliseconds; 10 seconds by
   * default.
   */
  readonly graceMs?: number | undefined;
  readonly request: HandoverRequest;
  /** The certificate of the client of the first launch, in PEM. */
  readonly clientCertificate: string;
  readonly log: Log;
  /** To the first launcher: the handshake line, then a line that lets the launcher end. */
  readonly write: Write;
}

/**
 * Serves a provider to all launches of one Terraform process. The launched processes are shell
 * scripts that wait; this process ends when Terraform has ended, or has launched nothing for some
 * seconds.
 *
 * @throws PluginStartError if this is not safely possible: the launcher then starts a server for
 * its launch alone
 */
export function serveHandover(options: HandoverOptions): PluginServer {
  const { request, log, graceMs } = options;
  const folder = createHandoverFolder(request.folder);
  process.on("exit", folder.remove);
  const terraform = findTerraform(request, process.argv[1] ?? "");
  const first = derOf(options.clientCertificate);
  if (terraform === undefined || first === undefined)
    throw new PluginStartError("The Terraform process is not visible from here.");

  const identity = createServerIdentity();
  const line = handshakeLine(folder.socket, identity.certificateDer);
  const launches = new Launches();
  const firstLauncher = new FirstLauncher(options.write);
  const server = new PluginServer({
    load: options.load,
    schema: options.schema,
    log,
    tls: { ...identity, isClient: (certificate) => launches.isClient(certificate) },
    onConnected: () => {
      firstLauncher.connected();
      changed();
      if (hearsSoon === undefined) hearAfter(HEAR_MS);
    },
    onDisconnected: ({ certificate }) => {
      launches.end(certificate);
      changed();
      if (server.connections > 0) return;
      lifetime.emptied();
      inPause(hear);
      warmUp.pause();
    },
  });
  const lifetime = new Lifetime({
    terraform,
    graceMs,
    end: () => server.end(),
    exit: () => process.exit(0),
  });
  const warmUp = new WarmUp({
    load: () => server.load(),
    isPause: () => launches.count === 0 && server.connections === 0,
    later: inPause,
  });
  let hears = false;
  let hearsSoon: NodeJS.Timeout | undefined;
  add(first, () => firstLauncher.end());
  server.http2.listen(folder.socket, () => firstLauncher.tell(line));
  return server;

  /** A failure here only costs later launches some time. */
  function inPause(work: () => unknown): void {
    setImmediate(async () => {
      try {
        await work();
      } catch (error) {
        log("debug", "an optimization failed", { fault: faultName(error) });
      }
    });
  }

  function hearAfter(milliseconds: number): void {
    hearsSoon = setTimeout(inPause, milliseconds, hear);
  }

  /**
   * Notices other launches from now on: Terraform is finished with the first launch, launches again
   * only afterwards, and waits for this process until then.
   */
  function hear(): void {
    clearTimeout(hearsSoon);
    if (hears) return;
    hears = folder.open(take);
    if (hears) closeInheritedFrom(request.terraform);
    else hearAfter(HEAR_AGAIN_MS);
  }

  /** A launcher has taken a slot: its launch is served, or gets its own server. */
  function take({ claim, descriptor, tell, close }: Slot): void {
    if (claim === undefined || !terraform?.launches(claim, descriptor)) {
      // Not only by the end of the slot, which some shell might not notice.
      tell("refused");
      close();
      return;
    }
    add(claim.certificate, () => {
      tell("end");
      close();
    });
    tell(line);
  }

  function add(certificate: Uint8Array, end: () => void): void {
    launches.add(certificate, end);
    changed();
  }

  function changed(): void {
    lifetime.changed({ launches: launches.count, connections: server.connections });
  }
}
