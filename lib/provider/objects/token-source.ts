import type { IssuedToken, IssueRequest, TlsMaterial } from "../../identity";
import type { CtyObject } from "../../plugin/cty/value";
import type { AttributePath, Diagnostic, OperationContext } from "../../plugin/provider";
import { defined, IamTokensError, parseRetryFor } from "../../tokens";
import { isKnown, pathTo } from "../configuration/argument";
import { classOf, toDiagnostic } from "../configuration/diagnostics";
import type { ProviderBlock } from "../credentials/provider-block";
import { readCredential } from "../credentials/read-credential";
import type { IdentityAccess } from "../process/identity-access";
import type { Surroundings } from "../process/surroundings";
import { withoutSecrets } from "../secrets/known-secrets";
import { describeCredentials } from "../sources/describe-credentials";
import { assertDestinations } from "./destinations";
import { toIamTokenArguments, toScope } from "./iam-token-arguments";

/** What is kept for one configured provider. No secret is read before a token is asked for. */
export interface IamSession {
  readonly block: ProviderBlock;
  /** Refusals that this run of Terraform has been told in full. */
  readonly toldRefusals: Set<string>;
  /** Remarks about its credentials that it has been told. */
  readonly toldRemarks: Set<string>;
}

/** A token, and what a later request about it needs for TLS. */
interface ObtainedToken {
  readonly issued: IssuedToken;
  readonly tls: TlsMaterial | undefined;
}

/** Gets the token that a checked block asks for; `keptIn` says where it ends up. */
type Get = (
  config: CtyObject,
  context: OperationContext<IamSession>,
  keptIn: "memory" | "state",
) => Promise<ObtainedToken>;

export interface TokenSource {
  /** One that blocks of the same credential and scope may share, if it ends up in one place. */
  readonly obtain: Get;
  /** One that nobody else has or gets. */
  readonly issueOwn: Get;
}

/** Joins block, provider block and surroundings to a request for the process's identity client. */
export function createTokenSource(
  identity: IdentityAccess,
  surroundings: Surroundings,
): TokenSource {
  const get =
    (way: keyof TokenSource): Get =>
    async (config, { session, signal, log }, keptIn) => {
      const wanted = toIamTokenArguments(config);
      const description = await describeCredentials(session.block, surroundings);
      assertDestinations(config, session.block.base_url);
      const scope = toScope(wanted, description, surroundings);
      const { credential, tls } = await readCredential(description, surroundings);
      const request: IssueRequest = {
        credential,
        scope,
        keptIn,
        ...defined({
          tls,
          minRemainingMs: wanted.minRemainingMs ?? undefined,
          retryForMs: retryForOf(session.block),
        }),
      };
      const client = await identity.client(log);
      const issued = await client[way](request, signal);
      return { issued: withRemark(issued, description.remark, session), tls };
    };
  return { obtain: get("obtain"), issueOwn: get("issueOwn") };
}

function retryForOf({ retry_for }: ProviderBlock): number | undefined {
  return isKnown(retry_for) ? parseRetryFor(retry_for, "retry_for") : undefined;
}

/** What is odd about the credentials is told with the first token of a run that they gave. */
function withRemark(
  issued: IssuedToken,
  remark: string | undefined,
  { toldRemarks }: IamSession,
): IssuedToken {
  if (remark === undefined || toldRemarks.has(remark)) return issued;
  toldRemarks.add(remark);
  return { ...issued, warnings: [remark, ...issued.warnings] };
}

/** What was odd about the issuing. Warnings of one summary are shown as one by Terraform. */
export function warningsOf(issued: IssuedToken): readonly Diagnostic[] {
  return issued.warnings.map((detail) => ({
    severity: "warning",
    summary: "An IAM token was issued with a remark",
    detail,
  }));
}

/**
 * What `get` makes of a block without mistakes; else the diagnostics of these, or of what failed,
 * on the argument that is to blame when it is one of this block's.
 */
export async function attempt<Answer>(
  config: CtyObject,
  { session, log }: OperationContext<IamSession>,
  validate: (config: CtyObject) => readonly Diagnostic[],
  get: () => Promise<Answer>,
): Promise<Answer | { readonly diagnostics: readonly Diagnostic[] }> {
  const mistakes = validate(config);
  if (mistakes.length > 0) return { diagnostics: mistakes };
  try {
    return await get();
  } catch (thrown) {
    const error = IamTokensError.is(thrown) ? withoutSecrets(thrown) : thrown;
    if (!IamTokensError.is(error)) log("error", "unexpected failure", { class: classOf(error) });
    const told = inShort(error, session.toldRefusals);
    return { diagnostics: [toDiagnostic(told, pathOf(error, config))] };
  }
}

/** A hundred blocks with a wrong password fail a hundred times: what may be wrong is told once. */
function inShort(error: unknown, told: Set<string>): unknown {
  if (!IamTokensError.is(error) || error.code !== "ERR_CREDENTIALS_REJECTED") return error;
  const [head = ""] = error.problem.split(" Candidates:", 1);
  if (!told.has(head)) {
    told.add(head);
    return error;
  }
  return new IamTokensError(
    error.code,
    `${head} The candidates are listed with another error of this run.`,
  );
}

/** The path in the token's own block: nothing can point into the provider block from here. */
function pathOf(error: unknown, config: CtyObject): AttributePath | undefined {
  if (!IamTokensError.is(error)) return undefined;
  if (error.code === "ERR_LIFETIME_TOO_SHORT" && (config.min_remaining ?? null) !== null)
    return ["min_remaining"];
  if (error.code === "ERR_DESTINATION_REFUSED") return pathTo("destinations", config.destinations);
  if (error.code === "ERR_SCOPE_INVALID") return ["project_name"];
  return undefined;
}
