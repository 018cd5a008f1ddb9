import { AnnotationMetadataEntryType } from "cdktf";
import {
  isProductArea,
  mayManage,
  PRODUCT_AREAS,
  type ProductAreaId,
  tokenKindsFor,
} from "../../tokens";
import type { IAuthenticationToken } from "../authentication-token";
import { MayManage } from "../may-manage";
import { annotateOnce } from "../survey/annotations";
import type { Mistakes } from "./mistakes";
import { shown } from "./shown";

const ANSWERS = { yes: MayManage.YES, no: MayManage.NO, unknown: MayManage.UNKNOWN } as const;

/** Whether a token may manage an area. Something that is no area is a mistake, and unknown. */
export function mayManageArea(
  { kind }: Pick<IAuthenticationToken, "kind">,
  area: unknown,
  mistakes: Mistakes,
): MayManage {
  if (isProductArea(area)) return ANSWERS[mayManage(kind, area)];
  mistakes.add("ERR_PROP_INVALID", `The area is ${shown(area)}.`, { allowed: "a ProductArea" });
  return MayManage.UNKNOWN;
}

/**
 * Refuses a token that may not manage an area, and says so where it is not known: that is no
 * refusal, but no consent either.
 */
export function checkMayManage(
  token: IAuthenticationToken,
  area: unknown,
  mistakes: Mistakes,
): void {
  const answer = mayManageArea(token, area, mistakes);
  if (!isProductArea(area) || answer === MayManage.YES) return;
  const kinds = tokenKindsFor(area).join(", ");
  if (answer === MayManage.NO) {
    mistakes.add(
      "ERR_KIND_UNSUITABLE",
      `A token of the kind ${token.kind} does not manage ${nameOf(area)}; these do: ${kinds}.`,
    );
    return;
  }
  annotateOnce(
    token,
    AnnotationMetadataEntryType.WARN,
    `Whether a token of the kind ${token.kind} may manage ${nameOf(area)} is not documented; these may: ${kinds}.`,
  );
}

function nameOf(area: ProductAreaId): string {
  return PRODUCT_AREAS[area] ?? area.replaceAll("_", " ");
}
