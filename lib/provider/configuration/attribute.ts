import type { CtyType } from "../../plugin/cty/value";
import type { AttributeSchema } from "../../plugin/provider";

/** What the user may write. */
export const argument = (
  type: CtyType,
  description: string,
  more: Pick<AttributeSchema, "required" | "sensitive"> = {},
): AttributeSchema => ({
  type,
  description,
  ...(more.required ? {} : { optional: true }),
  ...more,
});

/** What the provider fills in. */
export const computed = (
  type: CtyType,
  description: string,
  more: Pick<AttributeSchema, "sensitive"> = {},
): AttributeSchema => ({
  type,
  description,
  computed: true,
  ...more,
});
