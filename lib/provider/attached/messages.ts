import type { Usage } from "../../identity";
import type { ReattachConfig } from "../../plugin/serve/serve-attached";

/** Signals that the process of an attached provider survives, and reports. */
export const WATCHED_SIGNALS = [
  "SIGINT",
  "SIGTERM",
  "SIGHUP",
  "SIGQUIT",
  "SIGUSR1",
  "SIGUSR2",
] as const;

/** One of {@link WATCHED_SIGNALS}. */
export type WatchedSignal = (typeof WATCHED_SIGNALS)[number];

/** From the process that started the provider. */
export type ToProvider =
  /** The answer is `saw`: when the signal last came. */
  | { readonly type: "saw?"; readonly id: number; readonly signal: WatchedSignal }
  /** Ctrl-C: ends the waits of connected clients. */
  | { readonly type: "interrupt" }
  /** Ends the process; the answer is `ended`. */
  | { readonly type: "end" };

/** To the process that started the provider. */
export type FromProvider =
  | { readonly type: "ready"; readonly reattach: ReattachConfig }
  /** It cannot serve; `problem` is a sentence. */
  | { readonly type: "refused"; readonly problem: string }
  /** `at`: milliseconds of the monotonic clock, which all processes share; null for never. */
  | { readonly type: "saw"; readonly id: number; readonly at: number | null }
  /** An uncaught exception, by class and code. The process then ends. */
  | { readonly type: "fault"; readonly fault: string }
  | { readonly type: "ended"; readonly usage: Usage };
