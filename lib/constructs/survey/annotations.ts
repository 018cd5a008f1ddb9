import { AnnotationMetadataEntryType, Annotations } from "cdktf";
import type { IConstruct } from "constructs";
import { IAM_TOKEN } from "../../provider/names";
import { TokenResolution } from "../token-resolution";
import type { TokenRecord } from "./registry";
import type { Use } from "./uses";

/** Attributes that are the same at every plan. */
const STEADY: ReadonlySet<string> = new Set(["header_name", "kind", "auth_url"]);

/** Ways in which each plan and apply issues the token, or looks it up, used or not. */
const ISSUED_BY_TERRAFORM: ReadonlySet<TokenResolution> = new Set([
  TokenResolution.EPHEMERAL,
  TokenResolution.DATA,
]);

/** How many users a message names. */
const NAMED = 5;

/**
 * Says which tokens nothing uses, and which `data` tokens stand where a plan will show them as a
 * change each time.
 */
export function annotateUses(tokens: readonly TokenRecord[], uses: readonly Use[]): void {
  const byToken = new Map<IConstruct, Use[]>();
  for (const use of uses) {
    const { construct } = use.record;
    const known = byToken.get(construct);
    if (known) known.push(use);
    else byToken.set(construct, [use]);
  }
  // Of a token with more than one object the first speaks for all.
  const objects = new Map<IConstruct, TokenRecord>(
    [...tokens].reverse().map((token) => [token.construct, token]),
  );
  for (const token of [...objects.values()].reverse()) {
    const its = byToken.get(token.construct) ?? [];
    if (its.length === 0 && ISSUED_BY_TERRAFORM.has(token.resolution)) {
      const verb = token.blockType === IAM_TOKEN ? "issued" : "looked up";
      annotateOnce(
        token.construct,
        AnnotationMetadataEntryType.INFO,
        `Nothing in the stack uses this token, yet it is ${verb} at each plan and apply. Hand it to what needs it, or remove it.`,
      );
    }
    if (token.resolution !== TokenResolution.DATA || token.blockType !== IAM_TOKEN) continue;
    const changing = its.filter((use) => isPlanned(use) && !STEADY.has(use.attribute ?? ""));
    if (changing.length === 0) continue;
    annotateOnce(
      token.construct,
      AnnotationMetadataEntryType.WARN,
      `This token is issued anew at every plan (resolution: data), so every plan shows a change of ${namesOf(changing.map((use) => use.user.node.path))}. ` +
        "Where an ephemeral value is accepted (provider block, write-only argument, provisioner), use TokenResolution.EPHEMERAL.",
    );
  }
}

/** A construct may be surveyed more than once: validated again, or in a stack inside another. */
export function annotateOnce(
  construct: IConstruct,
  level: AnnotationMetadataEntryType,
  message: string,
): void {
  if (construct.node.metadata.some((entry) => entry.type === level && entry.data === message))
    return;
  if (level === AnnotationMetadataEntryType.WARN) Annotations.of(construct).addWarning(message);
  else Annotations.of(construct).addInfo(message);
}

/** A list of what a message names: each once, and not too many. */
export function namesOf(all: readonly string[]): string {
  const names = [...new Set(all)];
  const rest = names.length - NAMED;
  return names.slice(0, NAMED).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}

/** Whether a new value there is a change that a plan shows. */
function isPlanned({ place }: Use): boolean {
  const { kind, names } = place;
  return (
    kind === "argument" || kind === "stored-argument" || (kind === "output" && names[0] === "value")
  );
}
