import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as entry from "../../lib";
import { startCommand } from "../support/command";
import { makeProject, packageRoot } from "../support/project";
import { makeScratch } from "../support/scratch";

// The compiler reads all of cdktf.
jest.setTimeout(120_000);

/** What a reader has besides: providers of other packages, and a stack of his own. */
const AROUND = `
class AnyProvider<Props extends Record<string, unknown>> extends TerraformProvider {
  constructor(scope: Construct, id: string, private readonly props: Props) {
    super(scope, id, { terraformResourceType: id, terraformProviderSource: "example/" + id, terraformGeneratorMetadata: { providerName: id } });
  }
  protected override synthesizeAttributes(): { [name: string]: unknown } {
    return this.props;
  }
}
class OpenstackProvider extends AnyProvider<{ authUrl: string; token: string; tenantName?: string; projectDomainName?: string }> {}
class RestapiProvider extends AnyProvider<{ uri: string; headers: { [name: string]: string } }> {}

const app = new App({ outdir: "out" });
const otherStack = new TerraformStack(app, "other");
`;

/** The blocks of TypeScript that stand in a stack: each begins where the first one ends. */
function printedBlocks(): readonly string[] {
  const text = readFileSync(join(packageRoot, "README.md"), "utf8");
  const blocks = [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block);
  return blocks.filter((block) => !/^test\(/m.test(block));
}

function programOf(blocks: readonly string[]): string {
  const [first = "", ...others] = blocks.map((block) =>
    block.replace(/^import [\s\S]*? from "[^"]*";\n/gm, ""),
  );
  const body = [first, ...others.map((block) => `{\n${block}}\n`)].join("\n");
  const ours = Object.keys(entry).filter((name) => new RegExp(`\\b${name}\\b`).test(body));
  return `import { App, DataResource, TerraformProvider, TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { ${ours.join(", ")} } from "cdktf-iam-tokens";
${AROUND}
class Main extends TerraformStack {
  constructor() {
    super(app, "main");
${body}
  }
}
new Main();
app.synth();
`;
}

test("the code of README.md compiles, and synthesizes without a mistake", async () => {
  const blocks = printedBlocks();
  expect(blocks.length).toBeGreaterThan(4);
  // What the first block imports is what it uses.
  const imported =
    /^import \{ ([^}]*) \} from "cdktf-iam-tokens"/.exec(blocks[0] ?? "")?.[1]?.split(", ") ?? [];
  expect(imported.filter((name) => !(name in entry))).toEqual([]);
  expect(
    Object.keys(entry)
      .filter((name) => new RegExp(`\\b${name}\\b`).test(blocks[0] ?? ""))
      .sort(),
  ).toEqual(imported.sort());

  const options = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: "es2022",
    module: "node16",
    moduleResolution: "node16",
    types: [],
  };
  const project = makeProject({
    app: programOf(blocks),
    files: { "tsconfig.json": JSON.stringify({ compilerOptions: options, files: ["main.ts"] }) },
  });
  const scratch = makeScratch();
  try {
    const env = { ...scratch.env, TSX_DISABLE_CACHE: "1" };
    const run = (args: readonly string[]) =>
      startCommand(process.execPath, args, { cwd: project.folder, env }).finished;
    const compiled = await run([join(packageRoot, "node_modules/typescript/bin/tsc"), "-p", "."]);
    expect(compiled.text).toBe("");
    const synthesized = await run(["--import", "tsx", "main.ts"]);
    expect(synthesized.text).toBe("");
    const stack = (name: string) =>
      JSON.parse(readFileSync(join(project.folder, "out/stacks", name, "cdk.tf.json"), "utf8"));
    expect(Object.keys(stack("main").output)).toEqual([
      "ci_expires_at",
      "ci_header_name",
      "ci_value",
    ]);
    expect(stack("other").provider.cloud[0].token).toMatch(/^\$\{ephemeral\.iam_token\./);
  } finally {
    project.remove();
    scratch.remove();
  }
});

const commands = [
  ...readFileSync(join(packageRoot, "README.md"), "utf8").matchAll(
    /`npx cdktf-iam-tokens (\w+)([^`]*)`/g,
  ),
];

test.each(
  commands.map(([, name = "", rest = ""]) => ({
    name,
    options: rest.split(" -- ")[0]?.match(/--[\w-]+/g) ?? [],
  })),
)(
  "the command $name of README.md is there, with its options $options",
  async ({ name, options }) => {
    const scratch = makeScratch();
    try {
      const main = join(packageRoot, "dist/cli/main.js");
      const { exitCode, text } = await startCommand(process.execPath, [main, name, "--help"], {
        cwd: scratch.folder,
        env: scratch.env,
      }).finished;
      expect(exitCode).toBe(0);
      expect(text).toContain(`Usage: iam-tokens ${name}`);
      expect(options.filter((option) => !text.includes(`${option} `))).toEqual([]);
    } finally {
      scratch.remove();
    }
  },
);
