import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ServiceSettings } from "./identity/settings";
import type { TwinParts } from "./identity-twin";

/** Where time and chance come from. */
export interface EmbeddedIdentityOptions {
  /**
   * Milliseconds since 1970. Lifetimes, the journal and the Date header go by it. Default: the
   * machine's clock.
   */
  readonly now?: () => number;
  /** Waits for the latency. Default: a timer, ended early by `stop()`. */
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Default: the machine's random source. */
  readonly randomBytes?: (size: number) => Buffer;
}

/** Settings and options, with the defaults of the latter. */
export function toParts(settings: ServiceSettings, options: EmbeddedIdentityOptions): TwinParts {
  return {
    settings,
    now: options.now ?? Date.now,
    random: options.randomBytes ?? randomBytes,
    wait: options.wait ?? ((milliseconds, signal) => sleep(milliseconds, undefined, { signal })),
  };
}
