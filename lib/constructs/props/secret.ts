import type { SecretSource } from "../secret-ref";
import { SecretRef } from "../secret-ref";
import type { Mistakes } from "./mistakes";
import { PATH_ALLOWED } from "./path";

/**
 * Checks a reference to a secret. Whatever was given instead of one is not repeated: it may be the
 * secret.
 */
export function checkSecret(
  name: string,
  value: unknown,
  mistakes: Mistakes,
): SecretSource | undefined {
  const source = SecretRef._sourceOf(value);
  if (source === undefined) {
    if (value === undefined || value === null) {
      mistakes.add("ERR_PROP_INVALID", `${name} is missing.`, { allowed: ALLOWED });
    } else {
      mistakes.add(
        "ERR_SECRET_LITERAL",
        `${name} is given as a ${typeof value}, not as a reference (the value is not repeated here).`,
        {
          allowed: ALLOWED,
        },
      );
    }
    return undefined;
  }
  if (source.from !== "nowhere") return source;
  switch (source.mistake) {
    case "variable name":
      mistakes.add(
        "ERR_PROP_INVALID",
        `${name} is SecretRef.env of something that is not a variable's name (not repeated here).`,
        {
          allowed:
            "the NAME of an environment variable: letters, digits and _, not beginning with a digit",
          remedy: "Give the name of the variable, not its value.",
        },
      );
      break;
    case "path":
      mistakes.add(
        "ERR_PROP_INVALID",
        `${name} is SecretRef.file of something that is not a path (not repeated here).`,
        {
          allowed: PATH_ALLOWED,
        },
      );
      break;
    case "literal":
      mistakes.add(
        "ERR_SECRET_LITERAL",
        `${name} is SecretRef.fromTerraform of a literal (not repeated here).`,
        {
          allowed: "a Terraform expression, such as variable.stringValue",
        },
      );
      break;
    case "other stack":
      mistakes.add(
        "ERR_OTHER_STACK",
        `${name} is SecretRef.fromTerraform, an expression of the stack that this was reopened from: it would get here only through a state.`,
        {
          remedy:
            "Use SecretRef.env or SecretRef.file, or declare it in this stack with an expression of its own.",
        },
      );
      break;
  }
  return undefined;
}

const ALLOWED =
  'SecretRef.env("NAME"), SecretRef.file("path"), SecretRef.fromTerraform(expression)';
