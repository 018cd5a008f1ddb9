import type { IssueRequest, Revocation, RevokeRequest, Validation } from "../../identity";
import type { CtyObject } from "../../plugin/cty/value";
import type { OperationContext } from "../../plugin/provider";
import { type AuthUrl, defined, IamTokensError, parseRetryFor, setting } from "../../tokens";
import { isKnown } from "../configuration/argument";
import type { ExplainedOnce } from "../configuration/explained-once";
import { describeCredentials } from "../credentials/describe-credentials";
import type { ProviderBlock } from "../credentials/provider-block";
import { readCredential } from "../credentials/read-credential";
import { serviceAt, serviceOf } from "../credentials/service";
import type { IdentityAccess } from "../process/identity-access";
import type { ProcessContext } from "../process/process-context";
import { SecretReader } from "../secrets/secret-reader";
import { minRemainingOf, TERMS, toWanted } from "./wanted";

/** State of one configured provider. No secret is read before a token is requested. */
export interface IamSession {
  readonly block: ProviderBlock;
  /** Whether this is the provider of `iam-tokens run`. */
  readonly attached: boolean;
  /** Errors that this Terraform has reported; shared with its other provider blocks, if that is known. */
  readonly errors: ExplainedOnce;
}

/** Context of every operation of the provider's objects. */
export type IamContext = OperationContext<IamSession>;

/** A token, and where it was issued. */
export type StoredToken = Pick<RevokeRequest, "authUrl" | "token">;

/** How the objects get their tokens, and revoke them. */
export type TokenRequests = ReturnType<typeof createTokenRequests>;

/**
 * Combines block, provider block and process context into a request for the identity client.
 *
 * @param clock milliseconds of a clock that nobody sets
 */
export function createTokenRequests(
  identity: IdentityAccess,
  processContext: ProcessContext,
  clock?: () => number,
) {
  const reader = new SecretReader(processContext, identity, clock);
  /** Gets the token for a checked block; `storedIn` is the place where the token is stored, if it is. */
  const getBy =
    (issue: "obtain" | "issueOwn") =>
    async (config: CtyObject, context: IamContext, storedIn?: "state") => {
      const { signal, log } = context;
      const { block } = context.session;
      const description = await describeCredentials(block, processContext);
      const wanted = toWanted(config, description, processContext);
      const { credential, tls } = await readCredential(
        description,
        processContext,
        reader,
        context,
      );
      const request: IssueRequest = {
        credential,
        ...wanted,
        terms: TERMS,
        storedIn,
        tls,
        minRemainingMs: minRemainingOf(config),
        retryForMs: retryForOf(block),
      };
      const issued = await identity
        .client(log)
        [issue](request, signal)
        .catch((error: unknown) => {
          const rejected = IamTokensError.is(error) && error.code === "ERR_CREDENTIALS_REJECTED";
          if (rejected) reader.refused(description.secret);
          throw error;
        });
      return { issued, tls, description, wanted };
    };
  /** A request that a token makes by itself, if its address may be used, and its client. */
  const byItself = async ({ authUrl, token }: StoredToken, context: IamContext) => {
    const { block } = context.session;
    const service = await serviceAt(authUrl, block, identity, processContext, context);
    return { client: identity.client(context.log), request: { ...service, token } };
  };
  return {
    /**
     * A token that blocks with the same credential and scope may share, if they store it in one
     * place.
     */
    obtain: getBy("obtain"),
    /** A token that nobody else has or gets. */
    issueOwn: getBy("issueOwn"),
    /**
     * Revokes a token by itself, at the address that issued it: needs no credentials.
     *
     * @throws ERR_ADDRESS_NOT_ALLOWED, ERR_CERTIFICATE_INVALID, ERR_TOKEN_HIDDEN and the codes of the
     * answer
     */
    async revoke(stored: StoredToken, context: IamContext): Promise<Revocation> {
      const { client, request } = await byItself(stored, context);
      const retryForMs = retryForOf(context.session.block);
      return client.revoke({ ...request, ...defined({ retryForMs }) }, context.signal);
    },
    /** Whether a token would now be issued at this address: whoever edits a state gives another. */
    async issuesAt({ v3 }: AuthUrl, { session, ...reading }: IamContext): Promise<boolean> {
      try {
        const description = await describeCredentials(session.block, processContext);
        return (await serviceOf(description, identity, processContext, reading)).authUrl.v3 === v3;
      } catch (error) {
        if (!IamTokensError.is(error)) throw error;
        return false;
      }
    },
    /**
     * Asks the service about a token, by the token itself, once.
     *
     * @throws as revoke
     */
    async validate(stored: StoredToken, context: IamContext): Promise<Validation> {
      const { client, request } = await byItself(stored, context);
      return client.validate(request, context.signal);
    },
  };
}

function retryForOf({ retry_for }: ProviderBlock): number | undefined {
  return isKnown(retry_for) ? parseRetryFor(retry_for, setting("retry_for")) : undefined;
}
