import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { type CommandResult, startCommand } from "../../support/command";
import { makeProject, type Project } from "../../support/project";
import { makeScratch, type Scratch } from "../../support/scratch";
import { installFor, inTerrain } from "../../support/terrain";

// Each starts Node.js with tsx; a machine may be slow.
jest.setTimeout(60_000);

/** A program of CDKTF. */
const APP = `
import { App, DataResource, TerraformStack } from "cdktf";
import { EmbeddedProvider, IdentityService, SecretRef, ServiceUserToken, TokenScope } from "cdktf-iam-tokens";
import { EmbeddedIdentityService } from "cdktf-iam-tokens/testing";
if (typeof EmbeddedIdentityService.start !== "function") throw new Error("no ./testing");
const app = new App({ outdir: process.argv[2] });
const stack = new TerraformStack(app, "main");
const identity = new IdentityService(stack, "identity", {
  authUrl: "https://cloud.api.example.com",
  accountId: "123456",
  serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
});
const token = new ServiceUserToken(stack, "web", { identity, scope: TokenScope.project("web") });
new DataResource(stack, "hook", {
  provisioners: [{ type: "local-exec", command: "true", environment: token.environment("TOKEN") }],
});
app.synth();
`;

describe("both packages in one folder of packages", () => {
  let project: Project;
  let scratch: Scratch;

  beforeEach(() => {
    scratch = makeScratch();
    project = makeProject({ app: APP, framework: "cdktf" });
    for (const name of ["cdktf-iam-tokens", "cdktf"])
      installFor("cdktn", name, join(project.folder, "node_modules"));
  });
  afterEach(() => {
    project.remove();
    scratch.remove();
  });

  function run(text: string, outdir = "out"): Promise<CommandResult> {
    writeFileSync(join(project.folder, "main.ts"), text);
    return startCommand(process.execPath, ["--import", "tsx", "main.ts", outdir], {
      cwd: project.folder,
      env: { ...scratch.env, TSX_DISABLE_CACHE: "1" },
    }).finished;
  }

  /** The files that a program has written, by path, without comments of the framework. */
  function written(outdir: string): Record<string, string> {
    const stack = join(project.folder, outdir, "stacks/main");
    const files = readdirSync(stack, { recursive: true, withFileTypes: true });
    return Object.fromEntries(
      files
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .map((path) => [
          relative(stack, path),
          path.endsWith(".tf.json")
            ? JSON.stringify(withoutComments(JSON.parse(readFileSync(path, "utf8"))))
            : readFileSync(path, "base64"),
        ]),
    );
  }

  test("both synthesize the same program, to the last byte of the provider", async () => {
    for (const [text, outdir] of [
      [APP, "of-cdktf"],
      [inTerrain(APP), "of-cdktn"],
    ] as const) {
      const { exitCode, text: said } = await run(text, outdir);
      expect({ exitCode, said }).toEqual({ exitCode: 0, said: "" });
    }
    const [cdktf, cdktn] = [written("of-cdktf"), written("of-cdktn")];
    expect(Object.keys(cdktf).length).toBeGreaterThan(20);
    expect(cdktn["cdk.tf.json"]).toContain("ephemeral.iam_token.web.token");
    expect(cdktn).toEqual(cdktf);
  });
});

function withoutComments(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutComments);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== "//")
      .map(([name, inner]) => [name, withoutComments(inner)]),
  );
}
