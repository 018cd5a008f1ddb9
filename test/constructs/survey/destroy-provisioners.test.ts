import { DataResource, Lazy, TerraformLocal, type TerraformStack } from "cdktf";
import { TokenResolution } from "../../../lib";
import { mistakesOf, testStack } from "../support";
import { type Declare, tokenIn } from "./any-token";

describe("in a provisioner that runs at destruction, which can refer only to its resource", () => {
  const provisioner = (more: object) =>
    ({ type: "local-exec", when: "destroy", command: "true", ...more }) as never;
  const make = (stack: TerraformStack, provisioners: never[], more: object = {}) =>
    void new DataResource(stack, "d", { provisioners, ...more });

  test.each<{ readonly what: string; readonly declare: Declare }>([
    {
      what: "the environment of a command",
      declare: (s, t) => make(s, [provisioner({ environment: t.environment("API") })]),
    },
    {
      what: "a command",
      declare: (s, t) => make(s, [provisioner({ command: `echo ${t.value}` })]),
    },
    {
      what: "a local value on the way there",
      declare: (s, t) =>
        make(s, [
          provisioner({ environment: { T: new TerraformLocal(s, "l", t.value).asString } }),
        ]),
    },
    {
      what: "what is known of the token",
      declare: (s, t) => make(s, [provisioner({ environment: { PRINT: t.fingerprint } })]),
    },
    {
      what: "the connection of the provisioner",
      declare: (s, t) =>
        make(s, [
          provisioner({
            type: "remote-exec",
            connection: { type: "ssh", host: "h", password: t.value },
          }),
        ]),
    },
    {
      what: "the connection that it shares with others",
      declare: (s, t) =>
        make(s, [provisioner({ when: "create" }), provisioner({})], {
          connection: { type: "ssh", host: "h", password: t.value },
        }),
    },
    {
      what: "an override",
      declare: (s, t) =>
        void s.addOverride("resource.terraform_data.x.provisioner", {
          "local-exec": { when: "destroy", command: "true", environment: { T: t.value } },
        }),
    },
  ])("$what is refused, however the token is resolved", ({ declare }) => {
    for (const resolution of [TokenResolution.EPHEMERAL, TokenResolution.DATA]) {
      const stack = testStack();
      declare(stack, tokenIn(stack, resolution));
      expect(mistakesOf(stack)).toEqual([
        expect.stringMatching(
          /^\[stack\/web\] The token is used in a provisioner that runs when its resource is destroyed: .*iam-tokens issue.*\[ERR_TOKEN_MISPLACED\]$/,
        ),
      ]);
    }
  });

  test.each<{ readonly what: string; readonly declare: Declare }>([
    {
      what: "the connection of another resource",
      declare: (s, t) => {
        s.addOverride("resource.terraform_data.x.connection.password", t.value);
        s.addOverride("resource.terraform_data.x.provisioner", null);
        s.addOverride("resource.terraform_data.y.provisioner.local-exec", { when: "destroy" });
      },
    },
    {
      what: "another block with such an argument",
      declare: (s, t) =>
        void s.addOverride("resource.any.x.hook", { when: "destroy", secret_wo: t.value }),
    },
    {
      what: "a provisioner of which only Terraform knows more",
      declare: (s, t) =>
        void s.addOverride(
          "resource.terraform_data.x.provisioner",
          Lazy.anyValue({ produce: () => [{ "local-exec": { environment: { T: t.value } } }] }),
        ),
    },
    {
      what: "a local value that looks like one",
      declare: (s, t) =>
        void new TerraformLocal(s, "l", { a: { provisioner: { when: "destroy", t: t.value } } }),
    },
  ])("$what takes the token", ({ declare }) => {
    const stack = testStack();
    declare(stack, tokenIn(stack));
    expect(mistakesOf(stack)).toEqual([]);
  });

  test("another provisioner takes the token, and the destroy provisioner takes the header's name", () => {
    const stack = testStack();
    const token = tokenIn(stack);
    const environment = { HEADER: token.headerName };
    make(
      stack,
      [
        provisioner({ environment }),
        provisioner({ when: "create", environment: token.environment("API") }),
      ],
      {
        dependsOn: [token],
      },
    );
    expect(mistakesOf(stack)).toEqual([]);
  });
});
