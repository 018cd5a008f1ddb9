import type { IssuedToken } from "../../identity";
import { type CtyObject, UNKNOWN } from "../../plugin/cty/value";
import type { Applied, BlockSchema, Diagnostic, ManagedResource } from "../../plugin/provider";
import { timeIn } from "../../rotation/due";
import {
  assertThreshold,
  notRevokedNote,
  rotateAtOf,
  type TokenDemands,
  thresholdOf,
  whyTokenIsDue,
} from "../../rotation/token-due";
import {
  headerNameOf,
  KIND_OF_SCOPE,
  OWN_COMMAND,
  parseDuration,
  setting,
  toRfc3339,
  words,
} from "../../tokens";
import { isKnown, textArgument } from "../configuration/argument";
import { check } from "../configuration/block-checks";
import { toWarning, warning } from "../configuration/diagnostics";
import type { ProcessContext } from "../process/process-context";
import {
  parseScope,
  ROTATING_ARGUMENTS,
  THRESHOLD,
  validateRotatingToken,
} from "./iam-token-arguments";
import { issuedFor, whyReplaced } from "./issued-for";
import type { Occasion } from "./planned-rotation";
import { revokeStored } from "./revoke-stored";
import {
  type Renewal,
  ROTATION_ATTRIBUTES,
  type RotationTools,
  rotatingResource,
  type Verified,
} from "./rotating-resource";
import { sendable } from "./stored-token";
import { IAM_TOKEN_ATTRIBUTES, withIamToken } from "./token-attributes";
import { attempt, forReader, notRevoked, warningsOf } from "./token-diagnostics";
import type { IamContext, IamSession, TokenRequests } from "./token-requests";
import type { VerifyStored } from "./verify-stored";

const SCHEMA: BlockSchema = {
  description:
    "An IAM token that stays the same between applies and is rotated in place before it expires. It is stored in the state, marked as " +
    "sensitive. A plan that creates or rotates it knows only rotation, kind, header_name and, of one that exists, id: not for provider blocks.",
  attributes: {
    ...ROTATING_ARGUMENTS,
    ...IAM_TOKEN_ATTRIBUTES,
    ...ROTATION_ATTRIBUTES,
  },
};

/**
 * `resource "iam_token"`: a token in the state. The first apply that finds it due rotates it in
 * place. Creating and updating always issue a new token. A rotation revokes nothing: the old token
 * works until it expires. A destroy revokes with `revoke_on_destroy`: Terraform has destroyed the
 * consumers before.
 */
export function resourceIamToken(
  requests: TokenRequests,
  verify: VerifyStored,
  processContext: ProcessContext,
  tools: RotationTools,
): ManagedResource<IamSession> {
  const { now } = tools;
  return rotatingResource(
    {
      schema: SCHEMA,
      summary: "An IAM token is rotated",
      notImported:
        "A token that was issued elsewhere cannot be imported: its expiry is unknown, and an import would need its value on the command line.",
      validate: validateRotatingToken,
      known,
      adjustable: [...TIMING, "revoke_on_destroy", "verify_at_refresh", "destinations", "after"],
      timing: TIMING,
      following,
      whyDue: (state, config, at) => whyTokenIsDue(state, toDemands(config), at),
      verify,

      async occasion(change, _, context): Promise<Occasion> {
        const { session } = context;
        const { prior, config } = change;
        // The reason names what the state has.
        sendable(prior?.token);
        const { reason, obstacle } = await whyReplaced(change, session.block, processContext);
        const summary = "Apply cannot issue a token with the present settings";
        // The refresh of the run that switches it on, or may do so, has asked nobody.
        const isNew = prior?.verify_at_refresh !== true && config.verify_at_refresh;
        const found: Verified =
          prior && isNew ? await verify({ ...prior, verify_at_refresh: true }, context) : {};
        return {
          reason: reason ?? (prior ? whyTooShort(prior, config) : undefined),
          ...(found.state && { revisable: "The service refuses it." }),
          warnings: found.diagnostics ?? [],
          consequence: prior ? notRevokedNote(found.state ?? prior, now()) : undefined,
          notices: obstacle ? [toWarning(summary, forReader(session, obstacle))] : [],
        };
      },

      // After an error there is no new state: Terraform keeps the old one.
      async renew(renewal, context) {
        const applied = await issue(renewal, context);
        const { prior } = renewal;
        if (prior === null || applied.state !== undefined) return applied;
        const life = notRevokedNote(prior, now()) ?? "That token has expired, or is refused.";
        const kept = warning(
          "An IAM token was not rotated",
          `The state is unchanged and holds the previous token. ${life}`,
        );
        return { diagnostics: [...(applied.diagnostics ?? []), kept] };
      },

      async destroy({ state }, context) {
        if (state.revoke_on_destroy === true) return revokeStored(state, requests, context, now());
        const note = notRevokedNote(state, now());
        if (note === undefined) return [];
        return [warning("A removed IAM token stays valid", `${note}\n${HOW_TO_REVOKE}`)];
      },
    },
    tools,
  );

  async function issue({ config, count }: Renewal, context: IamContext): Promise<Applied> {
    return attempt(config, context, validateRotatingToken, async () => {
      const { issued, description, wanted } = await requests.issueOwn(config, context, "state");
      const tooShort = shortLife(config, issued);
      if (tooShort.length > 0) {
        // Nothing will hold it.
        const left = await requests.revoke(issued, context).then(() => [], notRevoked);
        return { diagnostics: [...tooShort, ...left] };
      }
      const state = { ...withIamToken(config, issued), ...count };
      return {
        state: { ...state, ...following(state, config) },
        private: Buffer.from(issuedFor(description, wanted)),
        diagnostics: [...warningsOf(issued), ...afterPassword(config, issued)],
      };
    });
  }
}

/** The computed attributes that the configuration alone decides. */
function known(config: CtyObject): CtyObject {
  const scope = textArgument(config, "scope");
  return {
    header_name: headerNameOf("iam_token_account_scoped"),
    kind: scope === UNKNOWN ? UNKNOWN : KIND_OF_SCOPE[parseScope(scope)],
  };
}

const TIMING = [THRESHOLD, "min_remaining"];

function following(state: CtyObject, config: CtyObject): CtyObject {
  const { rotate_at = null } = state;
  if (TIMING.some((name) => config[name] === UNKNOWN)) return { rotate_at };
  const time = rotateAtOf(state, toDemands(config));
  return { rotate_at: time === undefined ? rotate_at : toRfc3339(time) };
}

/**
 * Why a token that no refresh has found due rotates for a new min_remaining. The clock may not
 * decide: by its rotate_at, such a token is known to have at least so much left.
 */
function whyTooShort(prior: CtyObject, config: CtyObject): string | undefined {
  const { minRemainingMs } = toDemands(config);
  if (minRemainingMs === null || config.min_remaining === prior.min_remaining) return undefined;
  const [rotateAt, expiresAt] = [timeIn(prior, "rotate_at"), timeIn(prior, "expires_at")];
  if (rotateAt !== undefined && expiresAt !== undefined && minRemainingMs <= expiresAt - rotateAt)
    return undefined;
  return "min_remaining has changed to more than the token is known to have left.";
}

/** Nothing can bring a token back that no state holds. */
const HOW_TO_REVOKE = `If a file still holds it (the backup of the state: terraform.tfstate.backup, of cdktf terraform.STACK.tfstate.backup; or an earlier version of a remote state), this revokes it: ${OWN_COMMAND} revoke --auth-url ADDRESS --state FILE. Before the next destroy, apply revoke_on_destroy = true (revokeOnDestroy: true), which keeps the token.`;

/**
 * The mistake of a threshold that a new token would already be below at the next plan. It is
 * compared with the remaining lifetime, not with the whole one: if a service returns tokens that it
 * issued earlier, every run would rotate them.
 */
function shortLife(
  config: CtyObject,
  { issuedAt, expiresAt, remainingMs, authUrl }: IssuedToken,
): readonly Diagnostic[] {
  const lifetimeMs = expiresAt.getTime() - issuedAt.getTime();
  const demands = toDemands(config);
  const thresholdMs = thresholdOf(demands, lifetimeMs);
  const name = thresholdMs === demands.minRemainingMs ? "min_remaining" : THRESHOLD;
  const rule =
    name === THRESHOLD && demands.rotateWhenRemainingMs === null
      ? "by default"
      : words`with ${setting(name)}`;
  const lives = `A new token of ${authUrl.tokens} lives`;
  return check([name], () =>
    assertThreshold(rule, thresholdMs, lives, Math.min(lifetimeMs, remainingMs)),
  );
}

/** A rotation that comes too late: nobody may look at a pipeline for months. */
function afterPassword(
  config: CtyObject,
  { issuedAt, expiresAt, passwordEndsAt }: IssuedToken,
): readonly Diagnostic[] {
  const end = expiresAt.getTime();
  const due = end - thresholdOf(toDemands(config), end - issuedAt.getTime());
  if (passwordEndsAt === undefined || due < passwordEndsAt.getTime()) return [];
  const detail = `It is due at ${toRfc3339(due)}, and the password ends at ${toRfc3339(passwordEndsAt.getTime())}: with the present password it will fail.`;
  return [warning("The next rotation of an IAM token is due after its password ends", detail)];
}

/** The lifetime that a block without mistakes requires; unknown values require nothing yet. */
function toDemands(config: CtyObject): TokenDemands {
  const duration = (name: string) => {
    const text = textArgument(config, name);
    if (text === UNKNOWN) return 0;
    return isKnown(text) ? parseDuration(text, name) : null;
  };
  return { rotateWhenRemainingMs: duration(THRESHOLD), minRemainingMs: duration("min_remaining") };
}
