import type { IssuedToken } from "../../identity";
import type { CtyObject } from "../../plugin/cty/value";
import { UNKNOWN } from "../../plugin/cty/value";
import type {
  Applied,
  AppliedChange,
  Diagnostic,
  ManagedResource,
  OperationContext,
} from "../../plugin/provider";
import { formatDuration, headerNameOf, IamTokensError, KIND_OF_SCOPE } from "../../tokens";
import { textArgument } from "../argument";
import { check, toDiagnostic, toWarning } from "../diagnostics";
import type { IamSession } from "../iam-session";
import { assertThreshold } from "../rotation/assert-threshold";
import { countAfter, firstCount } from "../rotation/count";
import { issuedForNow, toPrivateData, whyForAnother } from "../rotation/issued-for";
import { type Occasion, planRotation, type RotatingBlock } from "../rotation/plan-rotation";
import { plannedArguments } from "../rotation/planned-arguments";
import type { RotationTools } from "../rotation/rotation-tools";
import { livesOn, thresholdOf, whyDue } from "../rotation/token-due";
import { RESOURCE_IAM_TOKEN } from "../schema/resource-iam-token";
import type { Surroundings } from "../surroundings";
import { ownBaseUrl, validateDestinations } from "./destinations";
import { toIamTokenResult, warningsOf } from "./iam-token-result";
import { toDemands, validateRotatingToken } from "./resource-iam-token-arguments";
import { failed, type TokenSource } from "./token-source";

const ROTATING: RotatingBlock = {
  schema: RESOURCE_IAM_TOKEN,
  summary: "An IAM token is rotated",
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
 * `resource "iam_token"`: a token in the state, rotated in place by the first apply that finds it
 * due.
 *
 * Reading makes no request and never takes it away. Creating and updating always issue a token of
 * its own. Nothing is ever revoked: whoever still has the old token can use it until it expires.
 */
export function resourceIamToken(
  source: TokenSource,
  surroundings: Surroundings,
  { now, newId }: RotationTools,
): ManagedResource<IamSession> {
  /**
   * Issues a token, and gives the state with it. With an error there is none, so that Terraform
   * keeps the old one.
   */
  const issue = async (
    { planned }: AppliedChange,
    counted: CtyObject,
    context: OperationContext<IamSession>,
  ): Promise<Applied> => {
    const config = plannedArguments(RESOURCE_IAM_TOKEN, planned);
    const mistakes = validateRotatingToken(config);
    if (mistakes.length > 0) return { diagnostics: mistakes };
    try {
      const issuedFor = await issuedForNow(config, context.session, surroundings);
      const { issued } = await source.issueOwn(config, context, "state");
      const tooShort = shortLife(config, issued);
      if (tooShort.length > 0) return { diagnostics: tooShort };
      return {
        state: { ...toIamTokenResult(config, issued), ...counted },
        private: toPrivateData(issuedFor),
        diagnostics: warningsOf(issued),
      };
    } catch (error) {
      return { diagnostics: failed(error, config, context) };
    }
  };

  return {
    schema: RESOURCE_IAM_TOKEN,
    validate: validateRotatingToken,
    // A state without a version is one that was put together by hand: what it lacks makes its token
    // due.
    upgradeState: (stored) => stored,

    async plan(change, { session }) {
      const { prior, config } = change;
      // Also when nothing is due: the token of the state is handed out no less than a new one.
      const mistakes = validateRotatingToken(config);
      const wrong =
        mistakes.length > 0
          ? mistakes
          : validateDestinations(config, ownBaseUrl({ base_url: session.block.base_url }));
      if (wrong.length > 0) return { diagnostics: wrong };
      const { reasons, obstacle, refusal } = await whyForAnother(change, session, surroundings);
      const occasion: Occasion = {
        reasons: [...(prior === null ? [] : whyDue(prior, toDemands(config), now())), ...reasons],
        ...consequenceOf(prior, now()),
      };
      const { plan, rotates } = planRotation(ROTATING, change, occasion);
      const why = refusal ?? obstacle;
      if (why === undefined || rotates === "no") return plan;
      const told =
        why === refusal && rotates === "yes"
          ? refused(why, prior)
          : toWarning("As things are here, apply will issue no token", why);
      return { ...plan, diagnostics: [...(plan.diagnostics ?? []), told] };
    },

    create: (change, context) => issue(change, firstCount(newId), context),

    async update({ prior, ...change }, context) {
      const applied = await issue(change, countAfter(prior, newId), context);
      if (applied.state !== undefined) return applied;
      return { ...applied, diagnostics: [...(applied.diagnostics ?? []), kept(prior)] };
    },

    async destroy({ state }) {
      const detail = livesOn(state, now());
      return detail === undefined
        ? []
        : [{ severity: "warning", summary: "An IAM token lives on after its removal", detail }];
    },

    import: async () => ({
      diagnostics: [
        toDiagnostic(
          new IamTokensError(
            "ERR_IMPORT_REFUSED",
            "A token that was issued elsewhere is not taken over: nobody here can know when it expires, and an import would need its value on the command line.",
          ),
        ),
      ],
    }),
  };

  function consequenceOf(prior: CtyObject | null, time: number): Pick<Occasion, "consequence"> {
    const consequence = prior === null ? undefined : livesOn(prior, time);
    return consequence === undefined ? {} : { consequence };
  }

  function kept(prior: CtyObject): Diagnostic {
    const detail = `The state is as it was, with the token that it had. ${livesOn(prior, now()) ?? "That token has expired."}`;
    return { severity: "warning", summary: "An IAM token was not rotated", detail };
  }
}

/** An error already in the plan: one that was saved could never be applied where this list is. */
function refused(refusal: IamTokensError, prior: CtyObject | null): Diagnostic {
  if (prior === null) return toDiagnostic(refusal);
  const remedy = `${refusal.remedy} To destroy the token instead, which asks for none, give destroy -refresh=false: without it Terraform plans this rotation first.`;
  const { code, problem, allowed } = refusal;
  return toDiagnostic(
    new IamTokensError(code, problem, { remedy, ...(allowed === undefined ? {} : { allowed }) }),
  );
}

/**
 * What a token's age when it is handed out has to be above, to be worth a word: answers take their
 * time, and times are in seconds.
 */
const NEW_MS = 60_000;

/**
 * The mistake of a threshold that the next plan would find a new token below. What is left counts,
 * and not the whole life: a service that hands out tokens of an earlier issue would have them
 * rotated at every run.
 */
function shortLife(
  config: CtyObject,
  { issuedAt, expiresAt, remainingMs, authUrl }: IssuedToken,
): readonly Diagnostic[] {
  const lifetimeMs = expiresAt.getTime() - issuedAt.getTime();
  const ageMs = lifetimeMs - remainingMs;
  const lives =
    ageMs > NEW_MS
      ? `was issued ${formatDuration(ageMs)} before it was handed out and lives on for`
      : "lives";
  const demands = toDemands(config);
  const thresholdMs = thresholdOf(demands, lifetimeMs);
  const name = thresholdMs === demands.minRemainingMs ? "min_remaining" : "rotate_when_remaining";
  const isDefault = name === "rotate_when_remaining" && demands.rotateWhenRemainingMs === null;
  return check([name], () =>
    assertThreshold(
      isDefault ? "by default" : `with ${name}`,
      thresholdMs,
      `A new token of ${authUrl.tokens} ${lives}`,
      Math.min(lifetimeMs, remainingMs),
    ),
  );
}
