import { inspect } from "node:util";
import type { TerraformStack } from "cdktf";
import { TerraformStack as Stack } from "cdktf";
import { IamTokensError, type Secret } from "../tokens";

/** Values of a stack's variables, by name; each may be a token. */
export type StackValues = ReadonlyMap<string, Secret>;

/**
 * What {@link resolveTokens} has done. Printed, logged or serialized it shows numbers only; {@link
 * ResolvedTokens.environment} gives the values.
 */
export class ResolvedTokens {
  /** How many tokens have a value now. */
  readonly tokens: number;
  /**
   * How many of them this pass asked identity services for: one request for each distinct
   * credential and scope, further tries not counted.
   */
  readonly requests: number;
  /** Whether the pass was skipped. */
  readonly skipped: boolean;
  readonly #values: () => ReadonlyMap<TerraformStack, StackValues>;
  readonly #onTaken: () => void;

  /**
   * @internal
   * @param values as their variables are called when it is asked: until the synthesis a name may
   * change, and more may be asked of a token
   */
  constructor(
    counts: { readonly tokens: number; readonly requests: number; readonly skipped: boolean },
    values: () => ReadonlyMap<TerraformStack, StackValues>,
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
   * clear: hand them to that program and keep no copy. Terraform prefers the file, so that they
   * count only where none is written.
   *
   * @param stack whose values, or its id
   * @default - the values of all stacks
   * @throws ERR_NAME_TAKEN when two stacks have a variable of the same name, with different values;
   * ERR_PROP_INVALID for a stack that has no such token
   * @example
   * spawnSync("npx", ["cdktf", "deploy", "--skip-synth", "*"], { env: { ...process.env,
   * ...resolved.environment() } });
   */
  environment(stack?: TerraformStack | string): Record<string, string> {
    this.#onTaken();
    const environment: Record<string, string> = {};
    for (const [from, values] of this.#chosen(stack)) {
      for (const [name, value] of values) {
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

  #chosen(
    stack: TerraformStack | string | undefined,
  ): readonly (readonly [TerraformStack, StackValues])[] {
    const all = [...this.#values()];
    if (stack === undefined) return all;
    const chosen = all.filter(
      ([each]) => each === stack || each.node.id === stack || each.node.path === stack,
    );
    if (chosen.length > 0) return chosen;
    throw new IamTokensError(
      "ERR_PROP_INVALID",
      `There are no values for the stack ${nameOf(stack)}.`,
      {
        allowed:
          all.map(([each]) => each.node.path).join(", ") || "none: no stack has such a token",
      },
    );
  }
}

function nameOf(stack: unknown): string {
  if (Stack.isStack(stack)) return stack.node.path;
  return typeof stack === "string" ? JSON.stringify(stack.slice(0, 80)) : `of type ${typeof stack}`;
}
