import { describeIf } from "../../support/skips";
import { hasTerraform, noTerraform } from "../../support/terraform";
import { RotationStage } from "./rotation-stage";

jest.setTimeout(120_000);

const token = (more = "") =>
  `resource "iam_token" "ci" {\n  scope = "account"\n  revoke_on_destroy = true\n${more}}\n`;
const USER =
  'resource "terraform_data" "user" {\n  input = sensitive(sha256(iam_token.ci.token))\n}\n';
const NOBODY = { IAM_TOKENS_ALLOWED_AUTH_URLS: "" };

describeIf(hasTerraform(), noTerraform())("a token with revoke_on_destroy", () => {
  let stage: RotationStage;
  beforeEach(async () => {
    stage = await RotationStage.open();
  });
  afterEach(() => stage.close());

  const created = async (body: string) => {
    stage.write(body);
    await stage.apply();
    return String(stage.instance().attributes.token);
  };
  const isValid = (value: string) => stage.identity.isValid(value);

  test("stays in the state until it is revoked, and needs no credentials then", async () => {
    const value = await created(token() + USER);
    delete stage.variables.SERVICE_USER_PASSWORD;
    Object.assign(stage.variables, NOBODY);
    stage.write("");
    const refused = await stage.fail("destroy", "-auto-approve");
    expect(refused).toMatch(/ERR_ADDRESS_NOT_ALLOWED.*destroy again/);
    expect(stage.instance().attributes.token).toBe(value);
    expect(isValid(value)).toBe(true);

    delete stage.variables.IAM_TOKENS_ALLOWED_AUTH_URLS;
    expect(await stage.succeed("destroy", "-auto-approve")).toMatch("1 destroyed");
    expect(isValid(value)).toBe(false);
    expect(stage.state()).not.toContain(value);
  });

  test("outlives a rotation, and a replacement with create_before_destroy ends it after its consumers", async () => {
    const lasting = "  lifecycle {\n    create_before_destroy = true\n  }\n";
    const first = await created(token(lasting) + USER);
    const second = await created(token(`  keepers = { release = 2 }\n${lasting}`) + USER);
    expect([first, second].map(isValid)).toEqual([true, true]);

    const text = await stage.apply("-replace=iam_token.ci");
    expect(text).toMatch(/terraform_data\.user: Modifications complete.*\(deposed .*Destroying/);
    const third = String(stage.instance().attributes.token);
    expect([second, third].map(isValid)).toEqual([false, true]);
  });
});
