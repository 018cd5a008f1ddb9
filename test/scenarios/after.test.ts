import { existsSync } from "node:fs";
import { join } from "node:path";
import { terraformBinary } from "../support/terraform";
import { onOneLine, scenarios, writeModule } from "./world";

let userExists = () => true;
const unauthorized = { status: 401, body: '{"error":{"code":401,"title":"Unauthorized"}}' };

/** A stack that makes a user, with a password that it makes as well, and uses the user's token. */
const stackOf = (authUrl: string, password: string, after: string) => `
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
  ${after}
}
resource "terraform_data" "used" {
  provisioner "local-exec" {
    command     = "test -n \\"$TOKEN\\""
    environment = { TOKEN = ephemeral.iam_token.web.token }
  }
}
`;

scenarios(
  "a stack that creates the user whose token it uses",
  (stage) => {
    const made = (after: string): string => {
      const folder = stage().module("");
      const { identity, password } = stage();
      writeModule(folder, stackOf(identity.authUrl, password, after));
      userExists = () => existsSync(join(folder, "user"));
      return folder;
    };
    const AFTER = "after = [terraform_data.user.id]";

    test("is made by one apply, whose one request comes after the user", async () => {
      const folder = made(AFTER);
      await stage().succeed(folder, "init");
      await stage().succeed(folder, "apply -auto-approve");
      expect(stage().requests()).toBe(1);
    });

    test("is made by one apply under run", async () => {
      const folder = made(AFTER);
      const { scratch } = stage();
      const command = [terraformBinary(), `-chdir=${folder}`, "apply", "-auto-approve"];
      expect(await stage().cli(["run", "--", ...command], { env: scratch.env })).toMatchObject({
        exitCode: 0,
      });
      expect(stage().requests()).toBe(1);
    });

    test("that has no such argument gets an error with the argument that is not known", async () => {
      const folder = made("");
      await stage().succeed(folder, "init");
      const { exitCode, text } = await stage().terraform(folder, "plan");
      expect(exitCode).toBe(1);
      expect(onOneLine(text)).toContain("password is not known yet");
      expect(text).toContain("ERR_CREDENTIALS_UNKNOWN");
    });
  },
  { options: { intercept: (_, serve) => (userExists() ? serve() : unauthorized) } },
);
