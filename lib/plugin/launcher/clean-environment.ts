import REMOVED_VARIABLES from "./removed-variables.json";

/**
 * Cleans an environment like the launcher, for a provider that starts without it.
 *
 * The variables that it removes (removed-variables.json) make Node.js load, print or trust
 * something else, or start slowly. Users set them for their own programs, and they must not affect
 * a provider that has secrets. NODE_CHANNEL_FD and NODE_UNIQUE_ID would even stop its start, and
 * with WATCH_REPORT_DEPENDENCIES, which `node --watch` sets, it would first report the files that
 * it loads.
 *
 * @param extraCaVariable gets the value of NODE_EXTRA_CA_CERTS, which a TLS connection then uses
 */
export function cleanEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  extraCaVariable: string,
): Record<string, string | undefined> {
  const clean = { ...env };
  if (env.NODE_EXTRA_CA_CERTS) clean[extraCaVariable] = env.NODE_EXTRA_CA_CERTS;
  // In NODE_OPTIONS, the option of the same meaning is lost.
  if (env.NODE_OPTIONS?.split(/\s+/).includes("--use-system-ca")) clean.NODE_USE_SYSTEM_CA = "1";
  for (const name of REMOVED_VARIABLES) delete clean[name];
  return clean;
}
