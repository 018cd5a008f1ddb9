import type { IssuedToken } from "../../identity";
import { withIamToken } from "../../provider/objects/token-attributes";
import { headerNameOf, IamTokensError } from "../../tokens";
import { shellQuoted } from "../shell-quoted";

/** The options for the printed form of a token; without one, only the token. */
export interface TokenForm {
  readonly header?: true;
  /** True without a name. */
  readonly env?: string | true;
  readonly json?: true;
}

/** Prints a token, including a newline. */
type TokenText = (issued: IssuedToken) => string;

const DEFAULT_NAME = "IAM_TOKEN";

/**
 * The requested form.
 *
 * @throws ERR_USAGE for a name that no shell takes
 */
export function tokenTextOf({ header, env, json }: TokenForm): TokenText {
  if (header) return (issued) => `${headerNameOf(issued.kind)}: ${issued.token.reveal()}\n`;
  if (json) return (issued) => `${JSON.stringify(withIamToken({}, issued), null, 2)}\n`;
  if (env === undefined) return (issued) => `${issued.token.reveal()}\n`;
  const name = env === true ? DEFAULT_NAME : env;
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,200}$/.test(name)) {
    // Not repeated: an invalid name may be anything.
    throw new IamTokensError("ERR_USAGE", "The value of --env is not a valid variable name.", {
      allowed: "letters, digits and _, not starting with a digit",
    });
  }
  return (issued) => exportLines(name, issued);
}

function exportLines(name: string, issued: IssuedToken): string {
  return [
    [name, issued.token.reveal()],
    [`${name}_HEADER`, headerNameOf(issued.kind)],
    [`${name}_EXPIRES_AT`, String(withIamToken({}, issued).expires_at)],
  ]
    .map(([variable = "", value = ""]) => `export ${variable}=${shellQuoted(value)}\n`)
    .join("");
}
