import { faultName, PluginStartError } from "../faults";
import { watchEventLoop } from "../launch/event-loop-watch";
import { HANG_UP_MS, handshakeLine } from "../launch/handshake";
import type { DescriptorSink } from "../launch/hclog";
import type { Log } from "../provider";
import type { ServedProvider } from "../server/connection";
import { PluginServer } from "../server/plugin-server";
import { createServerIdentity } from "../tls/server-identity";
import { HandoverFolder } from "./handover-folder";
import { Lifetime } from "./lifetime";
import { closeInheritedFrom } from "./proc";
import { derOf, type Slot } from "./slots";
import { type HandoverRequest, TerraformProcess } from "./terraform-process";
import { WarmUp } from "./warm-up";

/**
 * The latest time at which other launches are noticed, in milliseconds from the first connection
 * on.
 */
const HEAR_MS = 100;
/** How often it checks whether the first launcher is ready for that. */
const HEAR_AGAIN_MS = 10;
/** How often it checks that the first launcher reads its pipe, until Terraform has connected. */
const READER_WATCH_MS = 200;

interface HandedOverOptions {
  readonly load: () => ServedProvider;
  readonly schema?: Uint8Array | undefined;
  /**
   * How long a server without connections waits for the next launch, in milliseconds; 10 seconds by
   * default.
   */
  readonly graceMs?: number | undefined;
  /** As in `serveLaunched`. */
  readonly turnMs?: number | undefined;
  readonly request: HandoverRequest;
  /** The certificate of the client of the first launch, in PEM. */
  readonly clientCertificate: string;
  readonly log: Log;
  /** The first launcher reads it: the handshake line, then a line that lets the launcher end. */
  readonly stdout: DescriptorSink;
}

/**
 * Serves a provider to all launches of one Terraform process. The launched processes are shell
 * scripts that wait; this process ends when Terraform has ended, or has launched nothing for some
 * seconds.
 */
export class HandedOverServer {
  readonly server: PluginServer;
  readonly #options: HandedOverOptions;
  readonly #folder: HandoverFolder;
  readonly #terraform: TerraformProcess;
  readonly #lifetime: Lifetime;
  readonly #line: string;
  /** Functions that let each launched process end, by its client's certificate in base64. */
  readonly #launches = new Map<string, () => void>();
  readonly #warmUp = new WarmUp({
    load: () => this.server.load(),
    isPause: () => this.#launches.size === 0 && this.server.connections === 0,
    later: (work) => this.#inPause(work),
  });
  #hears = false;
  #hearsSoon: NodeJS.Timeout | undefined;
  #readerWatch: NodeJS.Timeout | undefined;

  /**
   * @throws PluginStartError if this is not safely possible: the launcher then starts a server for
   * its launch alone
   */
  constructor(options: HandedOverOptions) {
    const { request, stdout } = options;
    this.#options = options;
    this.#folder = new HandoverFolder(request.folder);
    process.on("exit", () => this.#folder.remove());
    const terraform = TerraformProcess.of(request, process.argv[1] ?? "");
    const first = derOf(options.clientCertificate);
    if (terraform === undefined || first === undefined)
      throw new PluginStartError("The Terraform process is not visible from here.");
    this.#terraform = terraform;

    const identity = createServerIdentity();
    this.#line = handshakeLine(this.#folder.socket, identity.certificateDer);
    this.server = new PluginServer({
      load: options.load,
      schema: options.schema,
      log: options.log,
      tls: {
        key: identity.keyPem,
        cert: identity.certificatePem,
        isClient: (certificate) => this.#launches.has(keyOf(certificate)),
      },
      onLargeRequest: () => watchEventLoop(options.turnMs),
      onConnected: () => this.#connected(),
      onShutdown: ({ certificate }) => setTimeout(() => this.#release(certificate), HANG_UP_MS),
      onDisconnected: ({ certificate }) => this.#disconnected(certificate),
    });
    this.#lifetime = new Lifetime({
      terraform,
      graceMs: options.graceMs,
      end: () => this.server.end(),
      exit: () => process.exit(0),
    });
    this.#add(first, () => stdout.write("end\n"));
    this.server.http2.listen(this.#folder.socket, () => {
      this.#tellFirstLauncher(this.#line);
      // A pipe accepts the line even if its reader ends without reading it. A later blank then
      // fails; the launcher's `read` drops it.
      this.#readerWatch = setInterval(() => this.#tellFirstLauncher(" "), READER_WATCH_MS);
    });
  }

  /** Nobody can connect if the first launcher ends before it has passed the line on. */
  #tellFirstLauncher(text: string): void {
    if (!this.#options.stdout.write(text)) process.exit(0);
  }

  #connected(): void {
    clearInterval(this.#readerWatch);
    this.#changed();
    this.#hearsSoon ??= setTimeout(() => this.#inPause(() => this.#hear()), HEAR_MS);
  }

  #disconnected(certificate: Uint8Array | undefined): void {
    this.#release(certificate);
    this.#changed();
    if (this.server.connections > 0) return;
    this.#lifetime.emptied();
    this.#inPause(() => this.#hear());
    this.#warmUp.pause();
  }

  /**
   * Notices other launches from now on: Terraform is finished with the first launch, launches again
   * only afterwards, and waits for this process until then.
   */
  #hear(): void {
    clearTimeout(this.#hearsSoon);
    if (this.#hears) return;
    this.#hears = this.#folder.open((slot) => this.#take(slot));
    if (this.#hears) closeInheritedFrom(this.#options.request.terraform);
    else this.#hearsSoon = setTimeout(() => this.#inPause(() => this.#hear()), HEAR_AGAIN_MS);
  }

  #inPause(work: () => unknown): void {
    setImmediate(() => void this.#attempt(work));
  }

  /** A failure here only costs later launches some time. */
  async #attempt(work: () => unknown): Promise<void> {
    try {
      await work();
    } catch (error) {
      const fault = faultName(error);
      this.#options.log("debug", "an optimization failed", { fault });
    }
  }

  /** A launcher has taken a slot: its launch is served, or gets its own server. */
  #take(slot: Slot): void {
    const { claim } = slot;
    if (claim === undefined || !this.#terraform.launches(claim, slot.descriptor)) {
      // Not only by the end of the slot, which some shell might not notice.
      slot.tell("refused");
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

  /** Lets this client's launched process end; its client cannot connect again. */
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
