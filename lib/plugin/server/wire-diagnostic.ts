import type { CtyType } from "../cty";
import {
  type AttributePathStep,
  type Diagnostic as DiagnosticMessage,
  type Init,
  Severity,
} from "../protocol";
import type { AttributePath, BlockSchema, Diagnostic } from "../provider";

/**
 * Diagnostics as the protocol carries them. The block tells attribute names from map keys in their
 * paths.
 */
export function toWireDiagnostics(
  diagnostics: readonly Diagnostic[] | undefined,
  block?: BlockSchema,
): Init<DiagnosticMessage>[] {
  return (diagnostics ?? []).map(({ severity, summary, detail, path }) => {
    const steps = path === undefined || block === undefined ? [] : toSteps(path, block);
    // A path without steps is sent as such: Terraform and OpenTofu then show no line at all.
    // Without one they show the head of the block.
    const nowhere = path?.length === 0;
    return {
      severity: severity === "error" ? Severity.SEVERITY_ERROR : Severity.SEVERITY_WARNING,
      summary,
      detail,
      attribute: steps.length === 0 && !nowhere ? undefined : { steps },
    };
  });
}

/**
 * As far as the path leads to a place in the configuration. Inside of a set there is none. At an
 * attribute of an object Terraform looks for a nested block of that name and, as there is none,
 * shows the head of the whole block: so the path ends before it, and the line of the argument is
 * shown.
 */
export function toSteps(path: AttributePath, block: BlockSchema): Init<AttributePathStep>[] {
  const [first, ...rest] = path;
  if (typeof first !== "string" || !Object.hasOwn(block.attributes, first)) return [];
  const steps: Init<AttributePathStep>[] = [{ attributeName: first }];
  let type = block.attributes[first]?.type;
  for (const part of rest) {
    const next = type === undefined ? undefined : toStep(part, type);
    if (next === undefined) break;
    steps.push(next.step);
    type = next.type;
  }
  return steps;
}

function toStep(
  part: string | number,
  type: CtyType,
): { step: Init<AttributePathStep>; type: CtyType | undefined } | undefined {
  if (typeof type === "string") return undefined;
  const [kind, of] = type;
  if (kind === "map" && typeof part === "string")
    return { step: { elementKeyString: part }, type: of };
  if (kind === "list" && typeof part === "number")
    return { step: { elementKeyInt: part }, type: of };
  if (kind === "tuple" && typeof part === "number")
    return { step: { elementKeyInt: part }, type: of[part] };
  return undefined;
}
