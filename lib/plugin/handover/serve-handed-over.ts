import { loadMsgpack } from "../cty";
import type { Log } from "../provider";
import { faultName } from "../server/fault";
import { handshakeLine } from "../server/handshake";
import {
  createPluginServer,
  type PluginServer,
  type ProviderSource,
} from "../server/plugin-server";
import { PluginStartError } from "../server/start-error";
import type { DescriptorSink } from "../server/text-sink";
import { createServerIdentity } from "../tls/server-identity";
import { type Claim, derOf, parseClaim } from "./claim";
import { HandoverFolder } from "./handover-folder";
import type { HandoverRequest } from "./handover-request";
import { closeInherited } from "./inherited-descriptors";
import { Launches } from "./launches";
import type { Slot } from "./slots";
import { TerraformProcess } from "./terraform-process";

/**
 * How long a server without a connection waits for the next launch: those of one command follow
 * each other.
 */
const DEFAULT_GRACE_MS = 10_000;
/**
 * How long it waits for the connection of a launch, in milliseconds. Terraform itself gives up
 * after a minute.
 */
const FIRST_CONNECTION_MS = 60_000;
/**
 * How often it looks whether Terraform is still there, in milliseconds. With a connection open, its
 * end says so at once.
 */
const TERRAFORM_WATCH_MS = 200;
/**
 * How soon it looks after the last connection has ended: a process that is being killed closes its
 * connections first.
 */
const TERRAFORM_GONE_MS = 20;
/** When other launches are heard of at the latest, in milliseconds from the first connection on. */
const HEAR_MS = 100;
/** How often it looks whether the first launcher is ready for that. */
const HEAR_AGAIN_MS = 10;
/** How long the answer to Shutdown may take to leave. Terraform hangs up as soon as it has it. */
const HANG_UP_MS = 50;
/**
 * How long the end of Terraform waits for what its connections held to be given back, in
 * milliseconds.
 */
const LAST_RELEASE_MS = 10_000;

export interface HandedOverOptions<Session> {
  readonly provider: ProviderSource<Session>;
  /** One is called after each launch: the next comes in a moment. */
  readonly warmUp?: readonly (() => unknown)[];
  /**
   * Milliseconds that a server which has no connection waits for the next launch; 10 seconds when
   * left out.
   */
  readonly graceMs?: number | undefined;
  readonly request: HandoverRequest;
  /** The certificate of the client of the first launch, in PEM. */
  readonly clientCertificate: string;
  readonly log: Log;
  /** Read by the first launcher: the handshake line, then a line that lets it go. */
  readonly stdout: DescriptorSink;
}

/**
 * Serves a provider to all launches of one Terraform process. The launched processes are shell
 * scripts that wait; this one ends when Terraform has ended, or has launched nothing for some
 * seconds.
 *
 * @throws PluginStartError when that cannot be done safely: the launcher then starts a server for
 * its launch alone
 */
export function serveHandedOver<Session>(options: HandedOverOptions<Session>): PluginServer {
  const { log, request, stdout } = options;
  const place = new HandoverFolder(request.folder);
  process.on("exit", () => place.remove());
  const terraform = TerraformProcess.of(request, process.argv[1] ?? "");
  const first = derOf(options.clientCertificate);
  if (terraform === undefined || first === undefined)
    throw new PluginStartError("This Terraform cannot be seen from here.");

  const identity = createServerIdentity();
  const line = handshakeLine(place.socket, identity.certificateDer);
  const launches = new Launches();
  launches.add(first, { release: () => stdout.write("end\n") });
  let connections = 0;
  let heard: NodeJS.Timeout | undefined;
  let hearing = false;
  const pauses = [...(options.warmUp ?? []), () => place.tidy()];
  let ending = false;
  let lonely: NodeJS.Timeout | undefined;

  const server = createPluginServer({
    provider: options.provider,
    log,
    tls: {
      key: identity.keyPem,
      cert: identity.certificatePem,
      isClient: (certificate) => launches.has(certificate),
    },
    onConnected: () => {
      connections += 1;
      wait();
      heard ??= setTimeout(() => inPause(hear), HEAR_MS);
    },
    onShutdown: ({ certificate }) => setTimeout(() => release(certificate), HANG_UP_MS),
    onDisconnected: (left, { certificate }) => {
      connections = left;
      release(certificate);
      wait();
      if (left > 0) return;
      setTimeout(endWithTerraform, TERRAFORM_GONE_MS);
      inPause(hear);
      inPause(loadMsgpack);
      inPause(pauses.shift());
    },
  });
  server.http2.listen(place.socket, () => {
    if (!stdout.write(line)) process.exit(0);
    server.prepare();
  });
  setInterval(endWithTerraform, TERRAFORM_WATCH_MS);
  wait();
  return server;

  /** Ends the process unless something comes. */
  function wait(): void {
    clearTimeout(lonely);
    if (connections > 0) return;
    lonely = setTimeout(
      () => process.exit(0),
      launches.size > 0 ? FIRST_CONNECTION_MS : (options.graceMs ?? DEFAULT_GRACE_MS),
    );
  }

  /**
   * Hears of other launches from now on: when Terraform has had all that it wants of the first one,
   * since it launches again only afterwards, and waits for us until then.
   */
  function hear(): void {
    clearTimeout(heard);
    if (hearing) return;
    hearing = place.open(take);
    if (hearing) closeInherited(request.terraform);
    else heard = setTimeout(() => inPause(hear), HEAR_AGAIN_MS);
  }

  /** What fails then only costs later launches some time. */
  function inPause(work: (() => unknown) | undefined): void {
    setImmediate(() => {
      try {
        work?.();
      } catch (error) {
        log("debug", "something that saves time has failed", { fault: faultName(error) });
      }
    });
  }

  function take(slot: Slot): void {
    const claim = slot.claim === undefined ? undefined : parseClaim(slot.claim);
    if (claim === undefined || !isOurs(claim, slot)) {
      slot.close();
      return;
    }
    launches.add(claim.certificate, {
      release: () => {
        slot.tell("end");
        slot.close();
      },
    });
    wait();
    slot.tell(line);
  }

  function isOurs(claim: Claim, slot: Slot): boolean {
    return terraform?.launches(claim, slot.descriptor) ?? false;
  }

  function release(certificate: Uint8Array | undefined): void {
    if (certificate !== undefined) launches.release(certificate);
  }

  function endWithTerraform(): void {
    if (ending || terraform?.isThere()) return;
    ending = true;
    setTimeout(() => process.exit(0), LAST_RELEASE_MS);
    void server.close().finally(() => process.exit(0));
  }
}
