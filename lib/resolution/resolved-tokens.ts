import { inspect } from "node:util";
import type { TerraformStack } from "cdktf";
import { Construct } from "constructs";
import { quoted } from "../constructs/values/checks";
import { IamTokensError, type Secret } from "../tokens";

/** Values of a stack's variables, by name; each may be a token. */
export type StackValues = ReadonlyMap<string, Secret>;

/**
 * The result of {@link resolveTokens}. Printed, logged or serialized, it contains only numbers;
 * {@link ResolvedTokens.environment} returns the values.
 *
 * @see docs/synth.md
 */
export class ResolvedTokens {
  /** Number of tokens that were resolved. */
  readonly tokens: number;
  /**
   * Number of requests to identity services: one for each distinct credential and scope, not
   * counting retries.
   */
  readonly requests: number;
  /** Whether the pass was skipped. */
  readonly skipped: boolean;
  readonly #values: ReadonlyMap<TerraformStack, () => StackValues>;
  readonly #onTaken: () => void;

  /**
   * @internal
   * @param values by the current names of their variables: until synthesis, a name may change, and
   * the program may refer to more of a token
   */
  constructor(
    counts: { readonly tokens: number; readonly requests: number; readonly skipped: boolean },
    values: ReadonlyMap<TerraformStack, () => StackValues>,
    onTaken: () => void,
  ) {
    this.tokens = counts.tokens;
    this.requests = counts.requests;
    this.skipped = counts.skipped;
    this.#values = values;
    this.#onTaken = onTaken;
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
    this.#onTaken();
    const environment: Record<string, string> = {};
    for (const [from, values] of this.#chosen(stack)) {
      for (const [name, value] of values()) {
        const variable = `TF_VAR_${name}`;
        const text = value.reveal();
        if (Object.hasOwn(environment, variable) && environment[variable] !== text) {
          throw new IamTokensError(
            "ERR_NAME_TAKEN",
            `More than one stack (the last is ${from.node.path}) has a variable ${name}.`,
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

  toString(): string {
    return `ResolvedTokens(tokens: ${this.tokens}, requests: ${this.requests}${this.skipped ? ", skipped" : ""})`;
  }

  toJSON(): { readonly tokens: number; readonly requests: number; readonly skipped: boolean } {
    return { tokens: this.tokens, requests: this.requests, skipped: this.skipped };
  }

  [inspect.custom](): string {
    return this.toString();
  }

  #chosen(stack: TerraformStack | string | undefined) {
    const all = [...this.#values];
    const chosen = all.filter(
      ([each]) => stack === undefined || [each, each.node.id, each.node.path].includes(stack),
    );
    if (chosen.length > 0 || stack === undefined) return chosen;
    throw new IamTokensError(
      "ERR_PROP_INVALID",
      `The stack ${Construct.isConstruct(stack) ? stack.node.path : quoted(stack)} has no resolved tokens.`,
      { allowed: all.map(([each]) => each.node.path).join(", ") || "no stack has one" },
    );
  }
}
