import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runCdktf } from "./cdktf";
import { makeProject } from "./project";
import { describeIf } from "./skips";
import { hasTerraform } from "./terraform";

const APP = `import { App, TerraformOutput, TerraformStack } from "cdktf";
const app = new App();
new TerraformOutput(new TerraformStack(app, "a"), "answer", { value: process.env.ANSWER, staticId: true });
app.synth();`;

describeIf(hasTerraform(), "no Terraform")("a project in a temporary folder", () => {
  test("is synthesized by the real cdktf CLI, with only the given environment", async () => {
    const project = makeProject({ app: APP });
    try {
      const result = await runCdktf(project.folder, ["synth"], { env: { ANSWER: "forty-two" } });
      expect(result).toMatchObject({ exitCode: 0 });
      const stack = JSON.parse(readFileSync(join(project.stackFolder("a"), "cdk.tf.json"), "utf8"));
      expect(stack.output.answer.value).toBe("forty-two");
    } finally {
      project.remove();
    }
    expect(existsSync(project.folder)).toBe(false);
  }, 60_000);
});
