import type { IssuedToken } from "../../identity";
import type { CtyObject } from "../../plugin/cty/value";
import { UNKNOWN } from "../../plugin/cty/value";
import type {
  Applied,
  AppliedChange,
  BlockSchema,
  Diagnostic,
  ManagedResource,
  OperationContext,
} from "../../plugin/provider";
import {
  defined,
  formatDuration,
  headerNameOf,
  IAM_TOKEN_LIFETIME_MS,
  IamTokensError,
  KIND_OF_SCOPE,
  parseDuration,
} from "../../tokens";
import { isKnown, textArgument } from "../configuration/argument";
import { argument } from "../configuration/attribute";
import { check, checkText, toDiagnostic, toWarning } from "../configuration/diagnostics";
import type { Surroundings } from "../process/surroundings";
import { countAfter, firstCount, KEEPERS, ROTATION_ATTRIBUTES } from "../rotation/count";
import { assertThreshold } from "../rotation/due";
import {
  type Occasion,
  plannedArguments,
  planRotation,
  type RotatingBlock,
  type RotationTools,
  refuseImport,
} from "../rotation/plan-rotation";
import { livesOn, type TokenDemands, thresholdOf, whyDue } from "../rotation/token-due";
import { ownBaseUrl, validateDestinations } from "./destinations";
import { IAM_TOKEN_ARGUMENTS, validateIamToken } from "./iam-token-arguments";
import { issuedForNow, toPrivateData, whyForAnother } from "./issued-for";
import { IAM_TOKEN_ATTRIBUTES, withIamToken } from "./token-attributes";
import { attempt, type IamSession, type TokenSource, warningsOf } from "./token-source";

const SCHEMA: BlockSchema = {
  // Of the layout in the state. An older one is read by the names of its attributes.
  version: 1,
  description:
    "An IAM token that stays the same between applies, and is rotated in place ahead of its expiry. It stands in the state, marked as " +
    "sensitive. Not for provider blocks: in the plan that rotates it, it is unknown.",
  attributes: {
    ...IAM_TOKEN_ARGUMENTS,
    min_remaining: argument(
      "string",
      'How long a token must live at least, as a duration ("2h"), when it is issued and at each plan: with less left it is rotated, also ' +
        "where rotate_when_remaining is smaller.",
    ),
    rotate_when_remaining: argument(
      "string",
      'The token is rotated by the first apply that finds less than this of its life left, as a duration ("12h"); below 24h. By default ' +
        "half of its lifetime.",
    ),
    keepers: KEEPERS,
    ...IAM_TOKEN_ATTRIBUTES,
    ...ROTATION_ATTRIBUTES,
  },
};

const ROTATING: RotatingBlock = {
  schema: SCHEMA,
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
 * due. Creating and updating always issue a token of its own. Nothing is ever revoked: whoever
 * still has the old token can use it until it expires.
 */
export function resourceIamToken(
  source: TokenSource,
  surroundings: Surroundings,
  { now, newId }: RotationTools,
): ManagedResource<IamSession> {
  /** The state with a new token. With an error there is none: Terraform keeps the old one. */
  const issue = async (
    { planned }: AppliedChange,
    counted: CtyObject,
    context: OperationContext<IamSession>,
  ): Promise<Applied> => {
    const config = plannedArguments(SCHEMA, planned);
    return attempt(config, context, validateRotatingToken, async () => {
      const issuedFor = await issuedForNow(config, context.session.block, surroundings);
      const { issued } = await source.issueOwn(config, context, "state");
      const tooShort = shortLife(config, issued);
      if (tooShort.length > 0) return { diagnostics: tooShort };
      return {
        state: { ...withIamToken(config, issued), ...counted },
        private: toPrivateData(issuedFor),
        diagnostics: warningsOf(issued),
      };
    });
  };

  return {
    schema: SCHEMA,
    validate: validateRotatingToken,

    async plan(change, { session }) {
      const { prior, config } = change;
      // Also when nothing is due: the token of the state is handed out no less than a new one.
      const base = ownBaseUrl({ base_url: session.block.base_url });
      const mistakes = validateRotatingToken(config);
      const wrong = mistakes.length > 0 ? mistakes : validateDestinations(config, base);
      if (wrong.length > 0) return { diagnostics: wrong };
      const { reasons, obstacle, refusal } = await whyForAnother(
        change,
        session.block,
        surroundings,
      );
      const occasion: Occasion = {
        reasons: [...(prior === null ? [] : whyDue(prior, toDemands(config), now())), ...reasons],
        ...defined({ consequence: prior === null ? undefined : livesOn(prior, now()) }),
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

    import: refuseImport(
      "A token that was issued elsewhere is not taken over: nobody here can know when it expires, and an import would need its value on the command line.",
    ),
  };

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
  return toDiagnostic(new IamTokensError(code, problem, { remedy, ...defined({ allowed }) }));
}

/** A younger token is new: answers take their time, and times are in seconds. */
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

const THRESHOLD = "rotate_when_remaining";

function validateRotatingToken(config: CtyObject): readonly Diagnostic[] {
  return [
    ...validateIamToken(config),
    ...checkText(config, THRESHOLD, (text) =>
      assertThreshold(
        `with ${THRESHOLD}`,
        parseDuration(text, THRESHOLD),
        "An IAM token lives",
        IAM_TOKEN_LIFETIME_MS,
      ),
    ),
  ];
}

/** What a block without mistakes asks of a token's life; what is unknown asks for nothing yet. */
function toDemands(config: CtyObject): TokenDemands {
  const duration = (name: string) => {
    const text = textArgument(config, name);
    if (text === UNKNOWN) return 0;
    return isKnown(text) ? parseDuration(text, name) : null;
  };
  return { rotateWhenRemainingMs: duration(THRESHOLD), minRemainingMs: duration("min_remaining") };
}
