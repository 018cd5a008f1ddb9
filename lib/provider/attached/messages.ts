import type { Usage } from "../../identity";
import type { ReattachConfig } from "../../plugin/serve/serve-attached";

/** Signals that the process of an attached provider outlives, and tells of. */
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

/** What an attached provider is started with, as its one argument, in JSON. */
export interface AttachedSettings {
  /** Without it nothing is served, and the process does no more than watch signals. */
  readonly serve: boolean;
  /** Whether issued tokens are handed out again. */
  readonly remember: boolean;
  /** How many tokens are remembered. */
  readonly cacheEntries?: number;
}

/** From the process that started it. */
export type ToProvider =
  /** Answered by `saw`: when a signal last came. */
  | { readonly type: "saw?"; readonly id: number; readonly signal: WatchedSignal }
  /** Ctrl-C: ends the waits of who is connected. */
  | { readonly type: "interrupt" }
  /** Ends it; answered by `closed`. */
  | { readonly type: "close" };

/** To the process that started it. */
export type FromProvider =
  | { readonly type: "ready"; readonly reattach: ReattachConfig | null }
  /** It cannot serve; a sentence. */
  | { readonly type: "refused"; readonly problem: string }
  /** `at`: milliseconds of the monotonic clock, which all processes share; null for never. */
  | { readonly type: "saw"; readonly id: number; readonly at: number | null }
  /** An exception that nobody caught, by class and code. The end of the process follows. */
  | { readonly type: "fault"; readonly fault: string }
  | { readonly type: "closed"; readonly usage: Usage };

/** Milliseconds of the monotonic clock; `performance.now` counts from the start of its process. */
export function monotonicNow(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}
