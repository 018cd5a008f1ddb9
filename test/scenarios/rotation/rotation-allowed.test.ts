import { describeIf } from "../../support/skips";
import { hasTerraform, noTerraform } from "../../support/terraform";
import { HOUR, RotationStage } from "./rotation-stage";

jest.setTimeout(120_000);

const ALLOWED = "IAM_TOKENS_ALLOWED_AUTH_URLS";
const OTHER = "https://other.example.test";
const TOKEN = 'resource "iam_token" "ci" {\n  scope = "account"\n}';
const REFUSED =
  /Error: The address \S+ may not be used: IAM_TOKENS_ALLOWED_AUTH_URLS does not list it .*\[ERR_ADDRESS_NOT_ALLOWED\]/;

describeIf(hasTerraform(), noTerraform())(
  "with another address in the list of allowed addresses,",
  () => {
    let stage: RotationStage;

    beforeEach(async () => {
      stage = await RotationStage.open();
      stage.write(TOKEN);
    });
    afterEach(() => stage.close());

    test("refuses the plan of a first token: no plan is saved that cannot be applied", async () => {
      stage.variables[ALLOWED] = OTHER;
      expect(await stage.fail("plan", "-out=saved")).toMatch(REFUSED);
      expect(await stage.fail("apply", "saved")).toMatch("Cannot apply incomplete plan");
      expect(stage.requests()).toBe(0);
    });

    test("leaves a token that is not due alone, and refuses one that is due at plan", async () => {
      await stage.apply();
      stage.requests();
      const before = stage.instance();
      stage.variables[ALLOWED] = OTHER;
      expect(await stage.succeed("plan")).toMatch("No changes.");
      expect(await stage.apply()).toMatch("0 added, 0 changed");
      stage.now += 13 * HOUR;
      for (const args of [
        ["plan"],
        ["apply", "-auto-approve"],
        ["plan", "-replace=iam_token.ci"],
      ]) {
        expect(await stage.fail(...args)).toMatch(REFUSED);
      }
      expect(await stage.fail("plan")).toMatch(
        /The present token is not revoked: it stays valid until 2026-03-02T00:00:00Z\./,
      );
      expect(stage.instance()).toEqual(before);
      await stage.apply("-refresh-only");
      expect(stage.requests()).toBe(0);
    });
  },
);
