import type { IssuedToken } from "../../identity";
import { type CtyObject, UNKNOWN } from "../../plugin/cty/value";
import type {
  Applied,
  AppliedChange,
  BlockSchema,
  Diagnostic,
  ManagedResource,
  OperationContext,
} from "../../plugin/provider";
import { countAfter, firstCount } from "../../rotation/count";
import { assertThreshold } from "../../rotation/due";
import { notRevokedNote, type TokenDemands, thresholdOf, whyDue } from "../../rotation/token-due";
import { defined, headerNameOf, KIND_OF_SCOPE, parseDuration, toRfc3339 } from "../../tokens";
import { argument, isKnown, textArgument } from "../configuration/argument";
import { check, checkOfBlock, toWarning, warning } from "../configuration/diagnostics";
import type { ProcessContext } from "../process/process-context";
import { rememberSecret } from "../secrets/known-secrets";
import { ownBaseUrl, validateDestinations } from "./destinations";
import { type DueNote, dueNoteIn, withDueNote } from "./due-note";
import { IAM_TOKEN_ARGUMENTS, THRESHOLD, validateRotatingToken } from "./iam-token-arguments";
import { issuedForNow, reasonToReplace } from "./issued-for";
import {
  KEEPERS,
  type Occasion,
  plannedArguments,
  planRotation,
  ROTATION_ATTRIBUTES,
  type RotatingBlock,
  type RotationTools,
  refuseImport,
} from "./plan-rotation";
import { revokeStored, sendable } from "./revoke-stored";
import { IAM_TOKEN_ATTRIBUTES, withIamToken } from "./token-attributes";
import {
  attempt,
  type IamSession,
  inWordsOf,
  notRevoked,
  type TokenSource,
  warningsOf,
} from "./token-source";
import type { StoredTokens } from "./verify-stored";

const SCHEMA: BlockSchema = {
  // Version of the layout in the state. An older one is read by its attributes' names.
  version: 1,
  description:
    "An IAM token that stays the same between applies and is rotated in place before it expires. It is stored in the state, marked as " +
    "sensitive. Not for provider blocks: its value is unknown in a plan that rotates it.",
  attributes: {
    ...IAM_TOKEN_ARGUMENTS,
    min_remaining: argument(
      "string",
      'Least remaining lifetime, as a duration ("2h"), when the token is issued and at each plan. With less left it is rotated, even ' +
        "if rotate_when_remaining is smaller.",
    ),
    rotate_when_remaining: argument(
      "string",
      'The first apply with less than this lifetime left rotates the token, as a duration ("12h"); below 24h. By default ' +
        "half of its lifetime.",
    ),
    keepers: KEEPERS,
    revoke_on_destroy: argument(
      "bool",
      "Whether destroying this resource revokes its token. A failure is an error, and the resource stays. By default the token lives " +
        "until it expires. A rotation never revokes.",
    ),
    verify_at_refresh: argument(
      "bool",
      "Whether each refresh asks the service, by the token itself, if it still knows the token; if not, it is rotated. Without an " +
        "answer, a warning. The request is Keystone's. By default nothing is asked.",
    ),
    ...IAM_TOKEN_ATTRIBUTES,
    ...ROTATION_ATTRIBUTES,
  },
};

const GONE =
  "The service no longer knows the stored token: it was revoked, or its user's password was changed.";
const NOT_ASKED = { isGone: false, diagnostics: [] };

const ROTATING: RotatingBlock = {
  schema: SCHEMA,
  summary: "An IAM token is rotated",
  names: ["project_name"],
  known: (config) => {
    const scope = textArgument(config, "scope");
    const known = scope === "account" || scope === "project";
    return {
      header_name: headerNameOf("iam_token_account_scoped"),
      kind: known ? KIND_OF_SCOPE[scope] : UNKNOWN,
    };
  },
};

/**
 * `resource "iam_token"`: a token in the state. The first apply that finds it due rotates it in
 * place. Creating and updating always issue a new token. A rotation revokes nothing: the old token
 * works until it expires. A destroy revokes with `revoke_on_destroy`: Terraform has destroyed the
 * consumers before.
 */
export function resourceIamToken(
  source: TokenSource,
  stored: StoredTokens,
  processContext: ProcessContext,
  { now, newId }: RotationTools,
): ManagedResource<IamSession> {
  /**
   * The state with a new token. After an error there is no new state: Terraform keeps the old one.
   */
  const issue = async (
    { planned }: AppliedChange,
    counted: CtyObject,
    context: OperationContext<IamSession>,
  ): Promise<Applied> => {
    const config = plannedArguments(SCHEMA, planned);
    return attempt(config, context, validateRotatingToken, async () => {
      const issuedFor = await issuedForNow(config, context.session.block, processContext);
      const { issued } = await source.issueOwn(config, context, "state");
      const tooShort = shortLife(config, issued);
      if (tooShort.length > 0) {
        // Nothing will hold it.
        const left = await source.revoke(issued, context).then(() => [], notRevoked);
        return { diagnostics: [...tooShort, ...left] };
      }
      return {
        state: { ...withIamToken(config, issued), ...counted },
        private: Buffer.from(issuedFor),
        diagnostics: warningsOf(issued),
      };
    });
  };

  return {
    schema: SCHEMA,
    validate: validateRotatingToken,

    async read({ state, private: before }, context) {
      const at = now();
      const isDue =
        validateRotatingToken(state).length === 0 && whyDue(state, toDemands(state), at).length > 0;
      const asks = !isDue && state.verify_at_refresh === true;
      const { isGone, diagnostics } = asks ? await stored.verify(state, context) : NOT_ASKED;
      const note = isDue || isGone ? { at, isGone } : undefined;
      const noted = { private: withDueNote(before, state, note), diagnostics };
      // Terraform reports a change outside of it, and a plan with -refresh-only finds one.
      return isGone ? { ...noted, state: { ...state, expires_at: toRfc3339(at) } } : noted;
    },

    async plan(change, { session }) {
      const { prior, config } = change;
      // Checked even if nothing is due: consumers get the state's token just like a new one.
      const base = ownBaseUrl({ base_url: session.block.base_url });
      const mistakes = validateRotatingToken(config);
      const ofBase = checkOfBlock(() => validateDestinations(config, base));
      const wrong = mistakes.length > 0 ? mistakes : ofBase(config);
      if (wrong.length > 0) return { diagnostics: wrong };
      const old = prior && sendable(prior.token);
      if (old) rememberSecret(old.reveal());
      const { reasons, obstacle } = await reasonToReplace(change, session.block, processContext);
      const noted = prior && dueNoteIn(change.private, prior);
      const { at, isGone = false }: DueNote = noted ?? { at: now() };
      const due = prior === null ? [] : isGone ? [GONE] : whyDue(prior, toDemands(config), at);
      const occasion: Occasion = {
        reasons: [...due, ...reasons],
        ...defined({ consequence: prior && !isGone ? notRevokedNote(prior, at) : undefined }),
      };
      const plan = planRotation(ROTATING, change, occasion);
      if (obstacle === undefined || plan.planned === prior) return plan;
      const notice = toWarning(
        "Apply cannot issue a token with the present settings",
        inWordsOf(session, obstacle),
      );
      return { ...plan, diagnostics: [...(plan.diagnostics ?? []), notice] };
    },

    create: (change, context) => issue(change, firstCount(newId), context),

    async update({ prior, ...change }, context) {
      const applied = await issue(change, countAfter(prior, newId), context);
      if (applied.state !== undefined) return applied;
      const isGone = dueNoteIn(change.private, prior)?.isGone === true;
      return { ...applied, diagnostics: [...(applied.diagnostics ?? []), kept(prior, isGone)] };
    },

    async destroy({ state }, context) {
      if (state.revoke_on_destroy === true) return revokeStored(state, source, context, now());
      const note = notRevokedNote(state, now());
      if (note === undefined) return [];
      const detail = `${note}\n${howToRevoke(context.session.block.declared_by)}`;
      return [warning("A removed IAM token stays valid", detail)];
    },

    notImported: refuseImport(
      "A token that was issued elsewhere cannot be imported: its expiry is unknown, and an import would need its value on the command line.",
    ),
  };

  function kept(prior: CtyObject, isGone: boolean): Diagnostic {
    const life = isGone ? GONE : (notRevokedNote(prior, now()) ?? "That token has expired.");
    const detail = `The state is unchanged and holds the previous token. ${life}`;
    return warning("An IAM token was not rotated", detail);
  }
}

/** @param construct undefined in plain HCL */
function howToRevoke(construct: string | undefined): string {
  const flag = construct === undefined ? "revoke_on_destroy = true" : "revokeOnDestroy: true";
  return `To revoke it, run iam-tokens revoke --state FILE. FILE still holds it: the backup of the state (terraform.tfstate.backup; of cdktf terraform.STACK.tfstate.backup), or an earlier version of a remote state. With ${flag} a destroy revokes it.`;
}

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
    name === THRESHOLD && demands.rotateWhenRemainingMs === null ? "by default" : `with ${name}`;
  const lives = `A new token of ${authUrl.tokens} lives`;
  return check([name], () =>
    assertThreshold(rule, thresholdMs, lives, Math.min(lifetimeMs, remainingMs)),
  );
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
