import { cpSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scanForLeaks } from "../../../lib/testing";
import { scenarios } from "../../scenarios/scenario";
import { openRecipe, type Recipe } from "./recipe";

jest.setTimeout(300_000);

scenarios("the recipe for HCP Terraform", (stage) => {
  let recipe: Recipe | undefined;
  afterEach(() => recipe?.remove());

  test("makes a folder that applies where there is no Node.js, no password and no provider", async () => {
    const { identity, api, password, scratch } = stage();
    recipe = await openRecipe(stage(), "hcp-terraform", {
      AUTH_URL: identity.authUrl,
      API_URL: `${api.url}/projects/web`,
    });
    const synthesized = await recipe.bash("node --import tsx main.ts", { ...stage().secrets });
    expect(synthesized.text).not.toContain("Error");
    const stack = recipe.stackFolder("web");
    const { terraform } = JSON.parse(readFileSync(join(stack, "cdk.tf.json"), "utf8"));
    expect(terraform.cloud).toMatchObject({ organization: "example" });
    expect(terraform.required_providers).toBeUndefined();
    expect(existsSync(join(stack, "terraform.d"))).toBe(false);
    expect(statSync(join(stack, "iam-tokens.auto.tfvars.json")).mode & 0o777).toBe(0o600);

    // The uploaded files, on another machine; its state is there instead of at HCP Terraform.
    const remote = join(scratch.folder, "remote");
    cpSync(stack, remote, { recursive: true });
    writeFileSync(
      join(remote, "state_override.tf.json"),
      JSON.stringify({ terraform: { backend: { local: {} } } }),
    );
    const bin = join(scratch.folder, "bin");
    await recipe.bash(
      `mkdir "${bin}" && ln -s "$(command -v terraform)" "$(command -v curl)" "$(command -v sh)" "${bin}"`,
    );
    const apply = "terraform init && terraform plan -out=saved && terraform apply saved";
    const applied = await recipe.bash(`cd "${remote}" && PATH="${bin}" && ${apply}`);
    expect(api.journal.map(({ path, status }) => [path, status])).toEqual([["/projects/web", 200]]);

    rmSync(join(remote, "iam-tokens.auto.tfvars.json"));
    const tokens = Object.fromEntries(identity.issuedTokens().entries());
    expect(Object.keys(tokens)).toHaveLength(1);
    const { findings } = scanForLeaks({
      canaries: { password, ...tokens },
      folders: [remote],
      texts: { printed: synthesized.text + applied.text },
    });
    expect(findings).toEqual([]);
  });
});
