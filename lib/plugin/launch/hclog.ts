import type { Log, LogLevel } from "../provider";

const LEVELS: readonly LogLevel[] = ["trace", "debug", "info", "warn", "error"];

interface HclogOptions {
  readonly write: (line: string) => unknown;
  /** Printed as `@module`: `provider.NAME`. */
  readonly module: string;
  /** Lower levels are not written; undefined writes nothing. */
  readonly level: LogLevel | undefined;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Writes lines in hclog's JSON form, which Terraform prints with their levels under TF_LOG. */
export function createHclog(options: HclogOptions): Log {
  const least = options.level === undefined ? LEVELS.length : LEVELS.indexOf(options.level);
  return (level, message, fields = {}) => {
    if (LEVELS.indexOf(level) < least) return;
    const line = {
      ...fields,
      "@level": level,
      "@message": message,
      // go-plugin requires exactly six digits after the second; otherwise the whole line becomes
      // the message.
      "@timestamp": new Date(options.clock()).toISOString().replace("Z", "000Z"),
      "@module": options.module,
    };
    options.write(`${JSON.stringify(line)}\n`);
  };
}

/**
 * Terraform's level for a provider's lines: TF_LOG_PROVIDER, otherwise TF_LOG. Undefined if it
 * prints none, and none need be written. JSON and unknown words mean trace, as in Terraform.
 */
export function logLevelOf(
  env: Readonly<Record<string, string | undefined>>,
): LogLevel | undefined {
  const wanted = (env.TF_LOG_PROVIDER || env.TF_LOG || "off").toLowerCase();
  if (wanted === "off") return undefined;
  return LEVELS.find((level) => level === wanted) ?? "trace";
}
