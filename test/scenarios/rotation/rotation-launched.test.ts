import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EmbeddedProvider } from "../../../lib";
import { scanForLeaks } from "../../../lib/testing";
import { type Scenario, scenarios } from "../scenario";
import { StackOf } from "../stacks";

/** A module in plain HCL, in a folder with the provider that a synthesis has laid out. */
function moduleOf(
  stage: Scenario,
  name: string,
): { readonly folder: string; write(hcl: string): void } {
  const app = stage.synth((root) => {
    new StackOf(root, "main", (stack) => void EmbeddedProvider.of(stack));
  });
  const folder = join(app.stackFolder("main"), name);
  mkdirSync(folder);
  symlinkSync("../terraform.d", join(folder, "terraform.d"));
  const required =
    'terraform {\n  required_providers {\n    iam = { source = "npm.invalid/cdktf-iam-tokens/iam" }\n    store = { source = "npm.invalid/scenarios/store" }\n  }\n}\n';
  return { folder, write: (hcl) => writeFileSync(join(folder, "main.tf"), required + hcl) };
}

scenarios(
  "a launched provider",
  (stage) => {
    const provider = () =>
      `provider "iam" {\n  auth_url = "${stage().identity.authUrl}"\n  account_id = "123456"\n  user_name = "deployer"\n  password_env = "SERVICE_USER_PASSWORD"\n}\n`;

    test("rotates a token in place, by a saved plan", async () => {
      const { folder, write } = moduleOf(stage(), "module");
      const token = (release: number) =>
        `resource "iam_token" "ci" {\n  scope = "project"\n  project_name = "web"\n  keepers = { release = ${release} }\n}\noutput "value" {\n  value = iam_token.ci.token\n  sensitive = true\n}\n`;
      write(provider() + token(1));
      await stage().succeed(folder, ["init"], {});
      await stage().succeed(folder, ["apply", "-auto-approve"]);
      expect(stage().requests()).toBe(1);
      await stage().succeed(folder, ["plan", "-detailed-exitcode"]);
      expect(stage().requests()).toBe(0);

      write(provider() + token(2));
      const planned = await stage().succeed(folder, ["plan", "-out=saved", "-no-color"]);
      expect(planned.text).toMatch("0 to add, 1 to change, 0 to destroy");
      expect(planned.text).toMatch(/~ rotation\s+= 1 -> 2/);
      expect(stage().requests()).toBe(0);
      await stage().succeed(folder, ["apply", "saved"]);
      expect(stage().requests()).toBe(1);
      const { value } = JSON.parse((await stage().succeed(folder, ["output", "-json"])).stdout);
      expect(value.sensitive).toBe(true);
      expect(stage().identity.isValid(value.value)).toBe(true);
    });

    test("pushes an ephemeral token into a store at each rotation, and at no other time, and leaves it nowhere else", async () => {
      const { folder, write } = moduleOf(stage(), "module");
      const store = join(stage().scratch.home, "store");
      const body = (release: number) => `${provider()}
resource "iam_rotation" "clock" {
  rotate_every = "12h"
  keepers      = { release = ${release} }
}
ephemeral "iam_token" "pushed" {
  scope         = "account"
  min_remaining = "23h"
}
provider "store" { folder = "${store}" }
resource "store_secret" "token" {
  name             = "token"
  value_wo         = ephemeral.iam_token.pushed.token
  value_wo_version = iam_rotation.clock.rotation
}
`;
      const pushed = () => readFileSync(join(store, "token"), "utf8");
      const texts: Record<string, string> = {};
      const apply = async (name: string) => {
        const { text } = await stage().succeed(folder, ["apply", "-auto-approve", "-no-color"], {
          ...stage().secrets,
          TF_LOG: "TRACE",
        });
        texts[name] = text;
        return text;
      };
      write(body(1));
      await stage().succeed(folder, ["init"], {});
      await apply("first");
      const first = pushed();
      expect(stage().identity.isValid(first)).toBe(true);
      expect(await apply("again")).toMatch("No changes.");
      expect(pushed()).toBe(first);
      write(body(2));
      expect(await apply("rotated")).toMatch("0 added, 2 changed, 0 destroyed");
      const second = pushed();
      expect(second).not.toBe(first);
      expect(stage().identity.isValid(second)).toBe(true);
      const canaries = { password: stage().password, first, second };
      expect(
        scanForLeaks({ canaries, folders: [folder, stage().scratch.tmp], texts }).findings,
      ).toEqual([]);
    });
  },
  { consumers: true },
);
