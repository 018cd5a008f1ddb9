import { IAM_TOKEN } from "../../provider/names";
import type { TokenRecord } from "../declarations/registry";
import { TokenResolution } from "../values/token-resolution";
import { informOnce, namesOf, warnOnce } from "../warnings/annotate";
import type { Use } from "./uses";

/** Attributes that are the same at every plan. */
const STEADY: ReadonlySet<string | undefined> = new Set(["header_name", "kind", "auth_url"]);

/** Ways in which each plan and apply issues or reads the token, even if nothing uses it. */
const ISSUED_BY_TERRAFORM: ReadonlySet<TokenResolution> = new Set([
  TokenResolution.EPHEMERAL,
  TokenResolution.DATA,
]);

/**
 * Adds notes about tokens that nothing uses, and about `data` tokens in places that every plan
 * reports as changed.
 */
export function annotateUses(tokens: readonly TokenRecord[], uses: readonly Use[]): void {
  // A token may have several objects. Their notes are the same, and given once.
  for (const token of tokens) {
    const its = uses.filter(({ record }) => record.construct === token.construct);
    if (its.length === 0 && ISSUED_BY_TERRAFORM.has(token.resolution)) {
      const verb = token.blockType === IAM_TOKEN ? "issued" : "looked up";
      informOnce(
        token.construct,
        "WARN_TOKEN_UNUSED",
        `Nothing in the stack uses this token, but it is ${verb} at each plan and apply. Use it, or remove it.`,
      );
    }
    if (token.resolution !== TokenResolution.DATA || token.blockType !== IAM_TOKEN) continue;
    const changing = its.filter((use) => isPlanned(use) && !STEADY.has(use.attribute));
    if (changing.length === 0) continue;
    warnOnce(
      token.construct,
      "WARN_TOKEN_CHANGES",
      `This token is new in every plan (resolution: data), so every apply changes ${namesOf(changing.map((use) => use.user.node.path))}. ` +
        "Where the token is stored, use TokenResolution.ROTATING, whose token stays the same between rotations; " +
        "where an ephemeral value is accepted (provider block, write-only argument, provisioner), use TokenResolution.EPHEMERAL.",
    );
  }
}

/** Whether a new value there changes something; an output's changes nothing but itself. */
function isPlanned({ place: { kind } }: Use): boolean {
  return kind === "argument" || kind === "stored-argument";
}
