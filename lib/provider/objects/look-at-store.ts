import type { CtyObject, CtyValue } from "../../plugin/cty/value";
import type { Diagnostic } from "../../plugin/provider";
import { fingerprintOf, parseAuthUrl, Secret } from "../../tokens";
import { toWarning, warning } from "../configuration/diagnostics";
import { rememberSecret } from "../secrets/known-secrets";
import type { Occasion } from "./planned-rotation";
import { sendable } from "./stored-token";
import { forReader } from "./token-diagnostics";
import type { IamContext, TokenRequests } from "./token-requests";

type Found = Pick<Occasion, "revisable" | "warnings">;

/** Decides whether the token that a store holds is a reason to rotate. */
export type LookAtStore = (
  stored: CtyValue,
  prior: CtyObject,
  context: IamContext,
) => Promise<Found>;

const NOTHING: Found = {};
const NOT_ASKED = "Nobody was asked about the token that the store holds: the clock decides";

const ANOTHER =
  "The store does not hold the token that the last rotation pushed: its push failed, or the secret was changed or restored. If this comes again, the store gives back something else than it gets: compare path, field and encoding of the block that reads it and of the resource that writes it; and see that nothing else pushes to it.";

/** The token that a store holds; undefined while it is not known, or if none is given. */
function heldIn(stored: CtyValue): string | undefined {
  return typeof stored === "string" ? stored.trim() : undefined;
}

/** The fingerprint of a write-only token; null without one. */
export function fingerprintIn(stored: CtyValue): string | null {
  const token = heldIn(stored);
  return token ? fingerprintOf(Secret.of(token)) : null;
}

/** Whether the store gives back something else than what the last rotation pushed. */
function isAnother(stored: CtyValue, { pushed_fingerprint }: CtyObject): boolean {
  const found = fingerprintIn(stored);
  return found !== null && typeof pushed_fingerprint === "string" && found !== pushed_fingerprint;
}

/**
 * Providers save what was planned although their update failed, so the state cannot tell what a
 * store holds. Terraform plans twice, and the second answer may be another one: what is found here
 * is never certain.
 */
export function createLookAtStore(requests: TokenRequests): LookAtStore {
  return async (stored, prior, context) => {
    const held = heldIn(stored);
    if (held === undefined) return NOTHING;
    if (held === "") return { revisable: "The store holds no token: what it gave back is empty." };
    rememberSecret(held);
    if (isAnother(stored, prior)) return { revisable: ANOTHER };
    const token = sendable(held);
    if (token === undefined)
      return warned(
        "What the store gave back has characters that no token has. Compare path, field and encoding.",
      );
    const { given, unknown } = context.session.block.source;
    if (unknown.length > 0) return NOTHING;
    // Whoever brings a clouds.yaml, or sets the environment, does not get it.
    const address = given.find(({ argument }) => argument === "auth_url")?.text;
    if (address === undefined)
      return warned(
        "The provider block of the rotation has no auth_url of its own; the service of a cloud or of the environment is not asked. Give it a block with the token's: provider = iam.NAME.",
      );
    try {
      const authUrl = parseAuthUrl(address);
      if ((await requests.validate({ authUrl, token }, context)) === "alive") return NOTHING;
      return {
        revisable:
          "The service refuses the token that the store holds: it was revoked, or its user's password was changed.",
      };
    } catch (error) {
      return { warnings: [toWarning(NOT_ASKED, forReader(context.session, error))] };
    }
  };
}

const warned = (detail: string): { warnings: readonly Diagnostic[] } => ({
  warnings: [warning(NOT_ASKED, detail)],
});
