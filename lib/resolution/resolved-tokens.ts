import type { TerraformStack } from "cdktf";
import { Construct } from "constructs";
import type { StackValues } from "../constructs/stack/stack-values";
import { received } from "../constructs/values/kinds";
import { IamTokensError } from "../tokens";

/**
 * The result of {@link resolveTokens}. Printed, logged or serialized, it contains no value;
 * {@link ResolvedTokens.environment} returns them.
 *
 * @see docs/synth.md
 */
export class ResolvedTokens {
  readonly #stacks: readonly StackValues[];

  /** @internal */
  constructor(stacks: readonly StackValues[]) {
    this.#stacks = stacks;
  }

  /**
   * The values as environment variables for a program that runs Terraform: `TF_VAR_…`. They are in
   * clear text: pass them to that program and keep no copy. Terraform prefers the file, so they
   * only matter if none is written.
   *
   * @param stack the stack, or its id
   * @default - the values of all stacks
   * @throws ERR_NAME_TAKEN if two stacks have a variable of the same name, with different values;
   * ERR_PROP_INVALID for a stack without such tokens
   * @example
   * spawnSync("npx", ["cdktf", "deploy", "--skip-synth", "*"], { env: { ...process.env,
   * ...resolved.environment() } });
   */
  environment(stack?: TerraformStack | string): Record<string, string> {
    const environment: Record<string, string> = {};
    for (const from of this.#chosen(stack)) {
      for (const [name, text] of from.variables()) {
        const variable = `TF_VAR_${name}`;
        if (Object.hasOwn(environment, variable) && environment[variable] !== text) {
          throw new IamTokensError(
            "ERR_NAME_TAKEN",
            `More than one stack (the last is ${from.stack.node.path}) has a variable ${name}.`,
            {
              remedy:
                "Run the stacks one by one, each with environment(stack), or give one of the tokens another id.",
            },
          );
        }
        environment[variable] = text;
      }
    }
    return environment;
  }

  #chosen(named: TerraformStack | string | undefined): readonly StackValues[] {
    const chosen = this.#stacks.filter(
      ({ stack }) => named === undefined || [stack, stack.node.id, stack.node.path].includes(named),
    );
    if (chosen.length > 0 || named === undefined) return chosen;
    throw new IamTokensError(
      "ERR_PROP_INVALID",
      `The stack ${Construct.isConstruct(named) ? named.node.path : received(named)} has no resolved tokens.`,
      {
        allowed: this.#stacks.map(({ stack }) => stack.node.path).join(", ") || "no stack has one",
      },
    );
  }
}
