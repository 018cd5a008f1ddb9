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

    test("destroying requests no token, but Terraform plans before it: the refusal says how to proceed", async () => {
      await stage.apply();
      stage.requests();
      stage.variables[ALLOWED] = OTHER;
      stage.now += 13 * HOUR;
      expect(await stage.fail("destroy", "-auto-approve")).toMatch(
        /To destroy the token, which needs no new one, run destroy -refresh=false: without it Terraform plans this rotation first\./,
      );
      expect(await stage.succeed("destroy", "-auto-approve", "-refresh=false")).toMatch(
        "1 destroyed",
      );
      expect(stage.requests()).toBe(0);
    });

    test("plan or apply refuses it, whichever has the list", async () => {
      await stage.apply();
      stage.now += 13 * HOUR;
      await stage.succeed("plan", "-out=saved");
      const before = stage.instance();
      stage.requests();
      stage.variables[ALLOWED] = OTHER;
      const refused = await stage.fail("apply", "saved");
      expect(refused).toMatch(REFUSED);
      expect(refused).toMatch("it stays valid until 2026-03-02T00:00:00Z");
      expect(stage.instance()).toEqual(before);
      expect(stage.requests()).toBe(0);

      stage.variables[ALLOWED] = stage.identity.authUrl;
      await stage.succeed("plan", "-out=saved");
      delete stage.variables[ALLOWED];
      await stage.succeed("apply", "saved");
      expect(stage.instance().attributes.rotation).toBe(2);
    });

    test("a plan with an uncertain rotation warns, and is applied if it does not rotate", async () => {
      const body = (input: string) =>
        `resource "terraform_data" "later" {\n  input = "${input}"\n}\n${TOKEN.replace("\n}", "\n  keepers = { a = length(terraform_data.later.output) }\n}")}`;
      stage.write(body("abc"));
      await stage.apply();
      stage.write(body("xyz"));
      stage.variables[ALLOWED] = OTHER;
      stage.requests();
      expect(await stage.succeed("plan", "-out=saved")).toMatch(
        /Warning: Apply cannot issue a token with the present settings/,
      );
      await stage.succeed("apply", "saved");
      expect(stage.requests()).toBe(0);
      stage.write(body("four"));
      await stage.succeed("plan", "-out=saved");
      expect(await stage.fail("apply", "saved")).toMatch(REFUSED);
      expect(stage.instance().attributes.rotation).toBe(1);
    });
  },
);
