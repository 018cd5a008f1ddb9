import type { IConstruct } from "constructs";
import { IAM_TOKEN } from "../../provider/names";
import { informOnce, namesOf, warnOnce } from "../blocks/annotate";
import type { TokenRecord } from "../blocks/registry";
import { TokenResolution } from "../values/token-resolution";
import type { Use } from "./uses";

/** Attributes that are the same at every plan. */
const STEADY: ReadonlySet<string> = new Set(["header_name", "kind", "auth_url"]);

/** Ways in which each plan and apply issues the token, or looks it up, used or not. */
const ISSUED_BY_TERRAFORM: ReadonlySet<TokenResolution> = new Set([
  TokenResolution.EPHEMERAL,
  TokenResolution.DATA,
]);

/**
 * Says which tokens nothing uses, and which `data` tokens stand where a plan will show them as a
 * change each time.
 */
export function annotateUses(tokens: readonly TokenRecord[], uses: readonly Use[]): void {
  // Of a token with more than one object the first speaks for all.
  const objects = new Map<IConstruct, TokenRecord>(
    [...tokens].reverse().map((token) => [token.construct, token]),
  );
  for (const token of [...objects.values()].reverse()) {
    const its = uses.filter(({ record }) => record.construct === token.construct);
    if (its.length === 0 && ISSUED_BY_TERRAFORM.has(token.resolution)) {
      const verb = token.blockType === IAM_TOKEN ? "issued" : "looked up";
      informOnce(
        token.construct,
        `Nothing in the stack uses this token, yet it is ${verb} at each plan and apply. Hand it to what needs it, or remove it.`,
      );
    }
    if (token.resolution !== TokenResolution.DATA || token.blockType !== IAM_TOKEN) continue;
    const changing = its.filter((use) => isPlanned(use) && !STEADY.has(use.attribute ?? ""));
    if (changing.length === 0) continue;
    warnOnce(
      token.construct,
      `This token is issued anew at every plan (resolution: data), so every apply changes ${namesOf(changing.map((use) => use.user.node.path))}. ` +
        "For what stores the token use TokenResolution.ROTATING, whose token stays the same between rotations; " +
        "where an ephemeral value is accepted (provider block, write-only argument, provisioner), TokenResolution.EPHEMERAL.",
    );
  }
}

/** Whether a new value there changes something; that of an output changes nothing but itself. */
function isPlanned({ place: { kind } }: Use): boolean {
  return kind === "argument" || kind === "stored-argument";
}
