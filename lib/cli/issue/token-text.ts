import type { IssuedToken } from "../../identity";
import { withIamToken } from "../../provider/objects/token-attributes";
import { headerNameOf, IamTokensError } from "../../tokens";
import { shellQuoted } from "../shell-quoted";

/** The options that say how a token is printed; without one it is the token alone. */
export interface TokenForm {
  readonly header?: true;
  /** True when no name is given. */
  readonly env?: string | true;
  readonly json?: true;
}

/** A token as text, newline included. */
type TokenText = (issued: IssuedToken) => string;

const DEFAULT_NAME = "IAM_TOKEN";

/**
 * The form that is asked for.
 *
 * @throws ERR_USAGE when there are several, or the name of a variable is none
 */
export function tokenTextOf({ header, env, json }: TokenForm): TokenText {
  const asked = [
    header === true && "--header",
    env !== undefined && "--env",
    json === true && "--json",
  ].filter(Boolean);
  if (asked.length > 1) {
    throw new IamTokensError(
      "ERR_USAGE",
      `${asked.join(" and ")} are different forms of the same token.`,
      { remedy: "Give one of them." },
    );
  }
  if (header) return (issued) => `${headerNameOf(issued.kind)}: ${issued.token.reveal()}\n`;
  if (json) return (issued) => `${JSON.stringify(withIamToken({}, issued), null, 2)}\n`;
  if (env === undefined) return (issued) => `${issued.token.reveal()}\n`;
  const name = env === true ? DEFAULT_NAME : env;
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,200}$/.test(name)) {
    // It is not repeated: what is no name may be anything.
    throw new IamTokensError("ERR_USAGE", "What --env gives is not the name of a variable.", {
      allowed: "letters, digits and _, not beginning with a digit",
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
