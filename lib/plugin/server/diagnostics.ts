import { CtyError } from "../cty/value";
import { faultName, isCancelled } from "../faults";
import type { Diagnostic } from "../provider";

export function hasError(diagnostics: readonly Diagnostic[] = []): boolean {
  return diagnostics.some(({ severity }) => severity === "error");
}

/**
 * Adds an error if an operation returned neither a result nor one: Terraform's own message about
 * that is for its developers.
 */
export function complete(
  result: object | undefined,
  diagnostics: readonly Diagnostic[] = [],
): readonly Diagnostic[] {
  if (result !== undefined || hasError(diagnostics)) return diagnostics;
  const detail = "This is a bug in the provider. Please report it.";
  return [...diagnostics, toError("The provider returned no result", detail)];
}

/** Diagnostic of an operation that threw. */
export function faultDiagnostic(error: unknown, operation: string): Diagnostic {
  const subject = operation.charAt(0).toUpperCase() + operation.slice(1);
  if (isCancelled(error))
    return toError("Cancelled", `${subject} was cancelled before it ended. Run again.`);
  if (error instanceof CtyError) {
    const { problem, path } = error;
    return { ...toError("A value does not fit its type", `${subject}: ${problem}.`), path };
  }
  return toError(
    "Internal error in the provider",
    `${subject} ended with ${faultName(error)}. This is a bug in the provider. Its message is not printed because it could hold a secret. Please report it.`,
  );
}

function toError(summary: string, detail: string): Diagnostic {
  return { severity: "error", summary, detail };
}
