import type { IssuedToken } from "../../identity";
import type { CtyObject } from "../../plugin/cty/value";
import { faultName } from "../../plugin/faults";
import type { AttributePath, Diagnostic } from "../../plugin/provider";
import { IamTokensError } from "../../tokens";
import { NOWHERE } from "../configuration/argument-path";
import { inRun, toDiagnostic, toWarning, warning } from "../configuration/diagnostics";
import { inWordsOfBlock } from "../credentials/provider-block";
import { IAM_TOKEN_ARGUMENTS } from "./iam-token-arguments";
import type { IamContext, IamSession } from "./token-requests";

/** Warnings about the issuing. Terraform prints warnings with one summary as one. */
export function warningsOf(issued: IssuedToken): readonly Diagnostic[] {
  return issued.warnings.map((detail) => warning("An IAM token was issued with a warning", detail));
}

/** The warning about a token that a revocation has not ended. */
export function notRevoked(error: unknown): readonly Diagnostic[] {
  return [toWarning("A token could not be revoked: it stays valid until it expires", error)];
}

/** A token's arguments with the provider's `base_url`, by which its destinations are judged. */
export function underBase(config: CtyObject, { block }: IamSession): CtyObject {
  return { ...config, base_url: block.base_url };
}

/**
 * The result of `get` for a block without mistakes. Otherwise diagnostics: of the mistakes, or of
 * the failure, on the argument that caused it if it is one of this block's.
 */
export async function attempt<Answer>(
  config: CtyObject,
  context: IamContext,
  validate: (config: CtyObject) => readonly Diagnostic[],
  get: () => Promise<Answer>,
): Promise<Answer | { readonly diagnostics: readonly Diagnostic[] }> {
  const { session } = context;
  const mistakes = validate(underBase(config, session));
  if (mistakes.length > 0) return { diagnostics: mistakes };
  try {
    return await get();
  } catch (error) {
    const path = pathOf(error);
    const { block, errors } = session;
    // A wrong password can fail in a hundred blocks.
    const reported = IamTokensError.is(error) ? errors.report(error) : error;
    // The line of a file that synthesis wrote tells the program's author nothing.
    const elsewhere = block.declared_by === undefined ? undefined : NOWHERE;
    return { diagnostics: [failureOf(reported, context, path ?? elsewhere)] };
  }
}

/** The diagnostic of a failure; of an unexpected one, the log has the class. */
export function failureOf(
  error: unknown,
  { session, log }: IamContext,
  path?: AttributePath,
): Diagnostic {
  if (!IamTokensError.is(error)) log("error", "unexpected failure", { fault: faultName(error) });
  return toDiagnostic(forReader(session, error), path);
}

/**
 * An error in the words of whoever reads it: of the program that declared the block, and of `run`.
 */
export function forReader<E>(
  { block, attached }: Pick<IamSession, "block" | "attached">,
  error: E,
): E | IamTokensError {
  return inWordsOfBlock(block, inRun(error, attached));
}

/** The path in the token's own block: a path from here cannot point into the provider block. */
function pathOf(error: unknown): AttributePath | undefined {
  if (!IamTokensError.is(error)) return undefined;
  const own = error.settings.find((name) => Object.hasOwn(IAM_TOKEN_ARGUMENTS, name));
  return own === undefined ? undefined : [own];
}
