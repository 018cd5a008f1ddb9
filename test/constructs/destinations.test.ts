import {
  Fn,
  Lazy,
  type TerraformResource,
  type TerraformStack,
  TerraformVariable,
  Testing,
  Token,
} from "cdktf";
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

  test("declares a separate object for an address that only Terraform knows, and leaves the token's unchanged", () => {
    const stack = testStack();
    const token = declare(stack, { baseUrl: BASE, destinations: [`${BASE}/x`] });
    const url = `https://${addressOf(stack)}/dns`;
    use(stack, [token.headersFor(url), token.headers]);
    expect(mistakesOf(stack)).toEqual([]);
    const { token: own, ...others } = blocksOf(stack);
    expect(own).toMatchObject({ destinations: [`${BASE}/x`] });
    const [[name, other] = []] = Object.entries(others);
    expect(Object.keys(others)).toHaveLength(1);
    const { "//": _own, ...rest } = own ?? {};
    const { "//": _other, ...its } = other ?? {};
    expect(its).toEqual({ ...rest, destinations: ["https://${any_thing.host.address}/dns"] });
    expect(usedBy(stack)).toContain(`\${ephemeral.${type}.${name}.token}`);
  });

  test("declares one object for equal expressions, with a name that does not depend on the rest of the program", () => {
    const names = [false, true].map((more) => {
      const stack = testStack();
      const token = declare(stack, {});
      if (more) token.valueFor(addressOf(stack, "first"));
      token.valueFor(addressOf(stack));
      token.headersFor(addressOf(stack));
      return Object.keys(blocksOf(stack)).filter((name) => name !== "token");
    });
    expect(names[0]).toHaveLength(1);
    expect(names[1]).toHaveLength(2);
    expect(names[1]).toContain(names[0]?.[0]);
  });

  test("distinguishes lazy addresses that look the same", () => {
    const stack = testStack();
    const token = declare(stack, {});
    const late = ["", ""];
    for (const index of [0, 1])
      token.valueFor(Token.asString(Lazy.stringValue({ produce: () => late[index] ?? "" })));
    late.splice(0, 2, "https://one.example", "https://two.example");
    expect(Object.values(blocksOf(stack)).map((block) => block.destinations)).toContainEqual([
      "https://one.example",
      "https://two.example",
    ]);
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

  test("does the same by data", () => {
    const stack = testStack();
    const token = declare(stack, { resolution: TokenResolution.DATA, destinations: [] });
    use(stack, token.headersFor(addressOf(stack)));
    expect(mistakesOf(stack)).toEqual([]);
    expect(blocksOf(stack, "data").token).toHaveProperty("destinations", []);
    expect(
      Object.values(blocksOf(stack, "data")).map((block) => block.destinations),
    ).toContainEqual(["${any_thing.host.address}"]);
  });

  test("by data, writes them as lists in HCL as well", () => {
    const stack = testStack();
    const token = declare(stack, {
      resolution: TokenResolution.DATA,
      destinations: ["https://api.example.com/x"],
    });
    use(stack, token.headersFor(addressOf(stack)));
    const hcl = Testing.synthHcl(stack);
    expect(hcl).toMatch(/destinations = \[\s*"https:\/\/api\.example\.com\/x",?\s*\]/);
    expect(hcl).toMatch(/destinations = \[\s*"\$\{any_thing\.host\.address\}",?\s*\]/);
    const all = testStack();
    declare(all, {
      resolution: TokenResolution.DATA,
      destinations: Fn.split(",", new TerraformVariable(all, "urls", {}).stringValue),
    });
    expect(Testing.synthHcl(all)).toMatch(/destinations = (?:"\$\{)?split\(",", var\.urls\)/);
  });
});
