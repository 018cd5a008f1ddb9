import { readFileSync } from "node:fs";
import { underOpenTofu } from "../../support/open-tofu";
import { describeIf } from "../../support/skips";
import { hasTerraform, noTerraform } from "../../support/terraform";
import { HOUR, PASSWORD, RotationStage } from "./rotation-stage";

jest.setTimeout(120_000);

const ACCOUNT = 'resource "iam_token" "ci" {\n  scope = "account"\n}';
const withArguments = (more: string) => ACCOUNT.replace("\n}", `\n  ${more}\n}`);

describeIf(hasTerraform(), noTerraform())("a rotating token", () => {
  let stage: RotationStage;

  beforeEach(async () => {
    stage = await RotationStage.open();
    stage.write(ACCOUNT);
  });
  afterEach(() => stage.close());

  const created = async (body = ACCOUNT) => {
    stage.write(body);
    await stage.apply();
    expect(stage.requests()).toBe(1);
    return stage.instance();
  };

  /**
   * The plan shows an in-place update with the rotation known and the token not; applied, it makes
   * one request, and then there is nothing to do.
   */
  const expectRotation = async (from: number, why: RegExp) => {
    const before = stage.instance().attributes;
    const planned = await stage.succeed("plan");
    expect(planned).toMatch("Plan: 0 to add, 1 to change, 0 to destroy.");
    expect(planned).toMatch(new RegExp(`~ rotation = ${from} -> ${from + 1}`));
    expect(planned).toMatch(/~ token = \(sensitive value\)/);
    expect(planned).toMatch(/Warning: An IAM token is rotated/);
    expect(planned).toMatch(why);
    expect(stage.requests()).toBe(0);
    await stage.apply();
    expect(stage.requests()).toBe(1);
    const { attributes } = stage.instance();
    expect(attributes).toMatchObject({ rotation: from + 1, id: before.id });
    expect(attributes.token).not.toBe(before.token);
    // The old one is not revoked: its users can use it until it expires.
    expect(stage.identity.isValid(String(before.token))).toBe(true);
    expect(await stage.succeed("plan")).toMatch("No changes.");
    expect(stage.requests()).toBe(0);
  };

  test("is created, left alone until it is due, and then rotated", async () => {
    const { attributes, schema_version } = await created();
    expect(schema_version).toBe(1);
    expect(attributes).toMatchObject({
      rotation: 1,
      kind: "iam_token_account_scoped",
      expires_at: "2026-03-02T00:00:00Z",
    });
    const before = { bytes: stage.state(), meaning: stage.meaning() };
    stage.now += 12 * HOUR;
    expect(await stage.apply()).toMatch("No changes.");
    expect(stage.meaning()).toEqual(before.meaning);
    if (underOpenTofu()) expect(stage.state()).toBe(before.bytes);
    expect(stage.requests()).toBe(0);
    stage.now += 60_000;
    await expectRotation(
      1,
      /11 h 59 min of the token's 1 d are left, and it is rotated when less than 12 h are\. The present token is not revoked: it stays valid until 2026-03-02T00:00:00Z\./,
    );
    stage.now += 13 * HOUR;
    await expectRotation(2, /is rotated when less than 12 h are/);
  });

  test("is planned again at apply: time may pass in between, even with a saved plan", async () => {
    await created();
    stage.now += 13 * HOUR;
    await stage.succeed("plan", "-out=saved");
    stage.now += 5 * HOUR;
    await stage.succeed("apply", "saved");
    expect(stage.instance().attributes).toMatchObject({
      rotation: 2,
      issued_at: "2026-03-01T18:00:00Z",
    });
    // Applying a plan without a due token does not rotate it, however late.
    await stage.succeed("plan", "-out=nothing");
    stage.now += 20 * HOUR;
    await stage.succeed("apply", "nothing");
    expect(stage.instance().attributes.rotation).toBe(2);
    expect(await stage.succeed("plan")).toMatch("1 to change");
  });

  test("begins to count again, with another id, after -replace and after taint", async () => {
    const first = await created();
    stage.write(withArguments("keepers = { a = 1 }"));
    await expectRotation(1, /keepers/);
    expect(await stage.succeed("plan", "-replace=iam_token.ci")).toMatch(
      "1 to add, 0 to change, 1 to destroy",
    );
    await stage.apply("-replace=iam_token.ci");
    const second = stage.instance();
    expect(second.attributes.rotation).toBe(1);
    expect(second.attributes.id).not.toBe(first.attributes.id);
    await stage.succeed("taint", "iam_token.ci");
    await stage.apply();
    expect(stage.instance().attributes.rotation).toBe(1);
    expect(stage.instance().attributes.id).not.toBe(second.attributes.id);
    expect(stage.requests()).toBe(2);
  });

  test("is left alone by -refresh-only and by the target of another, even if it is due", async () => {
    await created(`${ACCOUNT}\nresource "terraform_data" "other" {}`);
    const before = stage.instance();
    stage.now += 13 * HOUR;
    expect(await stage.apply("-refresh-only")).toMatch(
      "Resources: 0 added, 0 changed, 0 destroyed",
    );
    await stage.apply("-target=terraform_data.other");
    expect(stage.instance()).toEqual(before);
    expect(stage.requests()).toBe(0);
    await stage.apply("-target=iam_token.ci");
    expect(stage.instance().attributes.rotation).toBe(2);
  });

  test("keeps what ignore_changes keeps, also when it is rotated", async () => {
    const body = (release: string) =>
      withArguments(
        `keepers = { release = "${release}" }\n  lifecycle {\n    ignore_changes = [keepers]\n  }`,
      );
    await created(body("1"));
    stage.write(body("2"));
    expect(await stage.succeed("plan")).toMatch("No changes.");
    stage.now += 13 * HOUR;
    await expectRotation(1, /are left/);
    expect(stage.instance().attributes.keepers).toEqual({ release: "1" });
  });

  test("keeps the old token when no new one is issued", async () => {
    const before = await created();
    stage.now += 13 * HOUR;
    stage.variables.SERVICE_USER_PASSWORD = "canary-wrong";
    const refused = await stage.fail("apply", "-auto-approve");
    expect(refused).toMatch("ERR_CREDENTIALS_REJECTED");
    expect(refused).toMatch("Warning: An IAM token was not rotated");
    expect(refused).toMatch("it stays valid until 2026-03-02T00:00:00Z");
    expect(stage.instance()).toEqual(before);
    stage.requests();
    stage.variables.SERVICE_USER_PASSWORD = PASSWORD;
    await expectRotation(1, /are left/);
  });

  test("leaves the password nowhere, and the token only in the state", async () => {
    await created();
    stage.now += 13 * HOUR;
    await stage.succeed("plan", "-out=saved");
    const log = await stage.run(["apply", "saved"], { TF_LOG: "TRACE" });
    const token = String(stage.instance().attributes.token);
    expect(log.text).not.toMatch(PASSWORD);
    expect(log.text).not.toMatch(token);
    expect(stage.state()).not.toMatch(PASSWORD);
    expect(Buffer.from(String(stage.instance().private), "base64").toString()).not.toMatch(
      PASSWORD,
    );
    expect(readFileSync(stage.path("saved")).includes(PASSWORD)).toBe(false);
  });
});
