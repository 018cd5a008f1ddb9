import {
  monotonicNow,
  WATCHED_SIGNALS,
  type WatchedSignal,
} from "../../provider/attached/messages";

/** Source of signals: this process. */
interface SignalSource {
  on(signal: WatchedSignal, listener: () => void): unknown;
  off(signal: WatchedSignal, listener: () => void): unknown;
}

/** Receiver of signals. */
interface SignalTarget {
  /**
   * When another process of the same process group last got the signal; null for never, undefined
   * if this is unknown.
   */
  saw(signal: WatchedSignal): Promise<number | null | undefined>;
  /** Sends it to the command. */
  forward(signal: WatchedSignal): void;
}

/**
 * A signal to a group reaches its processes within microseconds. After this time, the other one
 * certainly has it.
 */
const SETTLE_MS = 20;
/**
 * If the other one got a signal this much earlier, it still counts as the same one: on a busy
 * machine, this process may have waited for its turn.
 */
const SAME_MS = 3_000;
/** A signal this soon after the command's end was meant for the command. */
const MEANT_FOR_COMMAND_MS = 500;

/**
 * Passes signals on to the command that only this process has got. A signal to the whole process
 * group (Ctrl-C in a terminal, a CI system that stops a group) has reached the command already: on
 * a second one, Terraform would stop at once, without saving its state. A signal does not contain
 * its target; but another process of the group has either got it too or not.
 */
export class SignalRelay {
  /** The first signal. */
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

  /** From now on, signals are for the command; before, only `first` records them. */
  connect(target: SignalTarget): void {
    this.#target = target;
  }

  /**
   * The command has ended: a further signal calls `impatient`. The signal that has ended the
   * command does not count.
   */
  disconnect(impatient: () => void): void {
    this.#target = undefined;
    this.#impatient = { from: this.now() + MEANT_FOR_COMMAND_MS, act: impatient };
  }

  /** Removes the listeners. */
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
    // If this is unknown, a keyboard's signals count as sent to the group.
    const grouped =
      seen === undefined
        ? signal === "SIGINT" || signal === "SIGQUIT"
        : seen !== null && seen > at - SAME_MS;
    if (!grouped && this.#target === target) target.forward(signal);
  }
}
