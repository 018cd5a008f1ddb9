import { TerraformLocal, TerraformOutput, type TerraformStack } from "cdktf";
import { type ServiceUserToken, TokenResolution } from "../../../lib";
import { AnyProvider, AnyResource, mistakesOf, testStack } from "../support";
import { type Declare, tokenIn } from "./any-token";

const output = (stack: TerraformStack, value: unknown) =>
  void new TerraformOutput(stack, "o", { value });
const locals = (stack: TerraformStack, values: Readonly<Record<string, unknown>>) => {
  for (const [name, value] of Object.entries(values)) new TerraformLocal(stack, name, value);
};

/** The mistakes of a stack with an ephemeral token, or another one. */
function mistakesWith(declare: Declare, resolution?: TokenResolution): string[] {
  const stack = testStack();
  declare(stack, tokenIn(stack, resolution));
  return mistakesOf(stack);
}

describe("a local value with the token takes it on", () => {
  test.each<{ readonly how: string; readonly users: RegExp; readonly declare: Declare }>([
    {
      how: "through three others",
      users: /: stack\/o \(value\), through the local value four\. /,
      declare: (s, t) => {
        locals(s, { one: t.value, two: "${local.one}", three: "${local.two}" });
        locals(s, { four: "${local.three}" });
        output(s, "${local.four}");
      },
    },
    {
      how: "through two at the same time, which are both named",
      users:
        /: stack\/o \(value\), through the local value left, stack\/o \(value\), through the local value right\. /,
      declare: (s, t) => {
        locals(s, { one: t.value, left: "${local.one}", right: "${local.one}" });
        output(s, "${local.left}${local.right}");
      },
    },
    {
      how: "in a circle, which only Terraform refuses",
      users: /: stack\/o \(value\), through the local value one\. /,
      declare: (s, t) => {
        locals(s, { one: `\${local.two}${t.value}`, two: "${local.one}" });
        output(s, "${local.one}");
      },
    },
    {
      how: "with a name of several words, in an expression",
      users: /: stack\/o \(value\), through the local value a-b_c\. /,
      declare: (s, t) => {
        s.addOverride("locals.a-b_c", t.value);
        output(s, "${upper(local.a-b_c)}");
      },
    },
    {
      how: "next to itself as an argument of ephemeralasnull",
      users: /: stack\/o \(value\), through the local value one\. /,
      declare: (s, t) => {
        locals(s, { one: t.value });
        output(s, "${ephemeralasnull(local.one)}${local.one}");
      },
    },
  ])("to a place that takes none: $how", ({ users, declare }) => {
    expect(mistakesWith(declare)).toEqual([expect.stringMatching(users)]);
  });

  test("to two places of the same kind, which are one mistake", () => {
    const declare: Declare = (s, t) => {
      locals(s, { one: t.value });
      new AnyResource(s, "r", { triggers: { a: "${local.one}", b: "${local.one}" } });
    };
    expect(mistakesWith(declare)).toEqual([
      expect.stringMatching(
        /: stack\/r \(triggers\.a\), through the local value one, stack\/r \(triggers\.b\), through the local value one\. /,
      ),
    ]);
  });
});

describe("a local value is not taken for one with the token", () => {
  test.each<{ readonly what: string; readonly declare: Declare }>([
    {
      what: "with a name that only begins or ends the same",
      declare: (s, t) => {
        locals(s, { one: t.value, one_two: "x", on: "x" });
        s.addOverride("locals.one-two", "x");
        output(s, "${local.one_two}${local.one-two}${local.on}${var.local.one}${a-local.one}");
      },
    },
    {
      what: "with the name of another block that uses the token",
      declare: (s, t) => {
        new AnyProvider(s, { token: t.value });
        s.addOverride("locals.any", "north");
        output(s, "${local.any}");
      },
    },
    {
      what: "with the name of another block that uses a local value with it",
      declare: (s, t) => {
        locals(s, { one: t.value });
        s.addOverride("locals.any", "north");
        new AnyProvider(s, { token: "${local.one}" });
        output(s, "${local.any}");
      },
    },
    {
      what: "of which the place takes only null",
      declare: (s, t) => {
        locals(s, { one: t.value });
        output(s, "${ephemeralasnull(local.one)}");
      },
    },
    {
      what: "that takes only null from another one",
      declare: (s, t) => {
        locals(s, { one: t.value, two: "${ephemeralasnull(local.one)}" });
        output(s, "${local.two}");
      },
    },
    {
      what: "that takes only null from the token",
      declare: (s, t) => {
        locals(s, { one: `\${ephemeralasnull(${t.value})}` });
        output(s, "${local.one}");
      },
    },
  ])("$what", ({ declare }) => {
    expect(mistakesWith(declare)).toEqual([]);
  });
});

describe("an address that is written by hand", () => {
  const sensitive = (text: string) =>
    mistakesWith((s) => output(s, text), TokenResolution.DATA).length > 0;

  test.each([
    { text: "${data.iam_token.web.token}", is: true },
    { text: "${data.iam_token.web.headers}", is: true },
    { text: "${data.iam_token.web}", is: true },
    { text: "${data.iam_token.web.expires_at}", is: false },
    { text: "${data.iam_token.web.expires_at}${data.iam_token.web.token}", is: true },
    { text: "${data.iam_token.web2.token}", is: false },
    { text: "${data.iam_token.web-2.token}", is: false },
    { text: "${module.data.iam_token.web.token}", is: false },
    { text: "${my-data.iam_token.web.token}", is: false },
  ])("is the token, or not: $text", ({ text, is }) => {
    expect(sensitive(text)).toBe(is);
  });
});

describe("ephemeralasnull", () => {
  const refused = (value: (token: ServiceUserToken) => string, resolution?: TokenResolution) =>
    mistakesWith((s, t) => output(s, value(t)), resolution)
      .filter((line) => line.includes("ERR_EPHEMERAL_OUTPUT"))
      .map((line) => /^\[(\S+)\]/.exec(line)?.[1]);

  test("counts with a blank, twice, and around brackets of others", () => {
    expect(refused((t) => `\${ephemeralasnull (upper(${t.value}))}`)).toEqual([]);
    expect(refused((t) => `\${ephemeralasnull(${t.value})}${t.headerName}`)).toEqual([]);
    const twice = (t: ServiceUserToken) =>
      `\${ephemeralasnull(${t.value})}\${ephemeralasnull(${t.value})}`;
    expect(refused(twice)).toEqual([]);
  });

  test("does not count when it is not closed, or only a part of a name", () => {
    expect(refused((t) => `\${ephemeralasnull(${t.value}`)).toEqual(["stack/web"]);
    expect(refused((t) => `\${ephemeralasnull_x(${t.value})}`)).toEqual(["stack/web"]);
    expect(refused((t) => `\${my_ephemeralasnull(${t.value})}`)).toEqual(["stack/web"]);
  });

  test("counts for the token that it is given, not for another one in the same string", () => {
    const stack = testStack();
    const [one, other] = [tokenIn(stack, TokenResolution.EPHEMERAL, "one"), tokenIn(stack)];
    output(stack, `\${ephemeralasnull(${one.value})}${other.value}`);
    expect(mistakesOf(stack)).toEqual([expect.stringMatching(/^\[stack\/web\] /)]);
  });

  test("counts for the token, whatever else of it stands there", () => {
    const value = (t: ServiceUserToken) => `\${ephemeralasnull(${t.value})}${t.fingerprint}`;
    expect(refused(value, TokenResolution.SYNTH)).toEqual([]);
    expect(refused(value)).toEqual(["stack/web"]);
  });
});
