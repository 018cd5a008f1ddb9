import type { IConstruct } from "constructs";
import { Mistakes } from "./props/mistakes";
import { shown } from "./props/shown";
import { writeOnlyNamesOf } from "./survey/write-only";

/**
 * Names of write-only arguments, in which ephemeral tokens may stand. Providers end such names with
 * `_wo`, and those need not be told; others are warned of, because no schema is there when a
 * program is synthesized.
 *
 * @example WriteOnlyArguments.of(app).add("restapi_object.secret_header");
 */
export class WriteOnlyArguments {
  /** @param scope they hold for everything in it: the app, a stack, one construct */
  static of(scope: IConstruct): WriteOnlyArguments {
    return new WriteOnlyArguments(scope);
  }

  private constructor(private readonly scope: IConstruct) {}

  /**
   * Adds names. What is no such name is reported when the program is synthesized: ERR_PROP_INVALID.
   *
   * @param names `TYPE.ARGUMENT`, or `ARGUMENT` for resources of any type; as in Terraform, with
   * `_`. Of a nested block its own name, or that of the argument in it.
   */
  add(...names: string[]): void {
    const mistakes = new Mistakes();
    for (const name of names as readonly unknown[]) {
      if (typeof name === "string" && /^(?:[a-z0-9_-]+\.)?[a-z0-9_-]+$/i.test(name))
        writeOnlyNamesOf(this.scope).add(name);
      else {
        mistakes.add("ERR_PROP_INVALID", `WriteOnlyArguments.add was given ${shown(name)}.`, {
          allowed: '"TYPE.ARGUMENT" or "ARGUMENT", as Terraform writes them',
        });
      }
    }
    if (mistakes.messages.length > 0)
      this.scope.node.addValidation({ validate: () => mistakes.messages });
  }
}
