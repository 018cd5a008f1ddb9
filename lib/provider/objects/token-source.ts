import type {
  IssuedToken,
  IssueRequest,
  Revocation,
  RevokeRequest,
  Validation,
} from "../../identity";
import type { CtyObject } from "../../plugin/cty/value";
import { faultName } from "../../plugin/faults";
import type { AttributePath, Diagnostic, OperationContext } from "../../plugin/provider";
import { type AuthUrl, defined, IamTokensError, parseRetryFor } from "../../tokens";
import type { CandidatesOnce } from "../../tokens/candidates";
import { isKnown, NOWHERE, pathTo } from "../configuration/argument";
import { inRun, toDiagnostic, toWarning, warning } from "../configuration/diagnostics";
import {
  credentialsFor,
  describeCredentials,
  describeTlsFiles,
  readCredential,
  readTlsFiles,
} from "../credentials/credentials";
import { inWordsOfBlock, type ProviderBlock } from "../credentials/provider-block";
import { assertAllowedAuthUrl, hasAllowedAuthUrls } from "../process/allow-list";
import type { IdentityAccess } from "../process/identity-access";
import type { ProcessContext } from "../process/process-context";
import { SecretReader } from "../secrets/secret-reader";
import { assertDestinations } from "./destinations";
import { minRemainingOf, toWanted } from "./iam-token-arguments";

/** State of one configured provider. No secret is read before a token is requested. */
export interface IamSession {
  readonly block: ProviderBlock;
  /** Whether this is the provider of `iam-tokens run`. */
  readonly attached: boolean;
  /** Errors that this run of Terraform has reported; shared with its other provider blocks. */
  readonly errors: CandidatesOnce;
}

/** How the objects get their tokens, and revoke them. */
export type TokenSource = ReturnType<typeof createTokenSource>;

/** Combines block, provider block and process context into a request for the identity client. */
export function createTokenSource(identity: IdentityAccess, processContext: ProcessContext) {
  const reader = new SecretReader(processContext, identity);
  /** Gets the token for a checked block; `keptIn` is the place where the token is stored. */
  const get =
    (way: "obtain" | "issueOwn") =>
    async (
      config: CtyObject,
      { session, signal, log }: OperationContext<IamSession>,
      keptIn: "memory" | "state",
    ) => {
      const description = await describeCredentials(session.block, processContext);
      assertDestinations(config, session.block.base_url);
      const wanted = toWanted(config, description, processContext);
      const { credential, tls } = await readCredential(description, processContext, reader, {
        signal,
        log,
      });
      const request: IssueRequest = {
        credential,
        ...wanted,
        keptIn,
        ...defined({
          tls,
          minRemainingMs: minRemainingOf(config),
          retryForMs: retryForOf(session.block),
        }),
      };
      const client = identity.client(log);
      const issued = await client[way](request, signal).catch((error: unknown) => {
        const rejected = IamTokensError.is(error) && error.code === "ERR_CREDENTIALS_REJECTED";
        if (rejected) reader.refused(description.secret);
        throw error;
      });
      return { issued, tls };
    };
  /** What a request needs that a token makes by itself, if its address may be used. */
  const tlsByItself = async (authUrl: AuthUrl, block: ProviderBlock) => {
    assertAllowedAuthUrl(authUrl, processContext);
    const files = await describeTlsFiles(authUrl, block, processContext);
    return readTlsFiles(files, processContext);
  };
  return {
    /**
     * A token that blocks with the same credential and scope may share, if they store it in one
     * place.
     */
    obtain: get("obtain"),
    /** A token that nobody else has or gets. */
    issueOwn: get("issueOwn"),
    /**
     * Revokes a token by itself, at the address that issued it: needs no credentials. The address is
     * confirmed if not only its caller names it.
     *
     * @throws ERR_ADDRESS_NOT_ALLOWED, ERR_CERTIFICATE_INVALID and the codes of the answer
     */
    async revoke(
      { authUrl, token }: Pick<RevokeRequest, "authUrl" | "token">,
      { session: { block }, signal, log }: OperationContext<IamSession>,
    ): Promise<{ readonly revocation: Revocation; readonly isConfirmed: boolean }> {
      const tls = await tlsByItself(authUrl, block);
      const client = identity.client(log);
      const more = defined({ tls, retryForMs: retryForOf(block) });
      const revocation = await client.revoke({ authUrl, token, ...more }, signal);
      const credentials = await credentialsFor(authUrl, block, processContext);
      const isConfirmed = credentials !== undefined || hasAllowedAuthUrls(processContext);
      return { revocation, isConfirmed };
    },
    /**
     * Asks the service about a token, by the token itself, once.
     *
     * @throws as revoke
     */
    async validate(
      { authUrl, token }: Pick<RevokeRequest, "authUrl" | "token">,
      { session: { block }, signal, log }: OperationContext<IamSession>,
    ): Promise<Validation> {
      const tls = await tlsByItself(authUrl, block);
      return identity.client(log).validate({ authUrl, token, ...defined({ tls }) }, signal);
    },
  };
}

function retryForOf({ retry_for }: ProviderBlock): number | undefined {
  return isKnown(retry_for) ? parseRetryFor(retry_for, "retry_for") : undefined;
}

/** Warnings about the issuing. Terraform prints warnings with one summary as one. */
export function warningsOf(issued: IssuedToken): readonly Diagnostic[] {
  return issued.warnings.map((detail) => warning("An IAM token was issued with a warning", detail));
}

/** The warning about a token that a revocation has not ended. */
export function notRevoked(error: unknown): readonly Diagnostic[] {
  return [toWarning("A token could not be revoked: it stays valid until it expires", error)];
}

/**
 * The result of `get` for a block without mistakes. Otherwise diagnostics: of the mistakes, or of
 * the failure, on the argument that caused it if it is one of this block's.
 */
export async function attempt<Answer>(
  config: CtyObject,
  context: OperationContext<IamSession>,
  validate: (config: CtyObject) => readonly Diagnostic[],
  get: () => Promise<Answer>,
): Promise<Answer | { readonly diagnostics: readonly Diagnostic[] }> {
  const mistakes = validate(config);
  if (mistakes.length > 0) return { diagnostics: mistakes };
  try {
    return await get();
  } catch (error) {
    const path = pathOf(error, config);
    const { block, errors } = context.session;
    // A wrong password can fail in a hundred blocks.
    const reported = IamTokensError.is(error) ? errors.report(error, path ? {} : block) : error;
    // The line of a file that synthesis wrote tells the program's author nothing.
    const elsewhere = block.declared_by === undefined ? undefined : NOWHERE;
    return { diagnostics: [failureOf(reported, context, path ?? elsewhere)] };
  }
}

/** The diagnostic of a failure; of an unexpected one, the log has the class. */
export function failureOf(
  error: unknown,
  { session, log }: OperationContext<IamSession>,
  path?: AttributePath,
): Diagnostic {
  if (!IamTokensError.is(error)) log("error", "unexpected failure", { fault: faultName(error) });
  return toDiagnostic(inWordsOf(session, error), path);
}

/** An error in the words of whoever reads it: of the program that declared the block, and of `run`. */
export function inWordsOf<E>(
  { block, attached }: Pick<IamSession, "block" | "attached">,
  error: E,
): E | IamTokensError {
  return inWordsOfBlock(block, inRun(error, attached));
}

/** The path in the token's own block: a path from here cannot point into the provider block. */
function pathOf(error: unknown, config: CtyObject): AttributePath | undefined {
  if (!IamTokensError.is(error)) return undefined;
  if (error.code === "ERR_LIFETIME_TOO_SHORT" && (config.min_remaining ?? null) !== null)
    return ["min_remaining"];
  if (error.code === "ERR_DESTINATION_REFUSED") return pathTo("destinations", config.destinations);
  if (error.code === "ERR_SCOPE_INVALID")
    return [config.scope === "account" ? "scope" : "project_name"];
  return undefined;
}
