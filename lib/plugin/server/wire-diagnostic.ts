import type { Init } from "../protocol/message";
import { type Diagnostic as DiagnosticMessage, SEVERITY } from "../protocol/tfplugin6";
import type { BlockSchema, Diagnostic } from "../provider";

/**
 * Diagnostics in the protocol's form.
 *
 * Their paths end at the argument, and Terraform prints its line. A path without steps is sent as
 * it is; Terraform and OpenTofu then print no line at all. Without a path, they print the head of
 * the block.
 */
export function toWireDiagnostics(
  diagnostics: readonly Diagnostic[] = [],
  block?: BlockSchema,
): Init<(typeof DiagnosticMessage)["fields"]>[] {
  return diagnostics.map(({ severity, summary, detail, path }) => {
    const [argument] = path ?? [];
    const known = typeof argument === "string" && Object.hasOwn(block?.attributes ?? {}, argument);
    const nowhere = path?.length === 0;
    return {
      severity: SEVERITY[severity],
      summary,
      detail,
      attribute:
        known || nowhere ? { steps: known ? [{ attributeName: argument }] : [] } : undefined,
    };
  });
}
