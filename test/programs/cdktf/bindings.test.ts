import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scenarios } from "../../scenarios/world";
import { startCommand } from "../../support/command";
import { blocksOf } from "../../support/pages";
import { shellIn, userProject } from "../user-project";

/** A stack in the style of generated bindings. */
const APP = `import { App, TerraformOutput, TerraformStack } from "cdktf";
import { IamProvider } from "./.gen/providers/iam/provider";
import { Rotation } from "./.gen/providers/iam/rotation";
const app = new App();
const stack = new TerraformStack(app, "main");
new IamProvider(stack, "iam", {});
const { rotation } = new Rotation(stack, "schedule", { rotateEvery: "12h" });
new TerraformOutput(stack, "rotation", { value: rotation });
app.synth();
`;

scenarios("bindings of the provider", (stage) => {
  const user = userProject(stage);

  test("are generated and deployed under run, as docs/other-tools.md says", async () => {
    const { folder } = user.start(APP);
    const [settings] = blocksOf("docs/other-tools.md", "json");
    const [commands] = blocksOf("docs/other-tools.md", "sh");
    const file = join(folder, "cdktf.json");
    const own = JSON.parse(readFileSync(file, "utf8"));
    const theirs = JSON.parse(settings?.text ?? "");
    writeFileSync(file, JSON.stringify({ ...own, ...theirs }));
    const { exitCode, text } = await startCommand("bash", ["-ec", commands?.text ?? ""], {
      cwd: folder,
      env: shellIn(folder, stage()),
      timeoutMs: 240_000,
    }).finished;
    if (exitCode !== 0) throw new Error(text);
    expect(text).toMatch(/rotation = 1\b/);
  }, 300_000);
});
