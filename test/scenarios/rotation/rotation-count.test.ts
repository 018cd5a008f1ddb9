import { readFileSync, statSync } from "node:fs";
import { scanForLeaks } from "../../../lib/testing";
import { describeIf } from "../../support/skips";
import { hasTerraform, noTerraform } from "../../support/terraform";
import { ProductApi } from "../product-api";
import { HOUR, PASSWORD, RotationStage } from "./rotation-stage";

jest.setTimeout(120_000);

const TYPE = "iam_rotation";
const rotation = (...lines: string[]) =>
  `resource "iam_rotation" "clock" {\n  ${lines.join("\n  ")}\n}\n`;
const TWELVE_HOURS = rotation('rotate_every = "12h"');

describeIf(hasTerraform(), noTerraform())("a rotation", () => {
  let stage: RotationStage;

  beforeEach(async () => {
    stage = await RotationStage.open();
  });
  afterEach(() => stage.close());

  const created = async (body = TWELVE_HOURS) => {
    stage.write(body, { block: false });
    await stage.apply();
    return stage.instance(TYPE);
  };
  const attributes = () => stage.instance(TYPE).attributes;

  test("counts in place when its time has come, without credentials and without a request", async () => {
    const { attributes: first } = await created();
    expect(first).toMatchObject({
      rotation: 1,
      rotated_at: "2026-03-01T00:00:00Z",
      rotate_at: "2026-03-01T12:00:00Z",
    });
    const before = stage.state();
    stage.now += 12 * HOUR - 1;
    expect(await stage.apply()).toMatch("No changes.");
    expect(stage.state()).toBe(before);
    stage.now += 3 * HOUR;
    const planned = await stage.succeed("plan", "-out=saved");
    expect(planned).toMatch("Plan: 0 to add, 1 to change, 0 to destroy.");
    expect(planned).toMatch("~ rotation = 1 -> 2");
    expect(planned).toMatch(/~ rotated_at = "2026-03-01T00:00:00Z" -> \(known after apply\)/);
    expect(planned).toMatch(
      /Warning: A rotation is due .*The rotation was due at 2026-03-01T12:00:00Z, 3 h ago\./,
    );
    stage.now += HOUR;
    await stage.succeed("apply", "saved");
    expect(attributes()).toMatchObject({
      id: first.id,
      rotation: 2,
      rotated_at: "2026-03-01T15:59:59Z",
      rotate_at: "2026-03-02T03:59:59Z",
    });
    expect(await stage.succeed("plan")).toMatch("No changes.");
    expect(stage.requests()).toBe(0);
  });

  /**
   * An ephemeral token that is pushed into the store at each rotation: one that has its life before
   * it, and is not a used one from the cache.
   */
  const pushing = () =>
    `${rotation('rotate_every = "15h"')}
ephemeral "iam_token" "pushed" {
  scope         = "account"
  min_remaining = "23h"
}
provider "store" { folder = "${stage.path("store")}" }
resource "store_secret" "token" {
  name             = "token"
  value_wo         = ephemeral.iam_token.pushed.token
  value_wo_version = iam_rotation.clock.rotation
}
`;

  test("pushes after -replace by a version that names the instance as well; by the number alone only if the number differs", async () => {
    const named =
      'parseint(substr(sha256("${iam_rotation.clock.id}/${iam_rotation.clock.rotation}"), 0, 8), 16)';
    for (const [version, pushes] of [
      ["iam_rotation.clock.rotation", 1],
      [named, 2],
    ] as const) {
      stage.write(pushing().replace("iam_rotation.clock.rotation", version));
      await stage.apply();
      await stage.apply("-replace=iam_rotation.clock");
      expect(stage.instance("store_secret").attributes.pushes).toBe(pushes);
      expect(await stage.succeed("plan")).toMatch("No changes.");
      await stage.succeed("destroy", "-auto-approve");
    }
  });

  test("pushes a fresh token at each rotation, and no call of its consumer is refused", async () => {
    const api = await ProductApi.start({
      identity: stage.identity,
      accountId: "123456",
      staticTokens: [],
      demands: { "/account": { kind: "iam_token_account_scoped" } },
    });
    const texts: Record<string, string> = {};
    const calls: number[] = [];
    try {
      stage.write(pushing());
      // Nine runs, one every six hours, and a call of the consumer every hour.
      for (let run = 0; run < 9; run += 1) {
        const applied = await stage.run(["apply", "-auto-approve"], { TF_LOG: "TRACE" });
        texts[`run ${run}`] = applied.text;
        for (let hour = 0; hour < 6; hour += 1) {
          const headers = { "X-Auth-Token": readFileSync(stage.path("store/token"), "utf8") };
          calls.push((await fetch(`${api.url}/account`, { headers })).status);
          stage.now += HOUR;
        }
      }
    } finally {
      await api.stop();
    }
    expect(calls).toEqual(Array(54).fill(200));
    // Every 15 hours, looked at every 6: each third run.
    expect(attributes().rotation).toBe(3);
    expect(stage.instance("store_secret").attributes).toMatchObject({
      pushes: 3,
      value_wo: null,
      value_wo_version: 3,
    });
    expect(statSync(stage.path("store")).mode & 0o777).toBe(0o700);
    const token = readFileSync(stage.path("store/token"), "utf8");
    const tokens = Object.fromEntries(
      stage.identity.issuedTokens().map((each, index) => [`token ${index}`, each]),
    );
    expect(Object.values(tokens)).toContain(token);
    expect(
      scanForLeaks({
        canaries: { password: PASSWORD, ...tokens },
        texts: { ...texts, state: stage.state() },
      }).findings,
    ).toEqual([]);
  });
});
