import { PASSWORD, SetUp } from "./set-up";

let setUp: SetUp;
beforeEach(async () => {
  setUp = await SetUp.start();
});
afterEach(() => setUp.stop());

const REQUIRED =
  'terraform {\n  required_providers {\n    iam = { source = "npm.invalid/cdktf-iam-tokens/iam" }\n  }\n}\n';

/** A folder of plain HCL; its credentials and services alone. */
async function diagnose(
  hcl: string,
  vars: Record<string, string> = {},
  more: readonly string[] = [],
) {
  setUp.write("plain/main.tf", REQUIRED + hcl);
  const args = [
    "../plain",
    "--only",
    "project,required-providers,credentials,identity-service,issue,secret-files",
    ...more,
  ];
  return setUp.diagnose(args, { vars });
}

const block = (more: string) =>
  `provider "iam" {\n  auth_url = "${setUp.identity.authUrl}"\n  account_id = "123456"\n  user_name = "deployer"\n  ${more}\n}\n`;
const token = (more = "") => `ephemeral "iam_token" "t" {\n  scope = "account"\n  ${more}\n}\n`;
const textsOf = (
  findings: readonly { check: string; status: string; text: string }[],
  check: string,
) =>
  findings
    .filter((finding) => finding.check === check)
    .map(({ status, text }) => `${status}: ${text}`);

test("a block of plain HCL gives its credentials; what it declares is issued", async () => {
  const { faults, findings } = await diagnose(
    block('password_env = "PW"') + token(),
    { PW: PASSWORD },
    ["--issue"],
  );
  expect(faults).toEqual([]);
  expect(textsOf(findings, "credentials")).toEqual([
    'ok: stack plain, provider iam: "deployer" of account "123456", password from the variable PW.',
  ]);
  expect(textsOf(findings, "issue")).toEqual([
    expect.stringMatching(/^ok: .* a token for the account was issued/),
  ]);
});

test("a password in the configuration itself is a warning, and is not repeated", async () => {
  const { faults } = await diagnose(block(`password = "${PASSWORD}"`) + token());
  expect(faults).toEqual([expect.objectContaining({ check: "credentials", status: "warning" })]);
});

test("what only Terraform knows is skipped; the address is reached all the same", async () => {
  const { faults, findings } = await diagnose(
    `variable "pw" {}\n${block("password = var.pw")}${token()}`,
  );
  expect(faults).toEqual([]);
  expect(textsOf(findings, "credentials")).toEqual([
    "skipped: stack plain, provider iam: password is known to Terraform only.",
  ]);
  expect(textsOf(findings, "identity-service")).toEqual([expect.stringMatching(/^ok: http:/)]);
});

test("without a block the environment gives the credentials; a mix is refused as the provider refuses it", async () => {
  const vars = {
    OS_AUTH_URL: setUp.identity.authUrl,
    OS_USERNAME: "deployer",
    OS_PASSWORD: PASSWORD,
    OS_USER_DOMAIN_NAME: "123456",
  };
  expect((await diagnose(token(), vars)).faults).toEqual([]);
  expect((await diagnose(token())).faults).toEqual([
    expect.objectContaining({
      check: "credentials",
      text: expect.stringContaining("[ERR_CREDENTIALS_MISSING]"),
    }),
  ]);
  expect((await diagnose(block("") + token(), vars)).faults).toEqual([
    expect.objectContaining({
      check: "credentials",
      text: expect.stringContaining("[ERR_CREDENTIALS_MIXED]"),
    }),
  ]);
});

test("a cloud of clouds.yaml, by its alias", async () => {
  const auth = {
    auth_url: setUp.identity.authUrl,
    username: "deployer",
    password: PASSWORD,
    user_domain_name: "123456",
  };
  setUp.write("plain/clouds.yaml", JSON.stringify({ clouds: { prod: { auth } } }), 0o600);
  const hcl = `provider "iam" {\n  alias = "prod"\n  cloud = "prod"\n}\n${token("provider = iam.prod")}`;
  const { faults, findings } = await diagnose(hcl, {}, ["--issue"]);
  expect(faults).toEqual([]);
  expect(textsOf(findings, "credentials")).toEqual([
    'ok: stack plain, provider iam.prod: "deployer" of account "123456", from clouds.yaml.',
  ]);
});

test("an address with a password in it is refused, and not repeated", async () => {
  const { faults } = await diagnose(
    `provider "iam" {\n  auth_url = "https://u:canary@example.test"\n  password = var.x\n}\n${token()}`,
  );
  expect(faults).toEqual([
    expect.objectContaining({ text: expect.stringContaining("[ERR_ADDRESS_INVALID]") }),
  ]);
});

test("a provider of somebody else that is called iam is none of ours", async () => {
  setUp.write(
    "plain/main.tf",
    'terraform {\n  required_providers {\n    iam = { source = "example/iam" }\n  }\n}\nprovider "iam" {\n  password = "canary"\n}\n',
  );
  const { findings } = await setUp.diagnose(["../plain", "--only", "project"]);
  expect(textsOf(findings, "project")).toEqual([
    "skipped: 1 stack, and no provider of cdktf-iam-tokens in it.",
  ]);
});

test("without the requirement plain HCL is told the lines to add", async () => {
  setUp.write("plain/main.tf", token());
  const { faults } = await setUp.diagnose(["../plain", "--only", "required-providers"]);
  expect(faults[0]?.remedy).toContain(
    'required_providers { iam = { source = "npm.invalid/cdktf-iam-tokens/iam"',
  );
});
