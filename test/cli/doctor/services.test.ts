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

test("a block of plain HCL gives its credentials; its declared tokens are issued", async () => {
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

test("lists the possible causes of a wrong password once, a line each", async () => {
  const project = 'ephemeral "iam_token" "p" {\n  scope = "project"\n  project_name = "web"\n}\n';
  const hcl = block('password_env = "PW"') + token() + project;
  const { findings } = await diagnose(hcl, { PW: "canary-wrong" }, ["--issue"]);
  const [first = "", second = "", ...more] = textsOf(findings, "issue");
  expect(more).toEqual([]);
  expect(first).toMatch(
    /^failed: .* a token for the account: .*Possible causes:(?:\n- [^\n]+\.){5} \[ERR_CREDENTIALS_REJECTED\]$/,
  );
  expect(second).toMatch(
    /^failed: .* a token for the project "web": [^\n]* answered 401 to [^\n]*\. \[ERR_CREDENTIALS_REJECTED\]$/,
  );
});

test("a block that a construct declared is described by its properties", async () => {
  const declared = block('declared_by = "network/identity"\n  password_env = "SERVICE_PW"');
  const { findings } = await diagnose(declared + token());
  expect(textsOf(findings, "credentials")).toEqual([
    expect.stringMatching(/SERVICE_PW \(serviceUser\.password of network\/identity\) is not set/),
  ]);
});

test("a password in the configuration itself is a warning, and is not repeated", async () => {
  const { faults } = await diagnose(block(`password = "${PASSWORD}"`) + token());
  expect(faults).toEqual([expect.objectContaining({ check: "credentials", status: "warning" })]);
});

test("skips values that only Terraform knows, but still contacts the address", async () => {
  const { faults, findings } = await diagnose(
    `variable "pw" {}\n${block("password = var.pw")}${token()}`,
  );
  expect(faults).toEqual([]);
  expect(textsOf(findings, "credentials")).toEqual([
    "skipped: stack plain, provider iam: only Terraform knows password.",
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
  const prod = { auth, region_name: "RegionOne" };
  setUp.write("plain/clouds.yaml", JSON.stringify({ clouds: { prod } }), 0o600);
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

test("ignores another vendor's provider with the name iam", async () => {
  setUp.write(
    "plain/main.tf",
    'terraform {\n  required_providers {\n    iam = { source = "example/iam" }\n  }\n}\nprovider "iam" {\n  password = "canary"\n}\n',
  );
  const { findings } = await setUp.diagnose(["../plain", "--only", "project"]);
  expect(textsOf(findings, "project")).toEqual([
    "skipped: 1 stack; it does not use the provider of cdktf-iam-tokens.",
  ]);
});

test("the report for plain HCL without the requirement has the lines to add", async () => {
  setUp.write("plain/main.tf", token());
  const { faults } = await setUp.diagnose(["../plain", "--only", "required-providers"]);
  expect(faults[0]?.remedy).toContain(
    'required_providers { iam = { source = "npm.invalid/cdktf-iam-tokens/iam"',
  );
});
