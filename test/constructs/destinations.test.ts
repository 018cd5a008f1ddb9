import { Fn, type TerraformResource, type TerraformStack, TerraformVariable, Testing } from "cdktf";
import type { StaticTokenRefProps } from "../../lib";
import {
  type IAuthenticationToken,
  IdentityService,
  type IdentityServiceProps,
  SecretRef,
  ServiceUserToken,
  type ServiceUserTokenProps,
  StaticTokenRef,
  TokenResolution,
  TokenScope,
} from "../../lib";
import {
  AnyProvider,
  AnyResource,
  mistakesOf,
  partOf,
  providerBlocksOf,
  testStack,
} from "./support";

const BASE = "https://api.example.com/v1";

interface Given {
  readonly baseUrl?: string;
  readonly requireBaseUrl?: boolean;
  readonly destinations?: string[];
  readonly resolution?: TokenResolution;
}

/** Both kinds of token, with the base address where each of them has it. */
const KINDS: readonly {
  readonly type: string;
  readonly declare: (stack: TerraformStack, given: Given) => IAuthenticationToken;
}[] = [
  {
    type: "iam_token",
    declare: (stack, { baseUrl, requireBaseUrl, ...rest }) => {
      const identity = new IdentityService(stack, "identity", {
        authUrl: "https://cloud.api.example.com",
        accountId: "123456",
        serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
        ...({ baseUrl, requireBaseUrl } as Pick<IdentityServiceProps, "baseUrl">),
      });
      return new ServiceUserToken(stack, "token", {
        identity,
        scope: TokenScope.account(),
        ...rest,
      } as ServiceUserTokenProps);
    },
  },
  {
    type: "iam_static_token",
    declare: (stack, given) =>
      new StaticTokenRef(stack, "token", {
        source: SecretRef.env("STATIC_TOKEN"),
        acceptStaticTokenInState: true,
        ...given,
      } as StaticTokenRefProps),
  },
];

/** A resource whose attribute is an address that only Terraform knows. */
const addressOf = (stack: TerraformStack, id = "host") =>
  (stack.node.tryFindChild(id) as TerraformResource | undefined)?.getStringAttribute("address") ??
  new AnyResource(stack, id, {}).getStringAttribute("address");

describe.each(KINDS)("$type", ({ type, declare }) => {
  const blocksOf = (stack: TerraformStack, way = "ephemeral") =>
    (partOf(stack, `${way}.${type}`) ?? {}) as Readonly<
      Record<string, Readonly<Record<string, unknown>>>
    >;
  const use = (stack: TerraformStack, headers: unknown) => new AnyProvider(stack, { headers });
  const usedBy = (stack: TerraformStack) => JSON.stringify(partOf(stack, "provider.any"));

  test("uses the token's own object for a literal address under the base, and records no destination", () => {
    const stack = testStack();
    const token = declare(stack, { baseUrl: BASE });
    use(stack, token.headersFor(`${BASE}/dns`));
    expect(token.valueFor(BASE)).toEqual(expect.any(String));
    expect(mistakesOf(stack)).toEqual([]);
    expect(Object.keys(blocksOf(stack))).toEqual(["token"]);
    expect(blocksOf(stack).token).not.toHaveProperty("destinations");
    expect(usedBy(stack)).toContain(`\${ephemeral.${type}.token.token}`);
  });

  test("emits the base address where Terraform checks it", () => {
    const stack = testStack();
    declare(stack, { baseUrl: BASE });
    const block =
      type === "iam_token"
        ? providerBlocksOf(stack).find((each) => each.alias === "identity")
        : blocksOf(stack).token;
    expect(block).toHaveProperty("base_url", BASE);
  });

  test.each([
    ["an address", (stack: TerraformStack) => addressOf(stack), {}],
    ["the base address", () => BASE, { baseUrl: "${var.base}" }],
  ])("refuses to check %s that only Terraform knows", (_what, url, given) => {
    const stack = testStack();
    const token = declare(stack, given);
    for (const read of [() => token.headersFor(url(stack)), () => token.valueFor(url(stack))])
      expect(read).toThrow(/Terraform expression.*destinations: \[address\].*ERR_ADDRESS_INVALID/);
  });

  test("passes on destinations that only Terraform knows, one or all", () => {
    const one = testStack();
    declare(one, { baseUrl: BASE, destinations: [BASE, addressOf(one)] });
    expect(mistakesOf(one)).toEqual([]);
    expect(blocksOf(one).token).toHaveProperty("destinations", [BASE, "${any_thing.host.address}"]);
    const all = testStack();
    declare(all, {
      destinations: Fn.split(",", new TerraformVariable(all, "urls", {}).stringValue),
    });
    expect(mistakesOf(all)).toEqual([]);
    expect(blocksOf(all).token).toHaveProperty("destinations", '${split(",", var.urls)}');
  });

  test("by data, writes them as lists, in HCL as well", () => {
    const stack = testStack();
    declare(stack, {
      resolution: TokenResolution.DATA,
      destinations: ["https://api.example.com/x", addressOf(stack)],
    });
    expect(blocksOf(stack, "data").token).toHaveProperty("destinations", [
      "https://api.example.com/x",
      "${any_thing.host.address}",
    ]);
    expect(Testing.synthHcl(stack)).toMatch(
      /destinations = \[\s*"https:\/\/api\.example\.com\/x",\s*"\$\{any_thing\.host\.address\}",?\s*\]/,
    );
    const all = testStack();
    declare(all, {
      resolution: TokenResolution.DATA,
      destinations: Fn.split(",", new TerraformVariable(all, "urls", {}).stringValue),
    });
    expect(Testing.synthHcl(all)).toMatch(/destinations = (?:"\$\{)?split\(",", var\.urls\)/);
  });
});
