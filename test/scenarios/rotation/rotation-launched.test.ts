import { readFileSync } from "node:fs";
import { join } from "node:path";
import { scanForLeaks } from "../../../lib/testing";
import { moduleFolder, providerBlock, writeModule } from "../plain-module";
import { scenarios } from "../scenario";

scenarios(
  "a launched provider",
  (stage) => {
    const provider = () => providerBlock(stage().identity.authUrl);

    test("rotates a token in place, by a saved plan", async () => {
      const folder = moduleFolder(stage());
      const write = (hcl: string) => writeModule(folder, hcl, "store");
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
      const folder = moduleFolder(stage());
      const write = (hcl: string) => writeModule(folder, hcl, "store");
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
