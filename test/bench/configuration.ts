import { ACCOUNT, PASSWORD, PASSWORD_VARIABLE, USER } from "./stage";

/** Terraform configurations that do the same by different means. */
export type Means = "none" | "null" | "http" | "external" | "iam";

const numbered = (count: number, block: (index: number) => string) =>
  Array.from({ length: count }, (_none, index) => block(index)).join("");

/** As many tokens of one credential. */
export function configuration(means: Means, tokens: number, authUrl: string): string {
  switch (means) {
    case "none":
      return numbered(tokens, (index) => `resource "terraform_data" "t${index}" {}\n`);
    case "null":
      return numbered(tokens, (index) => `resource "null_resource" "t${index}" {}\n`);
    case "http":
      return numbered(tokens, (index) => http(index, authUrl));
    case "external":
      return numbered(
        tokens,
        (index) => `data "external" "t${index}" {\n  program = ["sh", "${SCRIPT}"]\n}\n`,
      );
    case "iam":
      return (
        IAM +
        provider(authUrl) +
        numbered(tokens, (index) => `ephemeral "iam_token" "t${index}" {\n  scope = "account"\n}\n`)
      );
  }
}

/** As many provider blocks of one credential, a token each. */
export function aliases(means: "http" | "iam", count: number, authUrl: string): string {
  const block = (index: number) =>
    means === "http"
      ? `provider "http" {\n  alias = "a${index}"\n}\n${http(index, authUrl, `  provider = http.a${index}\n`)}`
      : `${provider(authUrl, `  alias = "a${index}"\n`)}ephemeral "iam_token" "t${index}" {\n  provider = iam.a${index}\n  scope = "account"\n}\n`;
  return (means === "iam" ? IAM : "") + numbered(count, block);
}

const IAM =
  'terraform {\n  required_providers {\n    iam = { source = "npm.invalid/cdktf-iam-tokens/iam" }\n  }\n}\n';

const provider = (authUrl: string, more = "") =>
  `provider "iam" {\n${more}  auth_url = "${authUrl}"\n  account_id = "${ACCOUNT}"\n  user_name = "${USER}"\n  password_env = "${PASSWORD_VARIABLE}"\n}\n`;

const BODY = JSON.stringify({
  auth: {
    identity: {
      methods: ["password"],
      password: { user: { name: USER, domain: { name: ACCOUNT }, password: PASSWORD } },
    },
    scope: { domain: { name: ACCOUNT } },
  },
});
const issueUrl = (authUrl: string) => `${authUrl}/identity/v3/auth/tokens`;

const http = (index: number, authUrl: string, more = "") =>
  `data "http" "t${index}" {\n${more}  url = "${issueUrl(authUrl)}"\n  method = "POST"\n  request_headers = { Content-Type = "application/json" }\n  request_body = ${JSON.stringify(BODY)}\n}\n`;

/** The program that hashicorp/external runs: it prints the token in JSON. */
export const SCRIPT = "token.sh";
export const script = (authUrl: string) =>
  `curl -s -o /dev/null -D - -H 'Content-Type: application/json' -d '${BODY}' '${issueUrl(authUrl)}' | tr -d '\\r' | sed -n 's/^[Xx]-[Ss]ubject-[Tt]oken: \\(.*\\)/{"token":"\\1"}/p'\n`;
