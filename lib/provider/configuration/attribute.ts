import type { CtyType } from "../../plugin/cty/value";
import type { AttributeSchema } from "../../plugin/provider";

/** An argument that the user sets. */
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

/** An attribute that the provider computes. */
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
