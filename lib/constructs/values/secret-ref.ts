import { IamTokensError, type IamTokensErrorDetails, isVariableName } from "../../tokens";
import { Brand } from "../../tokens/brand";
import { COMMAND_FORM, mistakeInCommand } from "../../tokens/command";
import { isExpression, isPath, PATH_ALLOWED } from "./checks";

const BRAND = new Brand<SecretRef>("SecretRef");

/** Names that Terraform refuses for a variable: a module block has arguments of these names. */
const RESERVED = [
  "count",
  "depends_on",
  "for_each",
  "lifecycle",
  "locals",
  "providers",
  "source",
  "version",
];

/** Where a secret is. */
export type SecretSource =
  | {
      readonly from: "env" | "file" | "terraform" | "variable" | "audience";
      readonly given: string;
    }
  | { readonly from: "command"; readonly given: readonly string[] };

/**
 * A reference to a password or a static token. The provider reads the secret when Terraform runs.
 * Synthesis never reads it, so it is in none of the files that synthesis writes.
 *
 * Errors at synthesis, without the wrong value, which may be the secret: ERR_SECRET_LITERAL,
 * ERR_SECRET_IN_PLAN, ERR_PROP_INVALID, ERR_OTHER_STACK.
 *
 * @see docs/credentials.md
 * @example
 * SecretRef.env("SERVICE_USER_PASSWORD");
 */
export class SecretRef {
  /**
   * The secret is in an environment variable of the process that runs Terraform.
   *
   * @param name name of the variable: letters, digits and `_`, not beginning with a digit
   */
  static env(name: string): SecretRef {
    return SecretRef.to("env", { from: "env", given: name }, isVariableName(name), {
      allowed:
        "the NAME of an environment variable: letters, digits and _, not starting with a digit",
      remedy: NAME,
    });
  }

  /**
   * The secret is in a file, as UTF-8 text; one newline at its end is cut.
   *
   * @param path absolute, or relative to the folder in which the program is synthesized
   */
  static file(path: string): SecretRef {
    return SecretRef.to("file", { from: "file", given: path }, isPath(path), {
      allowed: PATH_ALLOWED,
    });
  }

  /**
   * The secret is an input variable of the stack: `TF_VAR_name` in the environment, for example.
   * The stack declares the variable, ephemeral and sensitive: it is in no saved plan and in no
   * state. All references to one name share it. If the program declares the same variable itself,
   * as an ephemeral one, that declaration counts. Terraform 1.10 is required.
   *
   * @param name name of the variable in Terraform
   * @example
   * // $ TF_VAR_password=… cdktf deploy
   * SecretRef.variable("password");
   */
  static variable(name: string): SecretRef {
    const isValid =
      typeof name === "string" &&
      /^[A-Za-z_][A-Za-z0-9_-]{0,254}$/.test(name) &&
      !RESERVED.includes(name);
    return SecretRef.to("variable", { from: "variable", given: name }, isValid, {
      allowed: `the name of a Terraform variable: letters, digits, _ and -, not starting with a digit or -; and not ${RESERVED.join(", ")}`,
      remedy: NAME,
    });
  }

  /**
   * The secret is a value in Terraform, such as the result of another provider's ephemeral
   * resource. Synthesis refuses a variable of the program that is not ephemeral, because its value
   * is in saved plans: ERR_SECRET_IN_PLAN. If the secret comes from an ordinary resource or data
   * source, it is in that one's state, and in plans.
   *
   * @param expression exactly one Terraform expression, such as `"${ephemeral.vault_kv.x.data}"`;
   * synthesis refuses a literal
   */
  static fromTerraform(expression: string): SecretRef {
    const isValid = isExpression(expression);
    return SecretRef.to("fromTerraform", { from: "terraform", given: expression }, isValid, {
      allowed: 'a Terraform expression, such as "${ephemeral.vault_kv.x.data}"',
    });
  }

  /**
   * A program prints the secret: `op read`, `vault kv get`, `pass`. It is run by the provider when
   * Terraform needs a token, once for all tokens of the service, with Terraform's environment,
   * without a shell and without input. Its standard output less one newline is the secret. It is
   * ended after 30 s. For an identity service only, not for a static token.
   *
   * Errors when Terraform runs, without anything that the program printed: ERR_COMMAND_FAILED,
   * ERR_COMMAND_NOT_ALLOWED.
   *
   * @param command the program and its arguments; a program with a relative path is relative to the
   * folder in which the program is synthesized
   * @example
   * SecretRef.command(["op", "read", "op://ci/deployer/password"]);
   * @see docs/signing-in.md
   */
  static command(command: string[]): SecretRef {
    const given: readonly string[] = Array.isArray(command) ? [...command] : [];
    const isValid = mistakeInCommand(given) === undefined;
    return SecretRef.to("command", { from: "command", given }, isValid, COMMAND_FORM);
  }

  /**
   * The identity token of a job in GitHub Actions, for `federation` only. The provider asks GitHub
   * for it at each sign-in; the job needs `permissions: id-token: write`.
   *
   * @param audience the audience (`aud`) that the identity service accepts; may be a Terraform
   * expression
   * @example
   * SecretRef.githubActions("https://iam.example.com");
   * @see docs/signing-in.md
   */
  static githubActions(audience: string): SecretRef {
    return SecretRef.to(
      "githubActions",
      { from: "audience", given: audience },
      typeof audience === "string" && audience.trim() !== "",
      {
        allowed: "the audience that the identity service accepts",
      },
    );
  }

  /** The source, or undefined for anything that is not a SecretRef. @internal */
  static _sourceOf(value: unknown): SecretSource | undefined {
    return BRAND.isOn(value) ? value.source : undefined;
  }

  private static to(
    method: string,
    source: SecretSource,
    isValid: boolean,
    details: IamTokensErrorDetails,
  ): SecretRef {
    if (isValid) return new SecretRef(source);
    throw new IamTokensError(
      source.from === "terraform" ? "ERR_SECRET_LITERAL" : "ERR_PROP_INVALID",
      // It may be the secret.
      `SecretRef.${method} was given ${source.given === undefined ? "undefined" : "another value (not repeated here)"}.`,
      details,
    );
  }

  private readonly source: SecretSource;

  private constructor(source: SecretSource) {
    this.source = source;
    BRAND.putOn(this);
  }
}

/**
 * The source of a secret. A wrong value is not repeated: it may be the secret.
 *
 * @param kinds how the secret can be given, in addition to the usual ways
 * @throws ERR_SECRET_LITERAL for a literal; ERR_PROP_INVALID
 */
export function sourceOf(
  name: string,
  value: unknown,
  kinds: readonly string[] = [],
): SecretSource {
  const source = SecretRef._sourceOf(value);
  if (value === undefined || value === null)
    throw new IamTokensError("ERR_PROP_INVALID", `${name} is missing (${value}).`, {
      allowed: allowedFor(kinds),
    });
  if (source === undefined)
    throw new IamTokensError(
      "ERR_SECRET_LITERAL",
      `${name} is given as a value of type ${typeof value}, not as a reference (the value is not repeated here).`,
      {
        remedy: `Refer to it: ${allowedFor(kinds)}. If the literal was committed, replace it at the service.`,
      },
    );
  if ((source.from === "command" || source.from === "audience") && !kinds.includes(source.from)) {
    const problem = `${name} is SecretRef.${ELSEWHERE[source.from]}.`;
    throw new IamTokensError("ERR_PROP_INVALID", problem, { allowed: allowedFor(kinds) });
  }
  return source;
}

const ELSEWHERE = {
  command: "command, which is only for the secret of an identity service",
  audience: "githubActions, which is only for the token of a federation",
};

const allowedFor = (kinds: readonly string[]): string =>
  [
    'SecretRef.env("NAME")',
    'SecretRef.file("path")',
    'SecretRef.variable("name")',
    "SecretRef.fromTerraform(expression)",
    ...(kinds.includes("command") ? ['SecretRef.command(["program", "argument"])'] : []),
    ...(kinds.includes("audience") ? ['SecretRef.githubActions("audience")'] : []),
  ].join(", ");

const NAME = "Give the name of the variable, not its value.";
