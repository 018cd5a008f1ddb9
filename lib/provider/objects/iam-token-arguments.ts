import { type CtyObject, UNKNOWN } from "../../plugin/cty/value";
import type { AttributeSchema, Diagnostic } from "../../plugin/provider";
import { parseThreshold } from "../../rotation/token-due";
import {
  assertProjectName,
  IamTokensError,
  parseMinRemaining,
  quote,
  type Text,
  words,
} from "../../tokens";
import { argument, textArgument } from "../configuration/argument";
import { check, checkOfBlock, checkText } from "../configuration/block-checks";
import { validateDestinations } from "./destinations";

/** Arguments of every IAM token object. */
export const IAM_TOKEN_ARGUMENTS: Readonly<Record<string, AttributeSchema>> = {
  scope: argument(
    "string",
    '"account" for resources of the account, "project" for those of one project. There is no default.',
    { required: true },
  ),
  project_name: argument(
    "string",
    'Name of the project, with scope = "project". By default OS_PROJECT_NAME, when the environment gives the credentials, and the ' +
      "project of an application credential.",
  ),
  project_id: argument(
    "string",
    "Id of the project, in place of project_name. A project_name next to it is compared with the answer. By default as the service " +
      "says it, or null.",
    { optional: true, computed: true },
  ),
  min_remaining: argument(
    "string",
    'Least remaining lifetime of the token that Terraform receives, as a duration ("2h"). By default a token is reused while ' +
      "2 h, or half of a shorter lifetime, are left.",
  ),
  destinations: argument(
    ["set", "string"],
    "Addresses that the token is for. Each must be below the provider's base_url, else the block fails. Without a base_url " +
      "only their form is checked. By default none are given.",
  ),
  after: argument(
    ["list", "string"],
    "The token is requested only when all of these strings are known: the id of a role that the same apply creates, for example. They are " +
      "sent nowhere. A change keeps the token of a resource. By default nothing is waited for.",
  ),
};

/** Arguments of `ephemeral "iam_token"`. */
export const IN_MEMORY_ARGUMENTS: Readonly<Record<string, AttributeSchema>> = {
  ...IAM_TOKEN_ARGUMENTS,
  revoke_on_close: argument(
    "bool",
    "Whether this block gets its own token, which is not shared and is revoked as soon as Terraform no longer needs it. By default " +
      "tokens are shared and live until they expire.",
  ),
};

/** Arguments of `resource "iam_token"`, but for {@link KEEPERS}. */
export const ROTATING_ARGUMENTS: Readonly<Record<string, AttributeSchema>> = {
  ...IAM_TOKEN_ARGUMENTS,
  min_remaining: argument(
    "string",
    'Least remaining lifetime, as a duration ("2h"), when the token is issued and at each plan. With less left it is rotated, even ' +
      "if rotate_when_remaining is smaller. By default none is required.",
  ),
  rotate_when_remaining: argument(
    "string",
    'The first apply with less than this lifetime left rotates the token, as a duration ("12h"); below 24h. By default ' +
      "half of its lifetime.",
  ),
  revoke_on_destroy: argument(
    "bool",
    "Whether destroying this resource revokes its token. A failure is an error, and the resource stays. By default the token lives " +
      "until it expires. A rotation never revokes. A change keeps the token.",
  ),
  verify_at_refresh: argument(
    "bool",
    "Whether each refresh asks the service, by the token itself, if it still accepts the token; if not, it is rotated. Without an " +
      "answer, a warning. The request is Keystone's. By default nothing is asked.",
  ),
};

/** The argument of every resource that rotates. */
export const KEEPERS: Readonly<Record<string, AttributeSchema>> = {
  keepers: argument(
    ["map", "string"],
    "Any strings; a change of one of them rotates. They are stored in the state in plain text. By default none.",
  ),
};

const mistakesIn = (config: CtyObject): readonly Diagnostic[] => {
  const scope = textArgument(config, "scope");
  return [
    ...(scope === UNKNOWN ? [] : check(["scope"], () => parseScope(scope))),
    ...["project_name", "project_id"].flatMap((name) =>
      checkText(config, name, (text, named) => assertProject(scope, named, text)),
    ),
    ...checkText(config, "min_remaining", parseMinRemaining),
    // base_url belongs to the provider block: plan and apply add it, constructs pass it.
    ...validateDestinations(config),
  ];
};

/** The mistakes in the arguments of an IAM token, each on its path. Skips unknown values. */
export const validateIamToken = checkOfBlock(mistakesIn);

/** The argument of a rotating token's threshold. */
export const THRESHOLD = "rotate_when_remaining";

/** The mistakes in the arguments of `resource "iam_token"`. */
export const validateRotatingToken = checkOfBlock((config) => [
  ...mistakesIn(config),
  ...checkText(config, THRESHOLD, parseThreshold),
]);

/** @throws ERR_SCOPE_INVALID */
export function parseScope(text: unknown): "account" | "project" {
  if (text === "account" || text === "project") return text;
  const given = typeof text === "string" ? quote(text) : "not given";
  throw new IamTokensError("ERR_SCOPE_INVALID", `scope is ${given}.`, {
    allowed: '"account" and "project"',
  });
}

function assertProject(scope: unknown, argument: Text, text: string): void {
  if (scope === "account") {
    throw new IamTokensError(
      "ERR_SCOPE_INVALID",
      words`${argument} is given with scope = "account".`,
      {
        remedy: 'Remove it, or give scope = "project".',
      },
    );
  }
  assertProjectName(argument, text);
}
