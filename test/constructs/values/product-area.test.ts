import type { TerraformStack } from "cdktf";
import { ProductArea, SecretRef, StaticTokenRef, TokenScope } from "../../../lib";
import { PRODUCT_AREAS } from "../../../lib/tokens";
import { accountToken, annotationsOf, expectNoMistake, testStack } from "../support";

const scope = TokenScope.project("web");

test("the areas are those of the service's description", () => {
  expect(Object.values(ProductArea).sort()).toEqual(Object.keys(PRODUCT_AREAS).sort());
  for (const [name, value] of Object.entries(ProductArea)) expect(name).toBe(value.toUpperCase());
});

const iam = (stack: TerraformStack) => accountToken(stack, { scope });
const fixed = (stack: TerraformStack) =>
  new StaticTokenRef(stack, "t", { source: SecretRef.env("T") });

const [YES, NO, UNKNOWN] = ["yes", "no", "unknown"] as const;

test.each<
  [
    kind: string,
    may: string,
    area: ProductArea,
    declare: typeof iam | typeof fixed,
    ...warnings: string[],
  ]
>([
  ["a project's token", YES, ProductArea.CLOUD_DATABASES, iam],
  ["a project's token", NO, ProductArea.GLOBAL_ROUTER, iam],
  [
    "a project's token",
    UNKNOWN,
    ProductArea.TICKETS,
    iam,
    "stack/t: The documentation does not say whether a token of the kind iam_token_project_scoped may manage tickets; these may: static_token. [WARN_MAY_MANAGE_UNKNOWN]",
  ],
  ["a static token", YES, ProductArea.DNS_HOSTING, fixed],
  ["a static token", NO, ProductArea.OPENSTACK_API_OBJECTS, fixed],
])("whether %s may manage an area: %s for %s", (_kind, may, area, declare, ...warnings) => {
  const stack = testStack();
  const token = declare(stack);
  const required = () => token.assertMayManage(area);
  if (may === NO) expect(required).toThrow(/ cannot manage [^n]\w+.*KIND_UNSUITABLE/);
  else required();
  expectNoMistake(stack);
  expect(annotationsOf(stack)).toEqual(warnings);
});
