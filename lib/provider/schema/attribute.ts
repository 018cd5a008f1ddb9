import type { CtyType } from "../../plugin/cty/type";
import type { AttributeSchema } from "../../plugin/provider";

/** What the user may write. */
export const argument = (
  type: CtyType,
  description: string,
  more: Pick<AttributeSchema, "required" | "sensitive"> = {},
): AttributeSchema => ({ type, description, ...(more.required ? {} : { optional: true }), ...more });

/** What the provider fills in. */
export const computed = (type: CtyType, description: string, more: Pick<AttributeSchema, "sensitive"> = {}): AttributeSchema => ({
  type,
  description,
  computed: true,
  ...more,
});

/** The contract has the argument already, so that its type is fixed; its rule comes later, and until then giving it is an error. */
export const notBuiltYet = (type: CtyType, description: string): AttributeSchema =>
  argument(type, `${description} Not built in this version: giving it is an error.`);
