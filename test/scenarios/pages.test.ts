import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import * as entry from "../../lib";
import { startCommand } from "../support/command";
import { startIdentity } from "../support/identity-service";
import { blocksOf, commandsOf, PAGES, type PageBlock, readPage } from "../support/pages";
import { makeProject, packageRoot } from "../support/project";
import { useScratch } from "../support/scratch";
import { describeIf } from "../support/skips";
import { hasTerraform, noTerraform, terraformBinary } from "../support/terraform";
import { issue, PASSWORD } from "../testing/identity-client-of-a-test";

// The compiler reads all of cdktf.
jest.setTimeout(120_000);

const scratch = useScratch();

/**
 * Pages whose blocks of TypeScript stand in a stack, unless they are whole programs; with what a
 * reader of such a page has besides.
 */
const STACKS: Readonly<Record<string, string>> = {
  "README.md": "",
  "docs/guard-rails.md": "",
  "docs/rotation.md": 'new AnyProvider(this, "vault", {});',
  "docs/signing-in.md": "",
  "docs/using-tokens.md": 'new AnyProvider(this, "vault", {});',
};

/** A page whose blocks are programs, without their imports and without the app of the second. */
const SYNTH = "docs/synth.md";

/** What a reader has from other packages: the framework, providers and resources. */
const AROUND = `
import { spawnSync } from "node:child_process";
import {
  App, DataResource, Fn, ITerraformIterator, TerraformHclModule, TerraformIterator, TerraformOutput,
  TerraformProvider, TerraformResource, TerraformStack, TerraformVariable
} from "cdktf";
import type { Construct } from "constructs";
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
interface KvSecret { forEach?: ITerraformIterator; mount: string; name: string; dataJsonWo: string; dataJsonWoVersion: number }
class KvSecretV2 extends TerraformResource {
  constructor(scope: Construct, id: string, private readonly props: KvSecret) {
    super(scope, id, { terraformResourceType: "vault_kv_secret_v2", terraformGeneratorMetadata: { providerName: "vault" }, forEach: props.forEach });
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
    const variable = new TerraformVariable(this, "names", { type: "list(string)" });
    const module = new TerraformHclModule(this, "module", { source: "example/module" });
    const identity = new IdentityService(this, "identity", {
      authUrl: "https://cloud.api.example.com",
      accountId: "123456",
      serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
    });
    const web = new ServiceUserToken(this, "web", { identity, scope: TokenScope.project("web") });
`;

const codeOf = (page: string) => blocksOf(page, "ts").map(({ text }) => text);
const isProgram = (block: string) => block.includes("app.synth();");

/** Each page is a stack, and a block of docs/synth.md a function: of the second, the app is given. */
function programOf(): string {
  const [first = "", second = "", ...others] = codeOf(SYNTH);
  expect(others).toEqual([]);
  return `import { ${Object.keys(entry).join(", ")} } from "cdktf-iam-tokens";
${AROUND}
(() => {
${first}})();
async function second(app: App): Promise<void> {
${second}}
const app = new App();
${Object.entries(STACKS)
  .map(
    ([page, before], index) => `class Page${index} extends TerraformStack {
  constructor(id: string) {
    super(app, id);${BEFORE}${before}
${codeOf(page)
  .filter((block) => !isProgram(block))
  .join("\n")}
  }
}
new Page${index}("page${index}");`,
  )
  .join("\n")}
app.synth();
`;
}

test("the code of the pages compiles, and synthesizes without a mistake", async () => {
  for (const page of Object.keys(STACKS)) expect(codeOf(page).length).toBeGreaterThan(0);
  const [quickStart, ...others] = Object.keys(STACKS).flatMap(codeOf).filter(isProgram);
  expect(others).toEqual([]);
  const compilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: true, target: "es2022", module: "node16" },
    ...{ types: ["node"], typeRoots: [join(packageRoot, "node_modules/@types")] },
  };
  const files = ["main.ts", "quick-start.ts"];
  const project = makeProject({
    app: programOf(),
    files: {
      "quick-start.ts": quickStart ?? "",
      "tsconfig.json": JSON.stringify({ compilerOptions, files }),
    },
  });
  try {
    // The program of docs/synth.md would request a token.
    const env = { ...scratch.env, TSX_DISABLE_CACHE: "1", IAM_TOKENS_SKIP_RESOLVE: "1" };
    const options = { cwd: project.folder, env };
    const tsc = join(packageRoot, "node_modules/typescript/bin/tsc");
    for (const args of [[tsc], ["--import", "tsx", "main.ts"]])
      expect((await startCommand(process.execPath, args, options).finished).text).toBe("");
    const using = `page${Object.keys(STACKS).indexOf("docs/using-tokens.md")}`;
    const written = readFileSync(join(project.stackFolder(using), "cdk.tf.json"), "utf8");
    const outputs = Object.keys(JSON.parse(written).output);
    expect(outputs).toEqual(["ci_expires_at", "ci_header_name", "ci_value"]);
  } finally {
    project.remove();
  }
});

/** What a command says to all these texts: each is a file that has its page in its name. */
function said(texts: readonly PageBlock[], extension: string, command: string): string {
  const { folder, env } = scratch;
  for (const [index, { page, text }] of texts.entries())
    writeFileSync(join(folder, `${index}-${page.replaceAll("/", "-")}.${extension}`), text);
  const options = { cwd: folder, env: { ...env, CHECKPOINT_DISABLE: "1" } };
  return String(spawnSync("bash", ["-c", `${command} 2>&1`], options).stdout);
}

/** Whether a block is right, by its language: each is run, compiled or parsed. */
const CHECKS: Readonly<Record<string, (block: PageBlock) => unknown>> = {
  // Below, all at once.
  sh: () => true,
  hcl: () => true,
  json: ({ text }) => JSON.parse(text),
  yaml: ({ text }) => parse(text, { strict: true, uniqueKeys: true }),
  ts: (block) => block.page in STACKS || block.page === SYNTH || isOfJest(block),
  // By test/programs/terrain, and test/languages.
  js: ({ page }) => page === "docs/terrain.md",
  python: ({ page }) => page === "docs/languages.md",
  // Git's own, a drawing, or an output.
  gitignore: () => true,
  text: () => true,
};

/** Whether all its lines are in a file of examples/jest, which is run as it is. */
function isOfJest({ page, text }: PageBlock): boolean {
  const files = ["my-stack", "faults", "synthesized"].map((name) =>
    readPage(`examples/jest/${name}.test.ts`),
  );
  const lines = text.split("\n").filter((line) => !/^(\/\/.*)?$/.test(line));
  const has = (file: string) => lines.every((line) => file.includes(`  ${line}\n`));
  return page === "docs/testing.md" && files.some(has);
}

describeIf(hasTerraform(), noTerraform())("the blocks of the pages", () => {
  test("are run, compiled or parsed, each of them", () => {
    const blocks = PAGES.flatMap((page) => blocksOf(page));
    expect(blocks.length).toBeGreaterThan(80);
    const wrong = blocks.filter((block) => {
      try {
        return !CHECKS[block.language]?.(block);
      } catch {
        return true;
      }
    });
    expect(wrong).toEqual([]);
    const of = (language: string) => blocks.filter((block) => block.language === language);
    expect(said(of("sh"), "sh", 'for file in *.sh; do bash -n "$file"; done')).toBe("");
    // As Terraform writes it.
    const format = `${terraformBinary()} fmt -no-color -check -diff`;
    expect(said(of("hcl"), "tf", format)).toBe("");
  });
});

test("npx starts the commands only where they are installed", () => {
  // Elsewhere, it would download and start whoever has taken such a name on npm.
  const free = /npx (?!--no-install )(?:-\S+ )*\S*iam-tokens.*/g;
  expect(PAGES.flatMap((page) => readPage(page).match(free) ?? [])).toEqual([]);
});

/** Each command once, with the options that any page gives it. */
const uses = PAGES.flatMap(commandsOf);
const commands = [...new Set(uses.map(({ name }) => name))].map((name) => ({
  name,
  given: [...new Set(uses.flatMap((use) => (use.name === name ? use.options : [])))],
}));

test.each(commands)(
  "the pages give the command $name only options that it has",
  ({ name, given }) => {
    const main = join(packageRoot, "dist/cli/main.js");
    const { stdout } = spawnSync(process.execPath, [main, name, "--help"], { encoding: "utf8" });
    expect(stdout).toMatch(new RegExp(`^Usage: npx --no-install cdktf-iam-tokens ${name} `));
    expect(given.filter((option) => !stdout.includes(`${option} `))).toEqual([]);
  },
);

test("a leaked token is revoked by the lines of docs/on-call.md for a machine without Node.js", async () => {
  const identity = await startIdentity(PASSWORD);
  try {
    const token = await issue(identity);
    const [block] = blocksOf("docs/on-call.md", "sh").filter(({ text }) => /curl/.test(text));
    const script = block?.text.replace(/https:.*\/v3/, identity.keystoneUrl) ?? "";
    const options = { cwd: scratch.folder, env: { ...scratch.env, LEAKED: token } };
    const { stdout } = await startCommand("bash", ["-c", script], options).finished;
    expect([stdout, identity.isValid(token)]).toEqual(["204\n", false]);
  } finally {
    await identity.stop();
  }
});
