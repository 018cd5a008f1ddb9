import { withoutSecrets } from "../../../lib/provider/secrets/known-secrets";
import { secretOfText } from "../../../lib/provider/secrets/secret-text";
import { IamTokensError } from "../../../lib/tokens";

const rejected = (project: string) =>
  new IamTokensError(
    "ERR_CREDENTIALS_REJECTED",
    `answered 401 to service user "deployer", who asked for a token of project ${JSON.stringify(project)}.`,
  );

test("a name that equals a secret which was read is not told, any other is", () => {
  const secret = 'canary-"static\\never-shown';
  expect(withoutSecrets(rejected(secret)).message).toContain("canary");
  secretOfText("the variable STATIC_TOKEN", `${secret}\n`);
  const told = withoutSecrets(rejected(secret));
  expect(told.message).not.toContain("canary");
  expect(told.message).toContain('service user "deployer"');
  expect(told.message).toContain('project "(sensitive)"');
  expect(told.message).toContain("[ERR_CREDENTIALS_REJECTED]");
  expect(told.remedy).toBe(rejected("web").remedy);
  expect(withoutSecrets(rejected("web")).message).toBe(rejected("web").message);
});
