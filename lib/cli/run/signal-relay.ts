import {
  monotonicNow,
  WATCHED_SIGNALS,
  type WatchedSignal,
} from "../../provider/attached/messages";

/** Where signals come from: this process. */
interface SignalSource {
  on(signal: WatchedSignal, listener: () => void): unknown;
  off(signal: WatchedSignal, listener: () => void): unknown;
}

/** What is done with them. */
interface SignalTarget {
  /**
   * When another process of the same process group last got the signal; null for never, undefined
   * when nobody can say.
   */
  saw(signal: WatchedSignal): Promise<number | null | undefined>;
  /** Sends it to the command. */
  forward(signal: WatchedSignal): void;
}

/**
 * A signal to a group reaches its processes within microseconds. Asked this much later, the other
 * one has surely got it.
 */
const SETTLE_MS = 20;
/** A signal that the other one got this much earlier is still taken for the same one. */
const SAME_MS = 500;

/**
 * Hands signals on to the command that this process alone has got. What went to the whole process
 * group (Ctrl-C in a terminal, a CI system that stops a group) has reached the command already:
 * twice, Terraform would stop at once, without saving its state. Which of the two it was, a signal
 * does not say; but another process of the group has got it too, or has not.
 */
export class SignalRelay {
  /** The first signal that came. */
  first: WatchedSignal | undefined;
  #target: SignalTarget | undefined;
  readonly #listeners: ReadonlyMap<WatchedSignal, () => void>;
  #impatient: { readonly from: number; readonly act: () => void } | undefined;

  constructor(
    private readonly source: SignalSource,
    private readonly now: () => number = monotonicNow,
  ) {
    this.#listeners = new Map(WATCHED_SIGNALS.map((signal) => [signal, () => this.#take(signal)]));
    for (const [signal, listener] of this.#listeners) source.on(signal, listener);
  }

  /** From now on signals are for the command; before, they are only noted in `first`. */
  connect(target: SignalTarget): void {
    this.#target = target;
  }

  /**
   * The command has ended: a further signal calls `impatient`. The one that has ended the command
   * is none.
   */
  disconnect(impatient: () => void): void {
    this.#target = undefined;
    this.#impatient = { from: this.now() + SAME_MS, act: impatient };
  }

  /** Gives the signals back. */
  stop(): void {
    for (const [signal, listener] of this.#listeners) this.source.off(signal, listener);
  }

  #take(signal: WatchedSignal): void {
    this.first ??= signal;
    const target = this.#target;
    if (target !== undefined) void this.#relay(signal, this.now(), target);
    else if (this.#impatient !== undefined && this.now() > this.#impatient.from)
      this.#impatient.act();
  }

  async #relay(signal: WatchedSignal, at: number, target: SignalTarget): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const seen = await target.saw(signal);
    // Nobody can say: what a keyboard makes goes to the group.
    const grouped =
      seen === undefined
        ? signal === "SIGINT" || signal === "SIGQUIT"
        : seen !== null && seen > at - SAME_MS;
    if (!grouped && this.#target === target) target.forward(signal);
  }
}
