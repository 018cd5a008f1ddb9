import type { Log, LogLevel } from "../provider";

const LEVELS: readonly LogLevel[] = ["trace", "debug", "info", "warn", "error"];

interface HclogOptions {
  readonly sink: { write(line: string): unknown };
  /** Shown as `@module`: `provider.NAME`. */
  readonly module: string;
  /** Lines below it are not written; undefined writes none. */
  readonly level: LogLevel | undefined;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Writes lines in the JSON form of hclog, which Terraform shows under TF_LOG with their levels. */
export function createHclog(options: HclogOptions): Log {
  const least = options.level === undefined ? LEVELS.length : LEVELS.indexOf(options.level);
  return (level, message, fields = {}) => {
    if (LEVELS.indexOf(level) < least) return;
    const line = {
      ...fields,
      "@level": level,
      "@message": message,
      // go-plugin takes exactly six digits of a second, or the whole line as text.
      "@timestamp": new Date(options.clock()).toISOString().replace("Z", "000Z"),
      "@module": options.module,
    };
    options.sink.write(`${JSON.stringify(line)}\n`);
  };
}

/**
 * The level that Terraform will show of a provider's lines: TF_LOG_PROVIDER, else TF_LOG. Undefined
 * when it shows none, so that none need be written. JSON and words that are no level mean trace, as
 * they do to Terraform.
 */
export function logLevelOf(
  env: Readonly<Record<string, string | undefined>>,
): LogLevel | undefined {
  const wanted = (env.TF_LOG_PROVIDER || env.TF_LOG || "off").toLowerCase();
  if (wanted === "off") return undefined;
  return LEVELS.find((level) => level === wanted) ?? "trace";
}
