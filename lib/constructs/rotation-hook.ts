import type { ITerraformDependable } from "cdktf";
import { Construct } from "constructs";
import { defined } from "../tokens";
import { literally } from "./blocks/block";
import { HOOK_COMMAND, HOOK_LINE, HOOK_NAME, HOOK_SCRIPT, HOOK_TEXT } from "./blocks/hook-script";
import { loadNullPackage, provideNull } from "./blocks/null-provider";
import { checkSameStack } from "./blocks/reopening";
import { EmbeddedProvider } from "./embedded-provider";
import { emittable } from "./props/expression";
import { Mistakes } from "./props/mistakes";
import { checkProps } from "./props/props";
import { shown } from "./props/shown";
import { checkVariableName } from "./props/texts";
import { ServiceUserToken } from "./service-user-token";

/** What a {@link RotationHook} is made from. */
export interface RotationHookProps {
  /**
   * The token: one that rotates (`TokenResolution.ROTATING`), or one that is pushed (`rotateWith`);
   * of the same stack.
   */
  readonly token: ServiceUserToken;
  /**
   * What `sh` runs, in the stack's folder, after each rotation. It finds the token in its
   * environment. `${…}` in it is the shell's; CDK tokens may stand in it, but no value of a token.
   * At most 64 KiB: a longer one belongs into a file.
   *
   * Hand the token on without showing it to `ps`: `printf` is a part of the shell, and `curl -H @-`
   * reads the header from its input.
   */
  readonly command: string;
  /**
   * Name of the variable that has the token; the one with `_HEADER` behind it has the name of the
   * header to send it in.
   *
   * @default "IAM_TOKEN"
   */
  readonly variable?: string;
  /**
   * More variables for the command. It has those of the process that runs Terraform in any case.
   *
   * @default - no more
   */
  readonly environment?: { [name: string]: string };
  /**
   * What the hook runs after: the secret that has to be pushed first.
   *
   * @default - after the rotation
   */
  readonly dependsOn?: ITerraformDependable[];
}

const COMMAND_BYTES = 65_536;
const KNOWN = ["token", "command", "variable", "environment", "dependsOn"];

/**
 * A command that runs once after each rotation of a token, and at no other time: tells a consumer,
 * restarts a service, pushes the token to where Terraform has no provider for. Also the first token
 * is a rotation, and so is one after `-replace`.
 *
 * A command that fails makes the apply fail, and the next apply runs it again. Terraform learns its
 * exit code alone: what it printed is in a file that only its owner can read, whose path Terraform
 * prints and which the hook's next run removes; what a command printed that went well is gone. The
 * token is in the command's environment, and neither in its text nor in the triggers.
 *
 * Needs the package `@cdktf/provider-null`, and `sh`. Another command does not make it run: a
 * changed `keepers` does.
 *
 * Reported when the program is synthesized: ERR_PEER_MISSING, ERR_PROP_INVALID, ERR_NAME_INVALID,
 * ERR_OTHER_STACK, ERR_TOKEN_MISPLACED.
 *
 * @example
 * new RotationHook(this, "restart", {
 *   token: pushed,
 *   command: 'printf "%s: %s" "$IAM_TOKEN_HEADER" "$IAM_TOKEN" | curl -sf -X POST -H @-
 *   https://api.example.com/reload', dependsOn: [secret],
 * });
 */
export class RotationHook extends Construct implements ITerraformDependable {
  private readonly resource: ITerraformDependable | undefined;

  constructor(scope: Construct, id: string, props: RotationHookProps) {
    super(scope, id);
    const mistakes = new Mistakes();
    const given = checkProps(props, KNOWN, mistakes);
    const token = checkToken(given.token, this, mistakes);
    const command = checkCommand(given.command, mistakes);
    const variable = checkVariableName("variable", given.variable ?? "IAM_TOKEN", mistakes);
    const more = checkEnvironment(given.environment, variable, mistakes);
    const dependsOn = checkDependsOn(given.dependsOn, mistakes);
    this.node.addValidation({ validate: () => mistakes.messages });
    const found = mistakes.check(() => loadNullPackage());
    if (
      found === undefined ||
      token === undefined ||
      command === undefined ||
      variable === undefined
    )
      return;
    provideNull(EmbeddedProvider.of(this), found);
    const environment = {
      ...more,
      ...token.environment(variable),
      [HOOK_SCRIPT]: literally(HOOK_TEXT),
      [HOOK_COMMAND]: literally(command),
      [HOOK_NAME]: this.node.addr.slice(0, 12),
    };
    this.resource = new found.resource.Resource(this, "Default", {
      triggers: { rotation: token.rotationId },
      provisioners: [
        { type: "local-exec", command: HOOK_LINE, interpreter: ["/bin/sh", "-c"], environment },
      ],
      ...defined({ dependsOn }),
    });
  }

  /** The address of the hook's resource in Terraform, for `dependsOn`. */
  get fqn(): string {
    return this.resource?.fqn ?? "";
  }
}

function checkToken(
  value: unknown,
  hook: Construct,
  mistakes: Mistakes,
): ServiceUserToken | undefined {
  if (!ServiceUserToken._is(value)) {
    mistakes.add(
      "ERR_PROP_INVALID",
      `token is ${value === undefined ? "missing" : "not a ServiceUserToken"}.`,
      { allowed: "a ServiceUserToken of the same stack that rotates, or is pushed" },
    );
    return undefined;
  }
  if (!value._rotates) {
    mistakes.add("ERR_PROP_INVALID", `The token ${value.node.path} does not rotate.`, {
      allowed: "a token with TokenResolution.ROTATING, or with rotateWith",
    });
    return undefined;
  }
  const remedy = "Declare the hook in that stack.";
  return checkSameStack("token", value, hook, mistakes, { remedy }) ? value : undefined;
}

function checkCommand(value: unknown, mistakes: Mistakes): string | undefined {
  if (typeof value === "string" && Buffer.byteLength(value) > COMMAND_BYTES) {
    mistakes.add("ERR_PROP_INVALID", `command has ${Buffer.byteLength(value)} bytes.`, {
      allowed: `at most ${COMMAND_BYTES}: Linux starts no command with a longer variable than twice that`,
      remedy: "Put it into a file, and let the command run that.",
    });
    return undefined;
  }
  if (typeof value === "string" && value.trim() !== "" && !value.includes("\0")) return value;
  mistakes.add(
    "ERR_PROP_INVALID",
    `command is ${value === undefined ? "missing" : shown(value)}.`,
    { allowed: "a text that sh can run" },
  );
  return undefined;
}

function checkEnvironment(
  value: unknown,
  variable: string | undefined,
  mistakes: Mistakes,
): { [name: string]: unknown } {
  if (value === undefined) return {};
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    mistakes.add("ERR_PROP_INVALID", `environment is ${shown(value)}.`, {
      allowed: 'texts by name: { REGION: "r1" }',
    });
    return {};
  }
  const taken = [variable, `${variable}_HEADER`, HOOK_SCRIPT, HOOK_COMMAND, HOOK_NAME];
  const entries = Object.entries(value).filter(([name, text]) => {
    if (checkVariableName("environment", name, mistakes) === undefined) return false;
    if (!taken.includes(name) && emittable(text) !== undefined) return true;
    mistakes.add(
      "ERR_PROP_INVALID",
      `environment has ${name}, which is ${taken.includes(name) ? "the hook's own" : "no text"}.`,
      { allowed: "texts, under names that the hook does not use itself" },
    );
    return false;
  });
  return Object.fromEntries(entries);
}

function checkDependsOn(
  value: unknown,
  mistakes: Mistakes,
): readonly ITerraformDependable[] | undefined {
  const isDependable = (each: unknown): each is ITerraformDependable =>
    typeof each === "object" && each !== null && "fqn" in each;
  if (value === undefined || (Array.isArray(value) && value.every(isDependable))) return value;
  mistakes.add(
    "ERR_PROP_INVALID",
    `dependsOn is ${Array.isArray(value) ? "a list with something else" : shown(value)}.`,
    { allowed: "a list of resources, tokens, rotations or hooks" },
  );
  return undefined;
}
