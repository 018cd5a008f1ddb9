import { CancelledError } from "../faults";
import { within } from "../within";

/** How long the end of a session waits for the release of everything that it holds. */
const MAX_RELEASE_MS = 10_000;

/**
 * How long it waits for aborted operations: one that does not notice the abort must not make Ctrl-C
 * hang.
 */
const MAX_SETTLE_MS = 2_000;

/**
 * State of one HTTP/2 connection: the configuration of one provider block, and its operations in
 * progress. Each provider block of each Terraform process has its own connection, so two blocks
 * never share one.
 */
export class ProviderSession<Session> {
  #configured: Session | undefined;
  #ended = false;
  #interrupted = false;
  readonly #underWay = new Set<{
    readonly call: AbortController;
    readonly settled: Promise<void>;
  }>();

  constructor(
    private readonly releaseHeld: ((session: Session) => Promise<void>) | undefined,
    private readonly onReleaseFault: (error: unknown) => void,
  ) {}

  /** Result of `configure`; undefined before it, and after a failure. */
  get configured(): Session | undefined {
    return this.#configured;
  }

  /** Stores the result of `configure`, after releasing an earlier configuration. */
  async configure(session: Session | undefined): Promise<void> {
    const earlier = this.#configured;
    this.#configured = session;
    if (earlier !== undefined && earlier !== session) await this.#releaseHeldBy(earlier);
  }

  /**
   * Runs an operation for a call, which {@link release} and {@link end} abort as well. After an abort,
   * the answer does not wait until the operation notices it.
   */
  async run<Result>(
    call: AbortController,
    operation: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    if (call.signal.aborted || this.#ended) throw new CancelledError();
    const aborted = new Promise<never>((_, reject) => {
      call.signal.addEventListener("abort", () => reject(new CancelledError()));
    });
    const started = startOf(operation, call.signal);
    const settled = started.then(nothing, nothing);
    const entry = { call, settled };
    this.#underWay.add(entry);
    settled.then(() => {
      this.#underWay.delete(entry);
      // It came too late for `end`, so everything that it may have left is released now.
      if (this.#ended && this.#configured !== undefined) void this.#releaseHeldBy(this.#configured);
    });
    return Promise.race([started, aborted]);
  }

  /**
   * Like {@link run}, for operations that begin something. After an interruption, nothing more
   * begins.
   */
  async begin<Result>(
    call: AbortController,
    operation: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    if (this.#interrupted) throw new CancelledError();
    return this.run(call, operation);
  }

  /**
   * Ctrl-C: ends the waits of this session, including those of Terraform's next requests.
   * Everything that it holds stays until Terraform closes it.
   */
  interrupt(): void {
    this.#interrupted = true;
    this.#abortAll();
  }

  #abortAll(): void {
    for (const { call } of this.#underWay) call.abort(new CancelledError());
  }

  /**
   * StopProvider: ends the waits of this session and releases everything that it holds. Later
   * operations run as before.
   */
  async release(): Promise<void> {
    const underWay = [...this.#underWay];
    this.#abortAll();
    await within(
      MAX_SETTLE_MS,
      Promise.all(underWay.map(({ settled }) => settled)).then(nothing),
      nothing,
    );
    if (this.#configured !== undefined) await this.#releaseHeldBy(this.#configured);
  }

  /** Shutdown, or the end of the connection. */
  async end(): Promise<void> {
    this.#ended = true;
    await this.release();
  }

  async #releaseHeldBy(session: Session): Promise<void> {
    if (this.releaseHeld === undefined) return;
    const released = startOf(this.releaseHeld, session).catch(this.onReleaseFault);
    await within(MAX_RELEASE_MS, released, nothing);
  }
}

function nothing(): void {}

/** A function that throws before its first await counts as one that rejects. */
async function startOf<Argument, Result>(
  operation: (argument: Argument) => Promise<Result>,
  argument: Argument,
): Promise<Result> {
  return operation(argument);
}
