import { existsSync } from "node:fs";
import { join } from "node:path";
import { scenarios, writeModule } from "./world";

let userExists = () => true;
const unauthorized = { status: 401, body: '{"error":{"code":401,"title":"Unauthorized"}}' };

/** A stack that makes a user, with a password that it makes as well, and uses the user's token. */
const stackOf = (authUrl: string, password: string) => `
resource "terraform_data" "user" {
  input = "${password}"
  provisioner "local-exec" {
    command = "touch user"
  }
}
provider "iam" {
  auth_url   = "${authUrl}"
  account_id = "123456"
  user_name  = "deployer"
  password   = terraform_data.user.output
}
ephemeral "iam_token" "web" {
  scope = "account"
  after = [terraform_data.user.id]
}
resource "terraform_data" "used" {
  provisioner "local-exec" {
    command     = "test -n \\"$TOKEN\\""
    environment = { TOKEN = ephemeral.iam_token.web.token }
  }
}
`;

// docs/using-tokens.md: put that into `after`: these strings are never sent.
scenarios(
  "a stack that creates the user whose token it uses",
  (stage) => {
    test("is made by one apply, whose one request comes after the user", async () => {
      const folder = stage().module("");
      const { identity, password } = stage();
      writeModule(folder, stackOf(identity.authUrl, password));
      userExists = () => existsSync(join(folder, "user"));
      await stage().succeed(folder, "init");
      await stage().succeed(folder, "apply -auto-approve");
      expect(stage().requests()).toBe(1);
    });
  },
  { options: { intercept: (_, serve) => (userExists() ? serve() : unauthorized) } },
);
