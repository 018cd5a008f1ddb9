import { existsSync } from "node:fs";
import { TerraformOutput, TerraformStack } from "cdktf";
import { makeScratch } from "./scratch";
import { describeIf } from "./skips";
import { synthApp } from "./synth";
import { hasTerraform, runTerraform } from "./terraform";

const build = (app: ConstructorParameters<typeof TerraformStack>[0]) => {
  const stack = new TerraformStack(app, "a");
  new TerraformOutput(stack, "answer", { value: 42, staticId: true });
};

test("an app is written to a folder of its own, and removed", () => {
  const app = synthApp(build);
  expect(app.stackJson("a")).toMatchObject({
    output: { answer: { value: 42 } },
    terraform: { backend: { local: {} } },
  });
  app.remove();
  expect(existsSync(app.outdir)).toBe(false);
});

test("validations run", () => {
  const invalid = (app: Parameters<typeof build>[0]) => {
    build(app);
    app.node.addValidation({ validate: () => ["this is wrong"] });
  };
  expect(() => synthApp(invalid)).toThrow(/this is wrong/);
});

describeIf(hasTerraform(), "no Terraform")("a synthesized stack under the real Terraform", () => {
  test("is applied with its state in its own folder and nothing left in the temporary one", async () => {
    const app = synthApp(build);
    const scratch = makeScratch();
    try {
      const folder = app.stackFolder("a");
      expect(await runTerraform(folder, ["init"], { scratch })).toMatchObject({ exitCode: 0 });
      expect(await runTerraform(folder, ["apply", "-auto-approve"], { scratch })).toMatchObject({
        exitCode: 0,
      });
      expect((await runTerraform(folder, ["output", "-json"], { scratch })).stdout).toContain("42");
      expect(existsSync(`${folder}/terraform.tfstate`)).toBe(true);
      expect(scratch.leftovers()).toEqual([]);
    } finally {
      scratch.remove();
      app.remove();
    }
  }, 30_000);
});
