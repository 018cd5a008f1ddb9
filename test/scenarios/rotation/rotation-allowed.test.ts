import { describeIf } from "../../support/skips";
import { hasTerraform, noTerraform } from "../../support/terraform";
import { HOUR, RotationStage } from "./rotation-stage";

jest.setTimeout(120_000);

const ALLOWED = "IAM_TOKENS_ALLOWED_AUTH_URLS";
const REFUSED = /\[ERR_ADDRESS_NOT_ALLOWED\]/;

describeIf(hasTerraform(), noTerraform())("with another address in the list", () => {
  let stage: RotationStage;

  beforeEach(async () => {
    stage = await RotationStage.open();
    stage.write('resource "iam_token" "ci" {\n  scope = "account"\n}');
  });
  afterEach(() => stage.close());

  test("a plan that needs a token warns, its apply requests none and keeps the old one, and a destroy works", async () => {
    await stage.apply();
    stage.requests();
    const before = stage.instance();
    stage.variables[ALLOWED] = "https://other.example.test";
    expect(await stage.succeed("plan")).toMatch("No changes.");
    stage.now += 13 * HOUR;
    expect(await stage.succeed("plan", "-out=saved")).toMatch(
      /Warning: Apply cannot issue a token with the present settings/,
    );
    const refused = await stage.fail("apply", "saved");
    expect(refused).toMatch(REFUSED);
    expect(refused).toMatch("it stays valid until 2026-03-02T00:00:00Z");
    expect(stage.instance()).toEqual(before);
    expect(await stage.succeed("destroy", "-auto-approve")).toMatch("1 destroyed");
    expect(await stage.fail("apply", "-auto-approve")).toMatch(REFUSED);
    expect(stage.requests()).toBe(0);
  });
});
