import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startCommand } from "../support/command";
import { makeProject, packageRoot } from "../support/project";
import { scenarios } from "./scenario";

const MY_STACK = `
import { DataResource, TerraformStack } from "cdktf";
import { IdentityService, SecretRef, ServiceUserToken, TokenScope } from "cdktf-iam-tokens";

export class MyStack extends TerraformStack {
  constructor(scope, id, { authUrl }) {
    super(scope, id);
    const serviceUser = { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") };
    const identity = new IdentityService(this, "identity", { authUrl, accountId: "123456", serviceUser });
    const { value } = new ServiceUserToken(this, "web", { identity, scope: TokenScope.project("web") });
    new DataResource(this, "x", { provisioners: [{ type: "local-exec", command: "true", environment: { TOKEN: value } }] });
  }
}
`;

const TRANSFORM = { "\\.ts$": [require.resolve("@swc/jest"), { jsc: { parser: { syntax: "typescript" }, target: "es2022" } }] };

scenarios("the test that README.md shows", (stage) => {
  test("passes in a user's project, as it is printed", async () => {
    const { scratch } = stage();
    const printed = /^## Testing your own stacks\n[\s\S]*?^```ts\n([\s\S]*?)^```$/m.exec(
      readFileSync(join(packageRoot, "README.md"), "utf8"),
    )?.[1];
    const project = makeProject({
      app: "",
      files: {
        "my-stack.ts": MY_STACK,
        "my-stack.test.ts": printed ?? "",
        "jest.config.json": JSON.stringify({ transform: TRANSFORM, cacheDirectory: "<rootDir>/cache" }),
      },
    });
    try {
      const jest = join(packageRoot, "node_modules/jest/bin/jest.js");
      const { exitCode, text } = await startCommand(process.execPath, [jest, "--ci", "--rootDir", project.folder], {
        cwd: project.folder,
        // cdktf's Testing.app() makes its folder in the temporary folder, and leaves it there.
        env: { ...scratch.env, TMPDIR: project.folder, CHECKPOINT_DISABLE: "1" },
      }).finished;
      if (exitCode !== 0) throw new Error(`jest ended with ${exitCode}:\n${text}`);
      expect(text).toContain("1 passed, 1 total");
    } finally {
      project.remove();
    }
  });
});
