import {
  Brand,
  COMMAND_FORM,
  IamTokensError,
  isVariableName,
  isVariablesValue,
  mistakeInCommand,
} from "../../tokens";
import { isUnresolved } from "./checks";
import { assertKind, type Kind, kind, PATH, VARIABLE } from "./kinds";

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
    return new SecretRef({ from: "env", given: name });
  }

  /**
   * The secret is in a file, as UTF-8 text; one newline at its end is cut.
   *
   * @param path absolute, or relative to the folder in which the program is synthesized
   */
  static file(path: string): SecretRef {
    return new SecretRef({ from: "file", given: path });
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
    return new SecretRef({ from: "variable", given: name });
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
    return new SecretRef({ from: "terraform", given: expression });
  }

  /**
   * A program prints the secret: `op read`, `vault kv get`, `pass`. It is run by the provider when
   * Terraform needs a token, once for all tokens of an identity service, and for a static token each
   * time, with Terraform's environment, without a shell and without input. Its standard output less
   * one newline is the secret. It is ended after 30 s.
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
    // A copy: the program may change its list. A string has no copy of this kind.
    return new SecretRef({
      from: "command",
      given: Array.isArray(command) ? [...command] : command,
    });
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
    return new SecretRef({ from: "audience", given: audience });
  }

  /** The source, or undefined for anything that is not a SecretRef. @internal */
  static _sourceOf(value: unknown): SecretSource | undefined {
    return BRAND.isOn(value) ? value.source : undefined;
  }

  private readonly source: SecretSource;

  private constructor(source: SecretSource) {
    const [example, takes] = FORMS[source.from];
    assertKind(`The argument of ${nameIn(example)}`, source.given, { ...takes, isSecret: true });
    this.source = source;
    BRAND.putOn(this);
  }
}

const BRAND = new Brand<SecretRef>("SecretRef");

/** Names that Terraform refuses for a variable: a module block has arguments of these names. */
const RESERVED: readonly string[] = [
  ...["count", "depends_on", "for_each", "lifecycle"],
  ...["locals", "providers", "source", "version"],
];

const NAME = { remedy: "Give the name of the variable, not its value." };

/** How a program refers to a secret. */
type Form = readonly [
  example: string,
  takes: Kind,
  /** The one thing that it is for; by default any secret. */
  onlyFor?: string,
];

const FORMS: Readonly<Record<SecretSource["from"], Form>> = {
  env: [
    'SecretRef.env("NAME")',
    kind(
      VARIABLE.allowed,
      (value) => isVariableName(value) && !isVariablesValue(value, process.env),
      NAME,
    ),
  ],
  file: ['SecretRef.file("path")', PATH],
  variable: [
    'SecretRef.variable("name")',
    kind(
      `the name of a Terraform variable: letters, digits, _ and -, not starting with a digit or -; and not ${RESERVED.join(", ")}`,
      (value) =>
        typeof value === "string" &&
        /^[A-Za-z_][A-Za-z0-9_-]{0,254}$/.test(value) &&
        !RESERVED.includes(value),
      NAME,
    ),
  ],
  terraform: [
    "SecretRef.fromTerraform(expression)",
    kind('a Terraform expression, such as "${ephemeral.vault_kv.x.data}"', isUnresolved, {
      code: "ERR_SECRET_LITERAL",
    }),
  ],
  command: [
    'SecretRef.command(["program", "argument"])',
    kind(
      COMMAND_FORM.allowed,
      (value) => Array.isArray(value) && mistakeInCommand(value) === undefined,
      COMMAND_FORM,
    ),
  ],
  audience: [
    'SecretRef.githubActions("audience")',
    kind(
      "the audience that the identity service accepts",
      (value) => typeof value === "string" && value.trim() !== "",
    ),
    "the token of a federation",
  ],
};

const nameIn = (example: string): string => example.replace(/\(.*/, "");

/**
 * The source of a secret. A wrong value is not repeated: it may be the secret.
 *
 * @param kinds how the secret can be given, in addition to the ways that are for any
 * @throws ERR_SECRET_LITERAL for a literal; ERR_PROP_INVALID
 */
export function sourceOf(
  name: string,
  value: unknown,
  kinds: readonly string[] = [],
): SecretSource {
  const allowed = Object.entries(FORMS)
    .filter(([from, [, , onlyFor]]) => onlyFor === undefined || kinds.includes(from))
    .map(([, [example]]) => example)
    .join(", ");
  const invalid = (problem: string) =>
    new IamTokensError("ERR_PROP_INVALID", `${name} is ${problem}.`, { allowed });
  if (value === undefined || value === null) throw invalid(`missing (${value})`);
  const source = SecretRef._sourceOf(value);
  if (source === undefined)
    throw new IamTokensError(
      "ERR_SECRET_LITERAL",
      `${name} is given as a value of type ${typeof value}, not as a reference (the value is not repeated here).`,
      {
        remedy: `Refer to it: ${allowed}. If the literal was committed, replace it at the service.`,
      },
    );
  const [example, , onlyFor] = FORMS[source.from];
  if (!allowed.includes(example)) throw invalid(`${nameIn(example)}, which is only for ${onlyFor}`);
  return source;
}
