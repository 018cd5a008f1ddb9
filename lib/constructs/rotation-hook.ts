import { DataResource, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";
import { defined, IamTokensError } from "../tokens";
import { escapeTemplates } from "./blocks/block";
import { EmbeddedProvider } from "./embedded-provider";
import type { ServiceUserToken } from "./service-user-token";
import { HOOK_COMMAND } from "./survey/misuses";
import { assertSameStack, withPath } from "./values/checks";
import { assertKind, TEXT, TOKEN } from "./values/kinds";

/**
 * What Terraform runs, and prints when the hook fails. Without the command's output: Terraform
 * prints all of a failing command's, which may contain the token (`set -x`, `curl -v`).
 */
const HOOK_LINE = `exec sh -c "$${HOOK_COMMAND}" </dev/null >/dev/null 2>&1`;

/** Properties of a {@link RotationHook}. @see docs/rotation.md */
export interface RotationHookProps {
  /**
   * The token, of the same stack: one that rotates (`TokenResolution.rotating`) or is pushed
   * (`rotateWith`).
   */
  readonly token: ServiceUserToken;
  /**
   * The command that `sh` runs in the stack's folder after each rotation, with the token in its
   * environment. The shell expands `${…}`. CDK tokens are allowed, but not the value of a token.
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
   * The POSIX shell that starts the hook, and its arguments. Where Terraform runs on Windows, that
   * of Git or MSYS2: `["C:\\Program Files\\Git\\bin\\sh.exe", "-c"]`.
   *
   * @default ["/bin/sh", "-c"]
   */
  readonly interpreter?: string[];
}

/**
 * A command that runs once after each rotation of a token, and at no other time: it notifies a
 * consumer, restarts a service, or pushes the token to a system that no Terraform provider
 * supports. The first token counts as a rotation, and so does one after `-replace`.
 *
 * If the command fails, the apply fails, and the next apply runs the command again. Terraform gets
 * only the exit code: the command's output is discarded, because it may contain the token. One that
 * wants a log writes it itself (`umask 077; exec 2>>hook.log`). The token is in the command's environment, but
 * not in the command itself or in the triggers.
 *
 * Needs `sh`. Its resource is a `terraform_data`. A changed command alone does not make the hook
 * run; changed `keepers` do.
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
  private readonly resource: DataResource;

  constructor(scope: Construct, id: string, props: RotationHookProps) {
    super(scope, id);
    EmbeddedProvider._for(this, props);
    withPath(this, () => {
      assertKind("token", props.token, TOKEN);
      assertSameStack("token", props.token, this);
      assertRotates(props.token);
      assertKind("command", props.command, TEXT);
    });
    const { token, command, variable = "IAM_TOKEN", interpreter = ["/bin/sh", "-c"] } = props;
    const environment = {
      ...props.environment,
      ...token.environment(variable),
      [HOOK_COMMAND]: escapeTemplates(command),
    };
    this.resource = new DataResource(this, "Default", {
      triggersReplace: { rotation: token.rotationId },
      provisioners: [{ type: "local-exec", command: HOOK_LINE, interpreter, environment }],
      ...defined({ dependsOn: props.dependsOn }),
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
