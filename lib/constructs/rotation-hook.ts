import { win32 } from "node:path";
import type { ITerraformDependable, TerraformResource } from "cdktf";
import { Construct } from "constructs";
import { defined, IamTokensError, quote } from "../tokens";
import { escapeTemplates } from "./blocks/block";
import { EmbeddedProvider } from "./embedded-provider";
import { HOOK_COMMAND, HOOK_LINE, HOOK_NAME, HOOK_SCRIPT, HOOK_TEXT } from "./rotation/hook-script";
import { NullResource, provideNull } from "./rotation/null-provider";
import type { ServiceUserToken } from "./service-user-token";
import { assertSameStack, withPath } from "./values/checks";
import {
  assertKind,
  assertProps,
  DEPENDABLES,
  isObject,
  type KindsOf,
  kind,
  LIST,
  required,
  TEXT,
  TOKEN,
  VARIABLE,
} from "./values/props";

/** Properties of a {@link RotationHook}. @see docs/rotation.md */
export interface RotationHookProps {
  /**
   * The token, of the same stack: one that rotates (`TokenResolution.rotating`) or is pushed
   * (`rotateWith`).
   */
  readonly token: ServiceUserToken;
  /**
   * The command that `sh` runs in the stack's folder after each rotation, with the token in its
   * environment. The shell expands `${…}`. CDK tokens are allowed, but not the value of a token. At
   * most 64 KiB: put a longer command into a file.
   *
   * To keep the token out of `ps`, use `printf`, which is part of the shell, and `curl -H "@-"`,
   * which reads the header from its input.
   */
  readonly command: string;
  /**
   * Name of the variable that contains the token. A second variable, with `_HEADER` appended,
   * contains the name of the header.
   *
   * @default "IAM_TOKEN"
   */
  readonly variable?: string;
  /**
   * More variables for the command, in addition to the environment of the process that runs
   * Terraform.
   *
   * @default - no more
   */
  readonly environment?: { [name: string]: string };
  /**
   * The hook runs after these, for instance after the secret that must be pushed first.
   *
   * @default - after the rotation
   */
  readonly dependsOn?: ITerraformDependable[];
  /**
   * The POSIX shell that starts the hook, and its arguments. On Windows, use that of Git or MSYS2,
   * such as `["C:\\Program Files\\Git\\bin\\sh.exe", "-c"]`. A program that is synthesized on
   * Windows must name one, even if Terraform runs elsewhere.
   *
   * @default ["/bin/sh", "-c"]
   */
  readonly interpreter?: string[];
}

const COMMAND = kind(
  "a string that sh can run",
  (value) => typeof value === "string" && value.trim() !== "",
);

/** One of the program: its names are checked, and the hook adds its own. */
const ENVIRONMENT = kind(
  "a map of strings in the program, not one that only Terraform knows",
  isObject,
  { each: TEXT },
);

const PROPS: KindsOf<RotationHookProps> = {
  token: required(TOKEN),
  command: required(COMMAND),
  variable: VARIABLE,
  environment: ENVIRONMENT,
  dependsOn: DEPENDABLES,
  interpreter: LIST,
};

const SHELL = ["/bin/sh", "-c"];
const COMMAND_BYTES = 65_536;

/**
 * A command that runs once after each rotation of a token, and at no other time: it notifies a
 * consumer, restarts a service, or pushes the token to a system that no Terraform provider
 * supports. The first token counts as a rotation, and so does one after `-replace`.
 *
 * If the command fails, the apply fails, and the next apply runs the command again. Terraform gets
 * only the exit code. The output of a failed command is in a file that only its owner can read;
 * Terraform prints the path, and the hook's next run removes the file. Any other output is
 * discarded. The token is in the command's environment, but not in the command itself or in the
 * triggers.
 *
 * Needs `sh`. Its resource is a `null_resource`, of the stack's own provider for those if there is
 * one. A changed command alone does not make the hook run; changed `keepers` do.
 *
 * @see docs/rotation.md
 * @example
 * new RotationHook(this, "restart", {
 *   token: pushed,
 *   command: "systemctl reload consumer", // it finds the token in IAM_TOKEN
 *   dependsOn: [secret],
 * });
 */
export class RotationHook extends Construct implements ITerraformDependable {
  private readonly resource: TerraformResource;

  constructor(scope: Construct, id: string, props: RotationHookProps) {
    super(scope, id);
    const embedded = EmbeddedProvider.of(this);
    const { interpreter, environment } = withPath(this, () => {
      assertProps(props, PROPS);
      const { token, command, variable = "IAM_TOKEN" } = props;
      const shell = props.interpreter ?? (process.platform === "win32" ? [] : SHELL);
      assertSameStack("token", token, this);
      assertRotates(token);
      assertLength(command);
      const own = {
        ...token.environment(variable),
        [HOOK_SCRIPT]: escapeTemplates(HOOK_TEXT),
        [HOOK_COMMAND]: escapeTemplates(command),
        [HOOK_NAME]: this.node.addr.slice(0, 12),
      };
      assertFree(Object.keys(props.environment ?? {}), Object.keys(own));
      assertShell(shell);
      return { interpreter: shell, environment: { ...props.environment, ...own } };
    });
    provideNull(embedded);
    this.resource = new NullResource(this, "Default", {
      triggers: { rotation: props.token.rotationId },
      provisioners: [{ type: "local-exec", command: HOOK_LINE, interpreter, environment }],
      ...defined({
        dependsOn: props.dependsOn,
        lifecycle: hasShell(interpreter, this.node.path),
      }),
    });
  }

  /** The address of the hook's resource in Terraform, for `dependsOn`. */
  get fqn(): string {
    return this.resource.fqn;
  }
}

/** A token of another class has no rotation: its hook would run once, and never again. */
function assertRotates(token: ServiceUserToken): void {
  if ("rotationId" in token && token._rotates) return;
  const problem = `token (${token.node.path}) does not rotate.`;
  throw new IamTokensError("ERR_PROP_INVALID", problem, {
    allowed: "a ServiceUserToken with TokenResolution.rotating(), or with rotateWith",
  });
}

function assertLength(command: string): void {
  const bytes = Buffer.byteLength(command);
  if (bytes <= COMMAND_BYTES) return;
  throw new IamTokensError("ERR_PROP_INVALID", `command has ${bytes} bytes.`, {
    allowed: `at most ${COMMAND_BYTES}: Linux starts no command with a variable of more than twice that`,
    remedy: "Write it into a script file, and let the command run the script.",
  });
}

/** Refuses variables that are none, or the hook's own. */
function assertFree(names: readonly string[], taken: readonly string[]): void {
  for (const name of names) {
    assertKind("A name in environment", name, VARIABLE);
    if (!taken.includes(name)) continue;
    const problem = `environment has ${name}, which is reserved for the hook.`;
    throw new IamTokensError("ERR_PROP_INVALID", problem, {
      allowed: "names that the hook does not use itself",
    });
  }
}

function assertShell(interpreter: readonly string[]): void {
  if (interpreter.length > 0) return;
  const problem =
    process.platform === "win32"
      ? "interpreter is missing, and Windows has no /bin/sh."
      : "interpreter is an empty list.";
  throw new IamTokensError("ERR_PROP_INVALID", problem, {
    allowed: "a list of strings: the program of a POSIX shell, and its arguments",
    remedy:
      'Where Terraform runs on Windows, name the sh.exe of Git or MSYS2; elsewhere ["/bin/sh", "-c"].',
  });
}

/**
 * Makes the plan fail if the shell does not exist. The apply would fail as well, but after the
 * rotation. A name without a folder is not checked: Terraform cannot search the PATH.
 */
function hasShell([program = ""]: readonly string[], path: string): object | undefined {
  // On Windows, POSIX paths are absolute as well.
  if (!win32.isAbsolute(program)) return undefined;
  const error = new IamTokensError(
    "ERR_HOOK_SHELL_MISSING",
    `This machine does not have ${quote(program)}, which starts the RotationHook ${path}.`,
    {
      remedy:
        "Declare the hook with interpreter, the shell of the machine that runs Terraform: on Windows the sh.exe of Git or MSYS2.",
    },
  );
  // A condition in Terraform must refer to something; and cdktf's own function would not escape the
  // backslashes of Windows.
  const there = `fileexists(${JSON.stringify(escapeTemplates(program))})`;
  const condition = `\${path.root != "" && ${there}}`;
  return { precondition: [{ condition, errorMessage: escapeTemplates(error.message) }] };
}
