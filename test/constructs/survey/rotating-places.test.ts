import { TerraformCount, TerraformIterator } from "cdktf";
import { TokenResolution } from "../../../lib";
import { AnyProvider, AnyResource, mistakesOf, testStack } from "../support";
import { AnyData, type Declare, tokenIn } from "./any-token";

const mistakesWith = (declare: Declare, resolution = TokenResolution.ROTATING): string[] => {
  const stack = testStack();
  declare(stack, tokenIn(stack, resolution));
  return mistakesOf(stack);
};

test.each<{ readonly where: string; readonly declare: Declare }>([
  {
    where: "count: stack/r",
    declare: (s) => {
      const count = TerraformCount.of("${length(iam_token.web.expires_at)}" as never);
      new AnyResource(s, "r", {}, { count });
    },
  },
  {
    where: "for_each: stack/r",
    declare: (s, t) => {
      const forEach = TerraformIterator.fromMap({ name: t.expiresAt });
      new AnyResource(s, "r", {}, { forEach });
    },
  },
  {
    where: "a provider block, which could not authenticate in the first plan",
    declare: (s) => new AnyProvider(s, { until: "${iam_token.web.expires_at}" }),
  },
])("what a rotating token learns from its rotation is refused in $where", ({ where, declare }) => {
  expect(mistakesWith(declare)).toEqual([
    expect.stringContaining(`The token is rotated in place, but is used in ${where}`),
  ]);
});

test("what each plan knows of a rotating token is accepted there", () => {
  const declare: Declare = (s) => {
    new AnyProvider(s, { header: "${iam_token.web.header_name}", kind: "${iam_token.web.kind}" });
  };
  expect(mistakesWith(declare)).toEqual([]);
});

test("a token is refused in the command line of a hook, with the way by the environment", () => {
  const environment = "resource.any.x.provisioner.local-exec.environment";
  for (const resolution of [TokenResolution.EPHEMERAL, TokenResolution.ROTATING])
    expect(
      mistakesWith(
        (s, t) => s.addOverride(`${environment}.IAM_TOKENS_HOOK_COMMAND`, t.value),
        resolution,
      ),
    ).toEqual([
      expect.stringMatching(
        /in a hook's command line, which others can see while it runs: .*\$IAM_TOKEN.*\[ERR_TOKEN_MISPLACED\]$/,
      ),
    ]);
});

test("the error about an ephemeral token in a data source suggests ROTATING first", () => {
  const [mistake] = mistakesWith(
    (s, t) => new AnyData(s, "d", { query: t.value }),
    TokenResolution.EPHEMERAL,
  );
  expect(mistake).toMatch(/declare a token with resolution: TokenResolution\.ROTATING/);
});
