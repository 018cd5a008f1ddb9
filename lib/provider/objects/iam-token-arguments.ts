import type { CtyObject } from "../../plugin/cty/value";
import { UNKNOWN } from "../../plugin/cty/value";
import type { Diagnostic } from "../../plugin/provider";
import {
  assertName,
  formatDuration,
  IAM_TOKEN_LIFETIME_MS,
  IamTokensError,
  parseDuration,
} from "../../tokens";
import { isKnown, textArgument } from "../argument";
import { check } from "../diagnostics";
import { validateDestinations } from "./destinations";

/**
 * Which token a block asks for. The project of a project scope may still have to come from the
 * environment.
 */
export interface IamTokenArguments {
  readonly scope: "account" | "project";
  readonly projectName: string | null;
  /** Milliseconds. */
  readonly minRemainingMs: number | null;
}

/** The mistakes in the arguments of an IAM token, each on its path. Passes over what is unknown. */
export function validateIamToken(config: CtyObject): readonly Diagnostic[] {
  const scope = textArgument(config, "scope");
  const projectName = textArgument(config, "project_name");
  const minRemaining = textArgument(config, "min_remaining");
  return [
    ...(scope === UNKNOWN ? [] : check(["scope"], () => parseScope(scope))),
    ...(isKnown(projectName)
      ? check(["project_name"], () => assertProjectName(scope, projectName))
      : []),
    ...(isKnown(minRemaining)
      ? check(["min_remaining"], () => parseMinRemaining(minRemaining))
      : []),
    ...validateDestinations(config),
  ];
}

/**
 * The arguments of a block without mistakes, all of it known, as it is when Terraform opens or
 * reads.
 */
export function toIamTokenArguments(config: CtyObject): IamTokenArguments {
  const projectName = textArgument(config, "project_name");
  const minRemaining = textArgument(config, "min_remaining");
  return {
    scope: parseScope(textArgument(config, "scope")),
    projectName: isKnown(projectName) ? projectName : null,
    minRemainingMs: isKnown(minRemaining) ? parseMinRemaining(minRemaining) : null,
  };
}

function parseScope(text: unknown): "account" | "project" {
  if (text === "account" || text === "project") return text;
  const given = typeof text === "string" ? JSON.stringify(text.slice(0, 40)) : "not given";
  throw new IamTokensError("ERR_SCOPE_INVALID", `scope is ${given}.`, {
    allowed: '"account" and "project"',
  });
}

/**
 * What no token can have left is refused here: it would cost an issued token at each try to find
 * out.
 */
function parseMinRemaining(text: string): number {
  const wanted = parseDuration(text, "min_remaining");
  if (wanted < IAM_TOKEN_LIFETIME_MS) return wanted;
  throw new IamTokensError(
    "ERR_LIFETIME_TOO_SHORT",
    `min_remaining is ${formatDuration(wanted)}, and an IAM token lives ${formatDuration(IAM_TOKEN_LIFETIME_MS)} from its issue.`,
    { remedy: "Ask for less." },
  );
}

function assertProjectName(scope: unknown, projectName: string): void {
  if (scope === "account") {
    throw new IamTokensError("ERR_SCOPE_INVALID", 'project_name is given with scope = "account".', {
      remedy: 'Remove it, or give scope = "project".',
    });
  }
  assertName("project_name", projectName);
}
