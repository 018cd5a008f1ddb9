import type { IConstruct } from "constructs";
import { Mistakes } from "../props/mistakes";
import { quoted } from "../props/quoted";
import { acknowledge, WARNINGS, type WarningCode } from "./warnings";

const CODES = Object.keys(WARNINGS);

/**
 * The warnings of this package at synthesis. Each ends with its code in brackets. Once you
 * acknowledge that code, synthesis no longer gives the warning.
 *
 * By default, all are given. Errors, and messages of Terraform runs, cannot be acknowledged.
 *
 * @see docs/errors.md, which lists the codes
 * @example
 * // The agents of this workspace have Node.js and the secret.
 * TokenWarnings.of(stack).acknowledge("WARN_REMOTE_RUNS");
 */
export class TokenWarnings {
  /** @param scope the app, a stack or a construct: includes everything in it */
  static of(scope: IConstruct): TokenWarnings {
    return new TokenWarnings(scope);
  }

  private constructor(private readonly scope: IConstruct) {}

  /**
   * Acknowledges warnings, before or after the declaration that causes them. An unknown code gives
   * ERR_PROP_INVALID at synthesis.
   *
   * @param codes the codes at the end of the warnings, such as `WARN_REMOTE_RUNS`
   */
  acknowledge(...codes: string[]): void {
    const mistakes = new Mistakes();
    for (const code of codes as readonly unknown[]) {
      if (isCode(code)) acknowledge(this.scope, code);
      else {
        mistakes.add("ERR_PROP_INVALID", `TokenWarnings.acknowledge was given ${quoted(code)}.`, {
          allowed: CODES.join(", "),
        });
      }
    }
    if (mistakes.messages.length > 0)
      this.scope.node.addValidation({ validate: () => mistakes.messages });
  }
}

function isCode(value: unknown): value is WarningCode {
  return typeof value === "string" && Object.hasOwn(WARNINGS, value);
}
