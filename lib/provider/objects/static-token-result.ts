import type { CtyObject } from "../../plugin/cty/value";
import { headerNameOf, type Secret } from "../../tokens";
import { assertHeaderSafe } from "../secrets/header-safe";
import { readSecret } from "../secrets/read-secret";
import type { SecretReference } from "../secrets/secret-reference";
import type { Surroundings } from "../surroundings";

const KIND = "static_token";

/**
 * Looks a static token up, and sees that a header can carry it.
 *
 * @throws ERR_SECRET_UNUSABLE and the other ERR_SECRET_… codes
 */
export async function readStaticToken(
  reference: SecretReference,
  surroundings: Surroundings,
): Promise<Secret> {
  const token = await readSecret(reference, surroundings);
  assertHeaderSafe(placeOf(reference), token);
  return token;
}

/** The block with its computed attributes filled in. */
export function toStaticTokenResult(config: CtyObject, token: Secret): CtyObject {
  const headerName = headerNameOf(KIND);
  return {
    ...config,
    token: token.reveal(),
    header_name: headerName,
    headers: { [headerName]: token.reveal() },
    kind: KIND,
    // The strength of a static token is not known: the digest of a weak one could be guessed.
    fingerprint: null,
  };
}

function placeOf(reference: SecretReference): string {
  if (reference.kind === "env") return `The environment variable ${reference.name}`;
  return reference.kind === "file"
    ? `The file ${JSON.stringify(reference.path)}`
    : reference.origin;
}
