import type { CtyObject } from "../cty/value";
import { CancelledError, faultName } from "../faults";
import type { Log, OperationContext, Provider } from "../provider";
import { within } from "../within";
import { hasError } from "./diagnostics";

/** How long the end of a session waits for the release of everything that it holds. */
const MAX_RELEASE_MS = 10_000;

/**
 * How long it waits for aborted operations: one that does not notice the abort must not make Ctrl-C
 * hang.
 */
const MAX_SETTLE_MS = 2_000;

/** A method of the protocol, called in a session. */
export type Method<Configured> = (
  session: Session<Configured>,
  request: Uint8Array,
  call: AbortController,
) => Promise<Uint8Array>;

/**
 * The provider's part of a connection: the configuration of one provider block, and its operations
 * under way. Each provider block of each Terraform process has its own connection, so
 * two blocks never share a session.
 */
export class Session<Configured> {
  /** Result of `configure`; undefined before it, and after a failure. */
  #configured: Configured | undefined;
  #ended = false;
  #interrupted = false;
  /** Calls whose operation has not settled. */
  readonly #underWay = new Map<AbortController, Promise<void>>();

  constructor(
    private readonly provider: Pick<Provider<Configured>, "configure" | "release">,
    private readonly methods: ReadonlyMap<string, Method<Configured>>,
    readonly log: Log,
  ) {}

  /** Answers a call; undefined if there is no method of this name. */
  answer(
    method: string,
    request: Uint8Array,
    call: AbortController,
  ): Promise<Uint8Array> | undefined {
    return this.methods.get(method)?.(this, request, call);
  }

  /** Configures the provider anew, and releases what an earlier configuration holds. */
  configure(call: AbortController, block: CtyObject) {
    const context = { signal: call.signal, log: this.log };
    return this.#attempt(call, async () => {
      const { session, diagnostics } = await this.provider.configure(block, context);
      const earlier = this.#configured;
      this.#configured = hasError(diagnostics) ? undefined : session;
      if (earlier !== this.#configured) await this.#releaseHeldBy(earlier);
      return { diagnostics };
    });
  }

  /**
   * Runs an operation for a call, which {@link release} and {@link end} abort as well. After an
   * abort, the answer does not wait until the operation notices it. After an interruption, nothing
   * more begins, but what was begun is still closed.
   */
  async run<Result>(
    call: AbortController,
    operation: (context: OperationContext<Configured>) => Promise<Result>,
    { afterInterruption = false } = {},
  ): Promise<Result> {
    const session = this.#configured;
    if (session === undefined) throw new NotConfiguredError();
    if (this.#interrupted && !afterInterruption) throw new CancelledError();
    const { signal } = call;
    return this.#attempt(call, () => operation({ session, signal, log: this.log }));
  }

  async #attempt<Result>(call: AbortController, work: () => Promise<Result>): Promise<Result> {
    if (call.signal.aborted || this.#ended) throw new CancelledError();
    const aborted = new Promise<never>((_, reject) => {
      call.signal.addEventListener("abort", () => reject(new CancelledError()));
    });
    const started = startOf(work);
    const settled = started.then(nothing, nothing);
    this.#underWay.set(call, settled);
    settled.then(() => {
      this.#underWay.delete(call);
      // It came too late for `end`, so everything that it may have left is released now.
      if (this.#ended) void this.#releaseHeldBy(this.#configured);
    });
    return Promise.race([started, aborted]);
  }

  /**
   * Ctrl-C: ends the waits of this session, including those of Terraform's next requests.
   * Everything that it holds stays until Terraform closes it.
   */
  interrupt(): void {
    this.#interrupted = true;
    this.#abortAll();
  }

  /**
   * StopProvider: ends the waits of this session and releases everything that it holds. Later
   * operations run as before.
   */
  async release(): Promise<void> {
    const settled = Promise.all(this.#underWay.values());
    this.#abortAll();
    await within<unknown>(MAX_SETTLE_MS, settled, nothing);
    await this.#releaseHeldBy(this.#configured);
  }

  /** Shutdown, or the end of the connection. */
  async end(): Promise<void> {
    this.#ended = true;
    await this.release();
  }

  #abortAll(): void {
    for (const call of this.#underWay.keys()) call.abort(new CancelledError());
  }

  async #releaseHeldBy(session: Configured | undefined): Promise<void> {
    if (session === undefined) return;
    const released = startOf(async () => this.provider.release?.(session)).catch((error: unknown) =>
      this.log("warn", "a session's resources could not be released", { fault: faultName(error) }),
    );
    await within(MAX_RELEASE_MS, released, nothing);
  }
}

/** Terraform configures a provider before any other request. */
class NotConfiguredError extends Error {
  override readonly name = "NotConfiguredError";
}

function nothing(): void {}

/** A function that throws before its first await counts as one that rejects. */
async function startOf<Result>(work: () => Promise<Result>): Promise<Result> {
  return work();
}
