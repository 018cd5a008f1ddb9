import { readFileSync } from "node:fs";
import type { EmbeddedIdentityConfig, Intercept } from "../../../lib/testing";
import { AGED } from "../../identity/faults/faults";
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

  test("rotates in place for changed arguments, and for another user and service", async () => {
    await created();
    let rotation = 1;
    const project = 'resource "iam_token" "ci" {\n  scope = "project"\n  project_name = "shop"\n}';
    const authUrl = stage.identity.authUrl.replace("127.0.0.1", "localhost");
    const changes: readonly [RegExp, ...Parameters<RotationStage["write"]>][] = [
      [/keepers has changed\./, withArguments('keepers = { release = "2" }')],
      [/scope, project_name and keepers have changed\./, project],
      [
        /The service is now "http:\/\/localhost:\d+\/identity\/v3"; the token is for "http:\/\/127.* The user is now "other"; the token is for "deployer"\./,
        project,
        { user: "other", authUrl },
      ],
    ];
    for (const [why, ...written] of changes) {
      stage.write(...written);
      await expectRotation(rotation, why);
      rotation += 1;
    }
    expect(stage.instance().attributes).toMatchObject({
      kind: "iam_token_project_scoped",
      project_name: "shop",
    });
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

  test("needs no credentials if no token must be issued, and otherwise reports at plan that they are missing", async () => {
    await created();
    stage.write(ACCOUNT, { block: false });
    expect(await stage.succeed("plan")).toMatch("No changes.");
    stage.now += 13 * HOUR;
    const planned = await stage.succeed("plan");
    expect(planned).toMatch("1 to change");
    expect(planned).toMatch("Warning: Apply cannot issue a token with the present settings");
    expect(await stage.fail("apply", "-auto-approve")).toMatch("ERR_CREDENTIALS_MISSING");
    // Nor does it take any to get rid of it.
    stage.freshCheckout();
    stage.write("", { block: false });
    const removed = await stage.apply();
    expect(removed).toMatch("0 added, 0 changed, 1 destroyed");
    expect(removed).toMatch(
      /Warning: A removed IAM token stays valid .*it stays valid until 2026-03-02T00:00:00Z/,
    );
    expect(JSON.parse(stage.state()).resources).toEqual([]);
  });

  test("with keepers that are unknown before apply has an unknown rotation, and does not change if they stay", async () => {
    const body = (input: string) =>
      `resource "terraform_data" "later" {\n  input = "${input}"\n  triggers_replace = "${input}"\n}\n${withArguments("keepers = { a = terraform_data.later.output, b = terraform_data.later.id }")}`;
    await created(body("one"));
    stage.write(body("two"));
    const planned = await stage.succeed("plan", "-out=saved");
    expect(planned).toMatch(/~ rotation = 1 -> \(known after apply\)/);
    expect(planned).toMatch("keepers is not known before apply");
    await stage.succeed("apply", "saved");
    expect(stage.instance().attributes.rotation).toBe(2);
    stage.requests();

    const same = (input: string) =>
      `resource "terraform_data" "later" {\n  input = "${input}"\n}\n${withArguments("keepers = { a = length(terraform_data.later.output) }")}`;
    stage.write(same("abc"));
    await stage.apply();
    expect(stage.requests()).toBe(1);
    stage.write(same("xyz"));
    expect(await stage.succeed("plan")).toMatch(/rotation = 3 -> \(known after apply\)/);
    const before = stage.instance();
    await stage.apply();
    expect(stage.requests()).toBe(0);
    expect(stage.instance()).toEqual(before);
  });

  test("does not lose its token to a clock that jumps", async () => {
    const first = await created();
    stage.serviceAhead = 24 * HOUR;
    stage.now -= 24 * HOUR;
    const planned = await stage.succeed("plan");
    expect(planned).toMatch(
      /issued at 2026-03-01T00:00:00Z, and this machine's clock says 2026-02-28T00:00:00Z: the clock is behind or was set back/,
    );
    expect(await stage.apply()).toMatch(
      /This machine's clock is 1 d behind the identity service's/,
    );
    expect(stage.instance().attributes).toMatchObject({
      rotation: 2,
      issued_at: first.attributes.issued_at,
    });

    stage.now += 366 * 24 * HOUR;
    stage.serviceAhead = -365 * 24 * HOUR;
    expect(await stage.succeed("plan")).toMatch("The token expired at 2026-03-02T00:00:00Z.");
    expect(await stage.apply()).toMatch(
      /This machine's clock is 365 d ahead of the identity service's/,
    );
    expect(stage.instance().attributes).toMatchObject({
      rotation: 3,
      expires_at: "2026-03-02T00:00:00Z",
    });
    expect(stage.identity.isValid(String(stage.instance().attributes.token))).toBe(true);

    stage.now -= 365 * 24 * HOUR;
    stage.serviceAhead = 0;
    expect(await stage.succeed("plan")).toMatch("No changes.");
  });

  test("put back between plan and apply, and therefore no longer due, is Terraform's own error, and the old token stays", async () => {
    const before = await created();
    stage.now += 13 * HOUR;
    await stage.succeed("plan", "-out=saved");
    stage.now -= 3 * HOUR;
    expect(await stage.fail("apply", "saved")).toMatch("Provider produced inconsistent final plan");
    expect(stage.instance()).toEqual(before);
    expect(stage.requests()).toBe(0);
  });

  test("of a state without a version of its layout is upgraded", async () => {
    await created();
    const { auth_url, fingerprint, ...older } = stage.instance().attributes;
    expect([auth_url, fingerprint]).not.toContain(undefined);
    stage.edit({}, { schema_version: 0, attributes: older });
    await stage.apply();
    expect(stage.instance()).toMatchObject({ schema_version: 1, attributes: { rotation: 1 } });
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

describeIf(hasTerraform(), noTerraform())("a service whose tokens live", () => {
  let stage: RotationStage | undefined;
  afterEach(() => stage?.close());

  const opened = async (
    config: Partial<EmbeddedIdentityConfig>,
    body: string,
    intercept: Intercept = (_request, serve) => serve(),
  ) => {
    stage = await RotationStage.open(config, { intercept });
    stage.write(body);
    return stage;
  };

  test("no longer than the threshold gets an error with both numbers, and the old token stays", async () => {
    const it = await opened({ tokenLifetimeSeconds: 6 * 3600 }, ACCOUNT);
    await it.apply();
    const before = it.instance();
    it.write(withArguments('rotate_when_remaining = "6h"'));
    expect(await it.fail("apply", "-auto-approve")).toMatch(
      /ERR_ROTATION_THRESHOLD.*on main.tf line \d+.*lives 6 h, and with rotate_when_remaining it is rotated when less than 6 h are left/,
    );
    expect(it.instance()).toEqual(before);
    it.write(withArguments('min_remaining = "7h"'));
    expect(await it.fail("apply", "-auto-approve")).toMatch(/ERR_LIFETIME_TOO_SHORT/);
    expect(it.instance()).toEqual(before);
    it.write(withArguments('rotate_when_remaining = "5h"'));
    await it.apply();
    expect(await it.succeed("plan")).toMatch("No changes.");
  });

  test("for 24 hours, but hands them out old, gets an error with what is left, and is not asked at every run", async () => {
    const it = await opened({}, ACCOUNT, (request, serve) =>
      request.number === 1 ? serve() : AGED(request, serve),
    );
    await it.apply();
    const before = it.instance();
    it.now += 13 * HOUR;
    const refused = await it.fail("apply", "-auto-approve");
    expect(refused).toMatch(
      /ERR_ROTATION_THRESHOLD.*was already 20 h old when the service answered, and lives for another 4 h, and by default it is rotated when less than 12 h are left\./,
    );
    expect(refused).toMatch("it stays valid until 2026-03-02T00:00:00Z");
    expect(it.instance()).toEqual(before);
    it.write(withArguments('rotate_when_remaining = "3h"'));
    await it.apply();
    expect(it.instance().attributes).toMatchObject({
      issued_at: "2026-02-28T17:00:00Z",
      expires_at: "2026-03-01T17:00:00Z",
    });
    it.now += HOUR;
    expect(await it.succeed("plan")).toMatch("No changes.");
    it.now += 1_000;
    expect(await it.succeed("plan")).toMatch(
      /of the token's 1 d are left, and it is rotated when less than 3 h are/,
    );
  });
});
