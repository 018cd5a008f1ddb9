import { CtyError } from "../cty";
import { CancelledError } from "../grpc";
import type { Diagnostic } from "../provider";

/**
 * A name for an error that says nothing of what it holds: its class and its code, where these look
 * like names. The message of an arbitrary error may quote a request, and a request may carry a
 * secret.
 */
export function faultName(error: unknown): string {
  if (typeof error !== "object" || error === null) return "Error";
  const name =
    "name" in error && typeof error.name === "string" && /^[A-Za-z]{1,60}$/.test(error.name)
      ? error.name
      : "Error";
  const code =
    "code" in error && typeof error.code === "string" && /^[A-Z][A-Z0-9_]{1,60}$/.test(error.code)
      ? ` ${error.code}`
      : "";
  return name + code;
}

/** What a user is told when an operation threw instead of giving diagnostics. */
export function faultDiagnostic(error: unknown, operation: string): Diagnostic {
  if (error instanceof CancelledError || (error instanceof Error && error.name === "AbortError")) {
    return {
      severity: "error",
      summary: "Cancelled",
      detail: `${capitalized(operation)} was cancelled before it ended. Run again.`,
    };
  }
  if (error instanceof CtyError) {
    return {
      severity: "error",
      summary: "A value does not fit its type",
      detail: `${capitalized(operation)}: ${error.problem}.`,
      path: error.path,
    };
  }
  return {
    severity: "error",
    summary: "The provider failed unexpectedly",
    detail: `${capitalized(operation)} ended with ${faultName(error)}. This is a fault of the provider; its text is not shown, because it could hold a secret. Please report it.`,
  };
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
