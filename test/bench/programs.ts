import { join } from "node:path";
import { packageRoot } from "../support/project";
import { ACCOUNT, PASSWORD, PASSWORD_VARIABLE, USER } from "./stage";

const domain = { name: ACCOUNT };
const user = { name: USER, domain, password: PASSWORD };
const BODY = JSON.stringify({
  auth: { identity: { methods: ["password"], password: { user } }, scope: { domain } },
});

/** A configuration of as many tokens of one credential, or something else in their place. */
export function plan(of: "iam" | "none" | "http", count: number, authUrl: string): string {
  if (of === "none") return `resource "terraform_data" "it" {\n  count = ${count}\n}\n`;
  if (of === "http")
    return `data "http" "it" {
  count           = ${count}
  url             = "${authUrl}/identity/v3/auth/tokens"
  method          = "POST"
  request_headers = { Content-Type = "application/json" }
  request_body    = ${JSON.stringify(BODY)}
}
`;
  return `terraform {
  required_providers {
    iam = { source = "npm.invalid/cdktf-iam-tokens/iam" }
  }
}
provider "iam" {
  auth_url     = "${authUrl}"
  account_id   = "${ACCOUNT}"
  user_name    = "${USER}"
  password_env = "${PASSWORD_VARIABLE}"
}
ephemeral "iam_token" "it" {
  count = ${count}
  scope = "account"
}
`;
}

interface Program {
  readonly stacks: number;
  /** In each stack. They are not cdktf's own, which would run Terraform for its version. */
  readonly resources?: number | undefined;
  readonly hasTokens: boolean;
  readonly authUrl: string;
}

/** A program, as the command line starts it. JavaScript: the figures have no compiler in them. */
export function program({ stacks, resources = 0, hasTokens, authUrl }: Program): string {
  const load = (module: string) => `require(${JSON.stringify(join(packageRoot, module))})`;
  const token = `
  const { IdentityService, SecretRef, ServiceUserToken, TokenScope } = ${load("")};
  const identity = new IdentityService(stack, "identity", {
    authUrl: ${JSON.stringify(authUrl)},
    accountId: "${ACCOUNT}",
    serviceUser: { name: "${USER}", password: SecretRef.env("${PASSWORD_VARIABLE}") },
  });
  new ServiceUserToken(stack, "account", { identity, scope: TokenScope.account() });`;
  return `
const { App, TerraformStack } = ${load("node_modules/cdktf")};
const { NullProvider } = ${load("node_modules/@cdktf/provider-null/lib/provider")};
const { Resource } = ${load("node_modules/@cdktf/provider-null/lib/resource")};
const app = new App();
for (let index = 0; index < ${stacks}; index++) {
  const stack = new TerraformStack(app, "stack-" + index);
  new NullProvider(stack, "null");
  for (let number = 0; number < ${resources}; number++) new Resource(stack, "something-" + number);
  ${hasTokens ? token : ""}
}
app.synth();
`;
}
