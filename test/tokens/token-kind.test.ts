import { headerNameOf, KIND_OF_SCOPE, TOKEN_KINDS } from "../../lib/tokens";

test("IAM tokens of both kinds are sent in X-Auth-Token, static ones in X-Token", () => {
  expect(TOKEN_KINDS.map((kind) => [kind, headerNameOf(kind)])).toEqual([
    ["iam_token_account_scoped", "X-Auth-Token"],
    ["iam_token_project_scoped", "X-Auth-Token"],
    ["static_token", "X-Token"],
  ]);
});

test("each scope has its kind", () => {
  expect(KIND_OF_SCOPE).toEqual({
    account: "iam_token_account_scoped",
    project: "iam_token_project_scoped",
  });
});
