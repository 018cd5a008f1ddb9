import { PluginStartError } from "../faults";
import type { Write } from "../launch/descriptor-writer";
import { handshakeLine } from "../launch/handshake";
import type { Log } from "../provider";
import { quietly } from "../quietly";
import type { ServedProvider } from "../server/connection";
import { PluginServer } from "../server/plugin-server";
import { createServerIdentity } from "../tls/server-identity";
import { createHandoverFolder } from "./handover-folder";
import { Lifetime } from "./lifetime";
import { closeInheritedFrom } from "./proc";
import { certificateIn, type Slot } from "./slots";
import { findTerraform, type HandoverRequest } from "./terraform-process";

/** How often it checks whether the first launcher has created the FIFOs. */
const HEAR_MS = 20;

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
 * Terraform waits for the first launch, and launches again only when that has ended. What later
 * launches need therefore comes after it: first their slots, then, where nobody waits, the provider
 * and its preparations.
 *
 * @throws if this is not safely possible: the launcher then starts a server for its launch alone
 */
export function serveHandover(options: HandoverOptions): PluginServer {
  const { request, write, load, schema, log, graceMs } = options;
  const folder = createHandoverFolder(request.folder);
  process.on("exit", folder.remove);
  const terraform = findTerraform(request, process.argv[1] ?? "");
  const first = certificateIn(options.clientCertificate);
  if (first === undefined) throw new PluginStartError("There is no certificate of a client.");

  const identity = createServerIdentity();
  const line = handshakeLine(folder.socket, identity.certificateDer);
  /** What lets each launched process end, by the certificate of its client. */
  const launches = new Map([[first, (): unknown => write("end\n")]]);
  let hears = false;
  let isLoaded = false;
  const preparations: (() => unknown)[] = [];
  const server = new PluginServer({
    ...{ load, schema, log },
    tls: { ...identity, isClient: (certificate) => launches.has(keyOf(certificate)) },
    onConnected: changed,
    onDisconnected: ({ certificate = new Uint8Array(0) }) => {
      const key = keyOf(certificate);
      launches.get(key)?.();
      // The client cannot connect again.
      launches.delete(key);
      changed();
      setImmediate(hear);
      setImmediate(prepare);
    },
  });
  const lifetime = new Lifetime({
    ...{ terraform, graceMs },
    end: () => server.end(),
    exit: () => process.exit(0),
  });
  const hearing = setInterval(hear, HEAR_MS);
  changed();
  server.http2.listen(folder.socket, () => {
    if (!write(line)) process.exit(0);
  });
  return server;

  function changed(): void {
    lifetime.changed({ launches: launches.size, connections: server.connections });
  }

  /** Notices other launches from now on. A failure here only costs them a server of their own. */
  function hear(): void {
    if (hears) return;
    hears = quietly(() => folder.open(take)) ?? true;
    if (!hears) return;
    clearInterval(hearing);
    quietly(() => closeInheritedFrom(request.terraform));
  }

  /** A launcher has taken a slot: its launch is served, or gets its own server. */
  function take({ claim, descriptor, tell, end }: Slot): void {
    // Not only by the end of the slot, which some shell might not notice.
    if (claim === undefined || !terraform.launches(claim, descriptor)) {
      end("refused");
      return;
    }
    launches.set(claim.certificate, () => end("end"));
    changed();
    tell(line);
  }

  /**
   * Does a piece of the work that later launches would otherwise have to do first, and the next one
   * in a later turn: a launch comes first. Pauses last from six milliseconds on, the longer the
   * larger the configuration is; but in the first one, nothing is known of it yet, and the provider
   * is all that fits.
   */
  async function prepare(): Promise<void> {
    if (launches.size > 0 || server.connections > 0) return;
    try {
      if (!isLoaded) {
        isLoaded = true;
        preparations.push(...((await server.load()).warmUp ?? []));
        return;
      }
      await preparations.shift()?.();
    } catch {
      // It fails again, and is reported, where it is needed.
    }
    if (preparations.length > 0) setImmediate(prepare);
  }
}

const keyOf = (certificate: Uint8Array): string => Buffer.from(certificate).toString("base64");
