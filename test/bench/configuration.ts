import { ACCOUNT, PASSWORD, PASSWORD_VARIABLE, USER } from "./stage";

/** Terraform configurations that do the same by different means. */
export type Means = "none" | "http" | "iam";

/** As many tokens of one credential. */
export function configuration(means: Means, tokens: number, authUrl: string): string {
  const block = BLOCKS[means];
  const blocks = Array.from({ length: tokens }, (_none, index) => block(`t${index}`, authUrl));
  return (means === "iam" ? iam(authUrl) : "") + blocks.join("");
}

const BLOCKS: Readonly<Record<Means, (name: string, authUrl: string) => string>> = {
  none: (name) => `resource "terraform_data" "${name}" {}\n`,
  http: (name, authUrl) => `data "http" "${name}" {
  url             = "${authUrl}/identity/v3/auth/tokens"
  method          = "POST"
  request_headers = { Content-Type = "application/json" }
  request_body    = ${JSON.stringify(BODY)}
}
`,
  iam: (name) => `ephemeral "iam_token" "${name}" {\n  scope = "account"\n}\n`,
};

const iam = (authUrl: string) => `terraform {
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
`;

const BODY = JSON.stringify({
  auth: {
    identity: {
      methods: ["password"],
      password: { user: { name: USER, domain: { name: ACCOUNT }, password: PASSWORD } },
    },
    scope: { domain: { name: ACCOUNT } },
  },
});
