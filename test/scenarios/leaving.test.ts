import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ServiceUserToken, TokenResolution, TokenScope } from "../../lib";
import { blocksOf } from "../support/pages";
import { ACCOUNT, identityIn, scenarios } from "./world";

// docs/leaving.md: No token is requested again, and none rotates
scenarios("docs/leaving.md", (stage) => {
  test("a stack's JSON, and then the page's HCL in its place, change nothing", async () => {
    const { identity, succeed } = stage();
    const stack = await stage().initialized((scope) => {
      const service = identityIn(scope, stage());
      const token = (id: string, more: object) =>
        new ServiceUserToken(scope, id, {
          identity: service,
          scope: TokenScope.account(),
          ...more,
        });
      token("web", { scope: TokenScope.project("web") });
      token("ci", { resolution: TokenResolution.rotating({ rotateWhenRemaining: "6h" }) });
    });
    await succeed(stack, ["apply", "-auto-approve"]);
    stage().requests();

    const folder = join(stack, "../plain");
    mkdirSync(folder);
    for (const name of ["terraform.d", "terraform.tfstate"])
      cpSync(join(stack, name), join(folder, name), { recursive: true });
    const json = JSON.parse(readFileSync(join(stack, "cdk.tf.json"), "utf8"));
    for (const block of json.provider.iam) {
      delete block.package_version;
      delete block.declared_by;
    }
    const file = join(folder, "main.tf.json");
    const plan = async () => {
      writeFileSync(file, JSON.stringify(json));
      await succeed(folder, ["init"]);
      return succeed(folder, ["plan", "-detailed-exitcode"]);
    };
    expect((await plan()).text).toContain("No changes");

    const [block] = blocksOf("docs/leaving.md", "hcl");
    delete json.ephemeral;
    delete json.resource;
    const [own] = json.provider.iam.filter(({ alias }: { alias?: string }) => alias !== undefined);
    delete json.provider;
    const hcl = String(block?.text)
      .replace("https://cloud.api.example.com", identity.authUrl)
      .replace("123456", ACCOUNT)
      .replace('"SERVICE_USER_PASSWORD"', JSON.stringify(own.password_env));
    writeFileSync(join(folder, "token.tf"), hcl);
    expect((await plan()).text).toContain("No changes");
    // The ephemeral token of each plan, and none of the rotating one.
    expect(stage().requests()).toBe(2);
    rmSync(folder, { recursive: true });
  });
});
