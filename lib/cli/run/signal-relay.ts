import { WATCHED_SIGNALS, type WatchedSignal } from "../../provider/attached/messages";
import { monotonicNow } from "../../tokens";

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

interface SignalRelay {
  /** The first signal. */
  first(): WatchedSignal | undefined;
  /** From now on, signals are for the command; before, only `first` records them. */
  connect(target: SignalTarget): void;
  /**
   * The command has ended: a further signal calls `impatient`. The signal that has ended the
   * command does not count.
   */
  disconnect(impatient: () => void): void;
  /** Removes the listeners. */
  stop(): void;
}

/**
 * Passes signals on to the command that only this process has got. A signal to the whole process
 * group (Ctrl-C in a terminal, a CI system that stops a group) has reached the command already: on
 * a second one, Terraform would stop at once, without saving its state. A signal does not contain
 * its target; but another process of the group has either got it too or not.
 */
export function relaySignals(source: SignalSource, now = monotonicNow): SignalRelay {
  let first: WatchedSignal | undefined;
  let target: SignalTarget | undefined;
  let further = () => {};

  async function relay(signal: WatchedSignal, to: SignalTarget, at: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const seen = await to.saw(signal);
    // If this is unknown, a keyboard's signals count as sent to the group.
    const grouped =
      seen === undefined
        ? signal === "SIGINT" || signal === "SIGQUIT"
        : seen !== null && seen > at - SAME_MS;
    if (!grouped && target === to) to.forward(signal);
  }
  const listeners = WATCHED_SIGNALS.map((signal) => {
    const take = () => {
      first ??= signal;
      if (target === undefined) further();
      else void relay(signal, target, now());
    };
    source.on(signal, take);
    return () => source.off(signal, take);
  });
  return {
    first: () => first,
    connect(to) {
      target = to;
    },
    disconnect(impatient) {
      target = undefined;
      const from = now() + MEANT_FOR_COMMAND_MS;
      further = () => {
        if (now() > from) impatient();
      };
    },
    stop() {
      for (const remove of listeners) remove();
    },
  };
}
