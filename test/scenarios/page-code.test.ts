import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as entry from "../../lib";
import { startCommand } from "../support/command";
import { blocksOf, commandsOf, PAGES, readPage } from "../support/pages";
import { makeProject, packageRoot } from "../support/project";
import { makeScratch } from "../support/scratch";

// The compiler reads all of cdktf.
jest.setTimeout(120_000);

/**
 * Pages whose blocks of TypeScript stand in a stack, unless they are whole programs; with what a
 * reader of such a page has besides.
 */
const STACKS: Readonly<Record<string, string>> = {
  "README.md": "",
  "docs/errors.md": "const stack = this;",
  "docs/guard-rails.md": "",
  "docs/rotation.md": 'new AnyProvider(this, "vault", {});',
  "docs/signing-in.md": "",
  "docs/using-tokens.md": "",
};

/** A page whose blocks are programs, without their imports and without the app of the second. */
const SYNTH = "docs/synth.md";

/** Declarations that a reader has from other packages: providers and resources. */
const AROUND = `
class AnyProvider<Props extends Record<string, unknown>> extends TerraformProvider {
  constructor(scope: Construct, id: string, private readonly props: Props) {
    super(scope, id, { terraformResourceType: id, terraformProviderSource: "example/" + id, terraformGeneratorMetadata: { providerName: id } });
  }
  protected override synthesizeAttributes(): { [name: string]: unknown } {
    return this.props;
  }
}
class OpenstackProvider extends AnyProvider<{ authUrl: string; token: string; allowReauth: false }> {}
class RestapiProvider extends AnyProvider<{ uri: string; headers: { [name: string]: string } }> {}
interface KvSecret { mount: string; name: string; dataJsonWo: string; dataJsonWoVersion: number }
class KvSecretV2 extends TerraformResource {
  constructor(scope: Construct, id: string, private readonly props: KvSecret) {
    super(scope, id, { terraformResourceType: "vault_kv_secret_v2", terraformGeneratorMetadata: { providerName: "vault" } });
  }
  protected override synthesizeAttributes(): { [name: string]: unknown } {
    const { mount, name, dataJsonWo, dataJsonWoVersion } = this.props;
    return { mount, name, data_json_wo: dataJsonWo, data_json_wo_version: dataJsonWoVersion };
  }
}
`;

/** The declarations of the quick start. */
const BEFORE = `
    const otherStack = new TerraformStack(app, id + "-other");
    const module = new TerraformHclModule(this, "module", { source: "example/module" });
    const identity = new IdentityService(this, "identity", {
      authUrl: "https://cloud.api.example.com",
      accountId: "123456",
      serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
    });
    const web = new ServiceUserToken(this, "web", { identity, scope: TokenScope.project("web") });
`;

const FRAMEWORK = [
  ...["App", "DataResource", "Fn", "PgBackend", "TerraformHclModule", "TerraformOutput"],
  ...["TerraformProvider", "TerraformResource", "TerraformStack"],
];

const codeOf = (page: string) => blocksOf(page, "ts").map(({ text }) => text);
const isProgram = (block: string) => block.includes("app.synth();");

function withImports(body: string): string {
  const used = (names: readonly string[]) =>
    names.filter((name) => new RegExp(`\\b${name}\\b`).test(body)).join(", ");
  return `import { ${used(FRAMEWORK)} } from "cdktf";
import type { Construct } from "constructs";
import { ${used(Object.keys(entry))} } from "cdktf-iam-tokens";
${body}`;
}

/** Each page is a stack. */
function programOf(pages: Readonly<Record<string, string>>): string {
  const stacks = Object.entries(pages).map(
    ([page, before], index) => `class Page${index} extends TerraformStack {
  constructor(id: string) {
    super(app, id);${BEFORE}${before}
${codeOf(page)
  .filter((block) => !isProgram(block))
  .join("\n")}
  }
}
new Page${index}("page${index}");`,
  );
  return withImports(`${AROUND}
const app = new App({ outdir: "out" });
${stacks.join("\n")}
app.synth();
`);
}

/** The programs of docs/synth.md; top-level `await` needs a module, and the page says so. */
function synthProgramOf(): string {
  const [first = "", second = "", ...others] = codeOf(SYNTH);
  expect(others).toEqual([]);
  return `import { spawnSync } from "node:child_process";
${withImports(`${AROUND}
function first(): void {
${first}}
async function second(app: App): Promise<void> {
${second}}
first();
void second;
`)}`;
}

test("the code of the pages compiles, and synthesizes without a mistake", async () => {
  for (const page of Object.keys(STACKS)) expect(codeOf(page).length).toBeGreaterThan(0);
  const [quickStart, ...others] = Object.keys(STACKS).flatMap(codeOf).filter(isProgram);
  expect(others).toEqual([]);

  const options = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: "es2022",
    module: "node16",
    moduleResolution: "node16",
    types: ["node"],
    typeRoots: [join(packageRoot, "node_modules/@types")],
  };
  const project = makeProject({
    app: programOf(STACKS),
    files: {
      "quick-start.ts": quickStart ?? "",
      "synth.ts": synthProgramOf(),
      "tsconfig.json": JSON.stringify({
        compilerOptions: options,
        files: ["main.ts", "quick-start.ts", "synth.ts"],
      }),
    },
  });
  const scratch = makeScratch();
  try {
    // The program of docs/synth.md would request a token.
    const env = { ...scratch.env, TSX_DISABLE_CACHE: "1", IAM_TOKENS_SKIP_RESOLVE: "1" };
    const run = (args: readonly string[]) =>
      startCommand(process.execPath, args, { cwd: project.folder, env }).finished;
    const compiled = await run([join(packageRoot, "node_modules/typescript/bin/tsc"), "-p", "."]);
    expect(compiled.text).toBe("");
    for (const file of ["main.ts", "synth.ts"]) {
      const synthesized = await run(["--import", "tsx", file]);
      expect(synthesized.text).toBe("");
    }
    const stack = (name: string) =>
      JSON.parse(readFileSync(join(project.folder, "out/stacks", name, "cdk.tf.json"), "utf8"));
    const using = Object.keys(STACKS).indexOf("docs/using-tokens.md");
    expect(Object.keys(stack(`page${using}`).output)).toEqual([
      "ci_expires_at",
      "ci_header_name",
      "ci_value",
    ]);
    expect(stack(`page${using}-other`).provider.cloud[0].token).toMatch(
      /^\$\{ephemeral\.iam_token\./,
    );
  } finally {
    project.remove();
    scratch.remove();
  }
});

test("npx gets the command by a name that only this package can have", () => {
  // Where it is not installed, npx would look for a package of the command's short name.
  const short = PAGES.flatMap((page) => readPage(page).match(/npx iam-tokens.*/g) ?? []);
  expect(short).toEqual([]);
});

/** Each command once, with the options that any page gives it. */
const uses = PAGES.flatMap(commandsOf);
const commands = [...new Set(uses.map(({ name }) => name))].map((name) => ({
  name,
  options: [...new Set(uses.flatMap((use) => (use.name === name ? use.options : [])))],
}));

test.each(commands)(
  "the command $name of the pages exists, with its options $options",
  async ({ name, options }) => {
    const scratch = makeScratch();
    try {
      const main = join(packageRoot, "dist/cli/main.js");
      const { exitCode, text } = await startCommand(process.execPath, [main, name, "--help"], {
        cwd: scratch.folder,
        env: scratch.env,
      }).finished;
      expect(exitCode).toBe(0);
      expect(text).toMatch(new RegExp(`^Usage: cdkt[fn]-iam-tokens ${name} `));
      expect(options.filter((option) => !text.includes(`${option} `))).toEqual([]);
    } finally {
      scratch.remove();
    }
  },
);
