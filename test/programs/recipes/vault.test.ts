import { scenarios } from "../../scenarios/scenario";
import { blocksOf, readPage } from "../../support/pages";
import { expectNoSecret, recipeStage } from "./recipe-stage";

jest.setTimeout(300_000);

scenarios("a recipe with a provider of others", (stage) => {
  const { api, open } = recipeStage(stage);

  test("vault: the token is pushed by a write-only argument, and again when it rotates", async () => {
    const recipe = await open("vault", { VAULT_ADDR: api().url });
    // The page on CDK Terrain says what that needs for write-only arguments.
    const [settings] = blocksOf("docs/terrain.md", "json").slice(-1);
    expect(JSON.parse(readPage("examples/vault/cdktf.json"))).toMatchObject(
      JSON.parse(settings?.text ?? ""),
    );
    const pushed = () =>
      api().calls.map(({ path, body }) => {
        expect(path).toBe("/v1/kv/data/web/api-token");
        return JSON.parse(body).data as { readonly token: string; readonly header: string };
      });
    await recipe.cdktf(["deploy", "--auto-approve"]);
    await recipe.cdktf(["deploy", "--auto-approve"]);
    expect(pushed()).toHaveLength(1);
    await recipe.cdktf(["deploy", "--auto-approve"], { RELEASE: "2" });
    const [first, second] = pushed();
    expect(second?.token).not.toBe(first?.token);
    for (const each of [first, second]) {
      expect(each?.header).toBe("X-Auth-Token");
      expect(stage().identity.describeToken(each?.token ?? "")).toMatchObject({
        status: "valid",
        project: "web",
      });
    }
    expectNoSecret(stage(), recipe);
  });
});
