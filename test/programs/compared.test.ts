import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ACCOUNT, type Scenario, scenarios } from "../scenarios/world";
import { hasGo } from "../support/go-build";
import { installProvider } from "../support/go-providers";
import { readPage } from "../support/pages";
import { testIf } from "../support/skips";

const HTTP = ({ identity }: Scenario) => `terraform {
  required_providers {
    http = { source = "hashicorp/http" }
  }
}
variable "password" {
  sensitive = true
}
data "http" "token" {
  method = "POST"
  url    = "${identity.authUrl}/identity/v3/auth/tokens"
  request_body = jsonencode({
    auth = {
      identity = {
        methods = ["password"]
        password = { user = { name = "deployer", domain = { name = "${ACCOUNT}" }, password = var.password } }
      }
      scope = { domain = { name = "${ACCOUNT}" } }
    }
  })
}
`;

scenarios("docs/compared.md", (stage) => {
  testIf(hasGo(), "there is no Go here to build hashicorp/http with")(
    "a data source of the http provider has password and token in the saved plan and the state",
    async () => {
      const { scratch, password, succeed } = stage();
      const folder = join(scratch.folder, "compared");
      mkdirSync(folder);
      await installProvider(folder, "http");
      writeFileSync(join(folder, "main.tf"), HTTP(stage()));
      const env = { TF_VAR_password: password };
      for (const command of ["init", "plan -out=saved", "apply saved"])
        await succeed(folder, command, env);
      expect(readPage("docs/compared.md")).toContain(
        '\n| `data "http"` | the saved plan, the state | the saved plan, the state |\n',
      );
      const places = ["saved", "terraform.tfstate"];
      expect(stage().leaks()).toEqual(
        ["password", "token 1"].flatMap((name) => places.map((place) => `${name}: ${place}`)),
      );
    },
  );
});
