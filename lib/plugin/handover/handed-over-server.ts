import { loadMsgpack } from "../cty/block-value";
import { faultName, PluginStartError } from "../faults";
import type { DescriptorSink } from "../launch/descriptor-sink";
import { HANG_UP_MS, handshakeLine } from "../launch/handshake";
import type { Log } from "../provider";
import { PluginServer, type ProviderSource } from "../server/plugin-server";
import { createServerIdentity } from "../tls/server-identity";
import { HandoverFolder } from "./handover-folder";
import type { HandoverRequest } from "./handover-request";
import { Lifetime } from "./lifetime";
import { closeInheritedFrom } from "./proc";
import { derOf, type Slot } from "./slots";
import { TerraformProcess } from "./terraform-process";

/** When other launches are heard of at the latest, in milliseconds from the first connection on. */
const HEAR_MS = 100;
/** How often it looks whether the first launcher is ready for that. */
const HEAR_AGAIN_MS = 10;

interface HandedOverOptions<Session> {
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
 */
export class HandedOverServer<Session> {
  readonly server: PluginServer<Session>;
  readonly #options: HandedOverOptions<Session>;
  readonly #folder: HandoverFolder;
  readonly #terraform: TerraformProcess;
  readonly #lifetime: Lifetime;
  readonly #line: string;
  /** How each launched process is let go, by its client's certificate in base64. */
  readonly #launches = new Map<string, () => void>();
  /** What is still to be done between two launches. */
  readonly #chores: (() => unknown)[];
  #hears = false;
  #hearsSoon: NodeJS.Timeout | undefined;

  /**
   * @throws PluginStartError when that cannot be done safely: the launcher then starts a server for
   * its launch alone
   */
  constructor(options: HandedOverOptions<Session>) {
    const { request, stdout } = options;
    this.#options = options;
    this.#folder = new HandoverFolder(request.folder);
    process.on("exit", () => this.#folder.remove());
    const terraform = TerraformProcess.of(request, process.argv[1] ?? "");
    const first = derOf(options.clientCertificate);
    if (terraform === undefined || first === undefined)
      throw new PluginStartError("This Terraform cannot be seen from here.");
    this.#terraform = terraform;
    this.#chores = [...(options.warmUp ?? []), () => this.#folder.tidy()];

    const identity = createServerIdentity();
    this.#line = handshakeLine(this.#folder.socket, identity.certificateDer);
    this.server = new PluginServer({
      provider: options.provider,
      log: options.log,
      tls: {
        key: identity.keyPem,
        cert: identity.certificatePem,
        isClient: (certificate) => this.#launches.has(keyOf(certificate)),
      },
      onConnected: () => this.#connected(),
      onShutdown: ({ certificate }) => setTimeout(() => this.#release(certificate), HANG_UP_MS),
      onDisconnected: ({ certificate }) => this.#disconnected(certificate),
    });
    this.#lifetime = new Lifetime({
      terraform,
      graceMs: options.graceMs,
      close: () => this.server.close(),
      exit: () => process.exit(0),
    });
    this.#add(first, () => stdout.write("end\n"));
    this.server.http2.listen(this.#folder.socket, () => {
      if (!stdout.write(this.#line)) process.exit(0);
      this.server.prepare();
    });
  }

  #connected(): void {
    this.#changed();
    this.#hearsSoon ??= setTimeout(() => this.#inPause(() => this.#hear()), HEAR_MS);
  }

  #disconnected(certificate: Uint8Array | undefined): void {
    this.#release(certificate);
    this.#changed();
    if (this.server.connections > 0) return;
    this.#lifetime.emptied();
    this.#inPause(() => this.#hear());
    this.#inPause(loadMsgpack);
    this.#inPause(this.#chores.shift());
  }

  /**
   * Hears of other launches from now on: when Terraform has had all that it wants of the first one,
   * since it launches again only afterwards, and waits for us until then.
   */
  #hear(): void {
    clearTimeout(this.#hearsSoon);
    if (this.#hears) return;
    this.#hears = this.#folder.open((slot) => this.#take(slot));
    if (this.#hears) closeInheritedFrom(this.#options.request.terraform);
    else this.#hearsSoon = setTimeout(() => this.#inPause(() => this.#hear()), HEAR_AGAIN_MS);
  }

  /** What fails then only costs later launches some time. */
  #inPause(work: (() => unknown) | undefined): void {
    setImmediate(() => {
      try {
        work?.();
      } catch (error) {
        const fault = faultName(error);
        this.#options.log("debug", "something that saves time has failed", { fault });
      }
    });
  }

  /** A launcher has taken a slot: its launch is served, or gets a server of its own. */
  #take(slot: Slot): void {
    const { claim } = slot;
    if (claim === undefined || !this.#terraform.launches(claim, slot.descriptor)) {
      slot.close();
      return;
    }
    this.#add(claim.certificate, () => {
      slot.tell("end");
      slot.close();
    });
    slot.tell(this.#line);
  }

  #add(certificate: Uint8Array, release: () => void): void {
    this.#launches.set(keyOf(certificate), release);
    this.#changed();
  }

  /** Lets the launched process of this client go; its client cannot come again. */
  #release(certificate: Uint8Array | undefined): void {
    const key = certificate === undefined ? "" : keyOf(certificate);
    this.#launches.get(key)?.();
    this.#launches.delete(key);
  }

  #changed(): void {
    const { connections } = this.server;
    this.#lifetime.changed({ launches: this.#launches.size, connections });
  }
}

function keyOf(certificate: Uint8Array): string {
  return Buffer.from(certificate).toString("base64");
}
