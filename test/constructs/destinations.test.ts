import { Fn, type TerraformStack, TerraformVariable } from "cdktf";
import { type IAuthenticationToken, SecretRef, StaticTokenRef } from "../../lib";
import {
  accountToken,
  anyProvider,
  anyResource,
  expectNoMistake,
  identityIn,
  partOf,
  providerBlocksOf,
  testStack,
} from "./support";

const BASE = "https://api.example.com/v1";

interface Given {
  readonly baseUrl?: string;
  readonly destinations?: string[];
}

/** Both kinds of token, with the base address where each of them has it. */
const KINDS: Readonly<
  Record<string, (stack: TerraformStack, given: Given) => IAuthenticationToken>
> = {
  iam_token: (stack, { baseUrl, ...rest }) =>
    accountToken(stack, { identity: identityIn(stack, "identity", { baseUrl }), ...rest }, "token"),
  iam_static_token: (stack, given) =>
    new StaticTokenRef(stack, "token", {
      source: SecretRef.env("STATIC_TOKEN"),
      ...given,
    }),
};

/** An address that only Terraform knows. */
const ADDRESS = "${any_thing.host.address}";

describe.each(Object.entries(KINDS))("%s", (type, declare) => {
  const blockOf = (stack: TerraformStack) => partOf(stack, `ephemeral.${type}.token`);

  test("uses the token's own object for a literal address under the base, and records no destination", () => {
    const stack = testStack();
    const token = declare(stack, { baseUrl: BASE });
    anyProvider(stack, { headers: token.headersFor(`${BASE}/dns`) });
    expect(token.valueFor(BASE)).toEqual(expect.any(String));
    expectNoMistake(stack);
    expect(Object.keys(partOf(stack, `ephemeral.${type}`) as object)).toEqual(["token"]);
    expect(blockOf(stack)).not.toHaveProperty("destinations");
    expect(JSON.stringify(partOf(stack, "provider.any"))).toContain(
      `\${ephemeral.${type}.token.token}`,
    );
    // Terraform checks it there.
    expect([...providerBlocksOf(stack), blockOf(stack)]).toContainEqual(
      expect.objectContaining({ base_url: BASE }),
    );
  });

  test.each([
    ["an address", ADDRESS, {}],
    ["a lazy address", anyResource(testStack(), "host", {}).getStringAttribute("address"), {}],
    ["the base address", BASE, { baseUrl: "${var.base}" }],
  ])("refuses to check %s that only Terraform knows", (_what, url, given) => {
    const token = declare(testStack(), given);
    for (const read of [() => token.headersFor(url), () => token.valueFor(url)])
      expect(read).toThrow(/Terraform expression.*destinations: \[address\].*ERR_ADDRESS_INVALID/);
  });

  test("passes on destinations that only Terraform knows, one or all", () => {
    const [one, all] = [testStack(), testStack()];
    declare(one, { baseUrl: BASE, destinations: [BASE, ADDRESS] });
    const urls = new TerraformVariable(all, "urls", {}).stringValue;
    declare(all, { destinations: Fn.split(",", urls) });
    expectNoMistake(one, all);
    expect(blockOf(one)).toHaveProperty("destinations", [BASE, ADDRESS]);
    expect(blockOf(all)).toHaveProperty("destinations", '${split(",", var.urls)}');
  });
});
