import { idOf } from "../../lib/testing/keystone/directory";
import { ACCOUNT, onOneLine, scenarios, writeModule } from "./world";

const USER_ID = idOf("user", ACCOUNT, "deployer");
const PROJECT_ID = idOf("web", ACCOUNT);

const hcl = (authUrl: string) => `
provider "iam" {
  auth_url          = "${authUrl}"
  account_domain_id = "${idOf(ACCOUNT)}"
  user_id           = "${USER_ID}"
  password_env      = "SERVICE_USER_PASSWORD"
}
data "iam_token" "by_name" {
  scope        = "project"
  project_name = "web"
}
resource "terraform_data" "project" {
  input = data.iam_token.by_name.project_id
}
ephemeral "iam_token" "by_id" {
  scope      = "project"
  project_id = data.iam_token.by_name.project_id
  lifecycle {
    postcondition {
      condition     = self.user_id == "${USER_ID}" && self.project_id == "${PROJECT_ID}"
      error_message = "Other ids."
    }
  }
}
# Its id is known when the project is made.
resource "iam_token" "rotating" {
  scope      = "project"
  project_id = terraform_data.project.output
}
resource "iam_token" "account" {
  scope = "account"
}
output "ids" {
  value = [iam_token.rotating.project_id, iam_token.rotating.user_id, iam_token.account.project_id]
}
`;

scenarios("users, projects and accounts by id", (stage) => {
  test("sign in, are attributes of each object, and leave an empty plan", async () => {
    const folder = stage().module("");
    writeModule(folder, hcl(stage().identity.authUrl));
    await stage().succeed(folder, "init");
    await stage().succeed(folder, "apply -auto-approve -no-color");
    const { text } = await stage().succeed(folder, "output -json ids");
    expect(JSON.parse(text)).toEqual([PROJECT_ID, USER_ID, null]);
    const plan = await stage().succeed(folder, "plan -no-color");
    expect(onOneLine(plan.text)).toContain("No changes.");
  });
});
