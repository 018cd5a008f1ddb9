import { withoutSecrets } from "../../../lib/provider/secrets/known-secrets";
import { secretOfText } from "../../../lib/provider/secrets/secret-text";
import { IamTokensError } from "../../../lib/tokens";

const rejected = (project: string) =>
  new IamTokensError(
    "ERR_CREDENTIALS_REJECTED",
    `answered 401 to service user "deployer", who requested a token for project ${JSON.stringify(project)}.`,
  );

test("prints a name unless it equals a secret that was read", () => {
  const secret = 'canary-"static\\never-shown';
  expect(withoutSecrets(rejected(secret)).message).toContain("canary");
  secretOfText("the variable STATIC_TOKEN", `${secret}\n`);
  const reported = withoutSecrets(rejected(secret));
  expect(reported.message).not.toContain("canary");
  expect(reported.message).toContain('service user "deployer"');
  expect(reported.message).toContain('project "(sensitive)"');
  expect(reported.message).toContain("[ERR_CREDENTIALS_REJECTED]");
  expect(reported.remedy).toBe(rejected("web").remedy);
  expect(withoutSecrets(rejected("web")).message).toBe(rejected("web").message);
});
