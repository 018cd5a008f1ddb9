import { defined, IamTokensError } from "../../tokens";

/** What a problem names when a variable, a file or a command is its cause. */
const OF_THE_PROCESS =
  /\b(?:environment|variables?|files?|clouds\.yaml|commands?|program)\b|\b[A-Z]{2,}_[A-Z]/;

/**
 * An error for whoever reads it. Under `iam-tokens run`, the variables, files and commands that it
 * names are not those of the Terraform that prints it.
 */
export function inRun<E>(error: E, attached: boolean): E | IamTokensError {
  if (!attached || !IamTokensError.is(error)) return error;
  const { code, problem, headline, allowed, remedy } = error;
  // A value in quotes is not ours.
  if (!OF_THE_PROCESS.test(problem.replaceAll(/"(?:[^"\\]|\\.)*"/g, ""))) return error;
  const note =
    "Variables and the working folder are those of iam-tokens run when it started, not those of this Terraform.";
  return new IamTokensError(code, `${problem} ${note}`, defined({ headline, allowed, remedy }));
}
