import type { IConstruct } from "constructs";
import { Mistakes } from "./props/mistakes";
import { quoted } from "./props/quoted";
import { writeOnlyNamesOf } from "./survey/write-only";

/**
 * Names of write-only arguments, which accept ephemeral tokens. A name that ends in `_wo`, as most
 * do, is known already. Any other causes a warning, because synthesis has no schemas.
 *
 * @see docs/using-tokens.md
 * @example WriteOnlyArguments.of(app).add("restapi_object.secret_header");
 */
export class WriteOnlyArguments {
  /** @param scope the app, a stack or a construct: includes everything in it */
  static of(scope: IConstruct): WriteOnlyArguments {
    return new WriteOnlyArguments(scope);
  }

  private constructor(private readonly scope: IConstruct) {}

  /**
   * Adds names. An invalid name gives ERR_PROP_INVALID at synthesis.
   *
   * @param names `TYPE.ARGUMENT`, or `ARGUMENT` for resources of any type, spelled as in Terraform,
   * with `_`. For a nested block, its own name or that of the argument in it.
   */
  add(...names: string[]): void {
    const mistakes = new Mistakes();
    for (const name of names as readonly unknown[]) {
      if (typeof name === "string" && /^(?:[a-z0-9_-]+\.)?[a-z0-9_-]+$/i.test(name))
        writeOnlyNamesOf(this.scope).add(name);
      else {
        mistakes.add("ERR_PROP_INVALID", `WriteOnlyArguments.add was given ${quoted(name)}.`, {
          allowed: '"TYPE.ARGUMENT" or "ARGUMENT", as Terraform writes them',
        });
      }
    }
    if (mistakes.messages.length > 0)
      this.scope.node.addValidation({ validate: () => mistakes.messages });
  }
}
