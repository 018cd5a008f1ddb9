import REMOVED_VARIABLES from "./removed-variables.json";

/**
 * What the launcher makes of an environment, for a provider that is started without it.
 *
 * The variables that it takes out (removed-variables.json) make Node.js load, print or trust
 * something else, or start slowly. What a user set for their own programs must not reach a provider
 * that holds secrets; NODE_CHANNEL_FD and NODE_UNIQUE_ID would even stop its start.
 *
 * @param extraCaVariable hands NODE_EXTRA_CA_CERTS on, to be honoured where a TLS connection is
 * made
 */
export function cleanEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  extraCaVariable: string,
): Record<string, string | undefined> {
  const clean = { ...env };
  if (env.NODE_EXTRA_CA_CERTS) clean[extraCaVariable] = env.NODE_EXTRA_CA_CERTS;
  for (const name of REMOVED_VARIABLES) delete clean[name];
  return clean;
}
