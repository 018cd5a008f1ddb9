import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scenarios } from "../scenarios/world";
import { succeed } from "../support/command";
import { hasGo } from "../support/go-build";
import { packageRoot } from "../support/project";
import { type Scratch, useScratch } from "../support/scratch";
import { describeIf } from "../support/skips";
import { expectApplied } from "./applied";
import { expectProgram, program } from "./page";

// It compiles the framework's bindings; those of CDK Terrain are made here, for not every module
// proxy has them.
jest.setTimeout(600_000);

const bindings = (framework: string) =>
  join(packageRoot, `packed/go/${framework}-iam-tokens-go/iamtokens`);

interface Prepared {
  readonly scratch: Pick<Scratch, "folder" | "home">;
  readonly main: string;
  readonly framework?: "cdktf" | "cdktn";
}

const isPacked = existsSync(bindings("cdktf")) && existsSync(bindings("cdktn"));

/** Writes a program of the page next to the bindings, and gives the environment that Go needs. */
async function prepare(
  { scratch, main, framework = "cdktf" }: Prepared,
  project = join(scratch.folder, "project"),
): Promise<{ readonly project: string; readonly env: NodeJS.ProcessEnv }> {
  mkdirSync(project);
  cpSync(bindings(framework), join(project, "iamtokens"), { recursive: true });
  const manifest = [program(framework, "go.mod")];
  if (framework === "cdktn") {
    const script = join(packageRoot, "test/languages/framework-in-go.mjs");
    await succeed(process.execPath, [script, project], project);
    manifest.push("replace github.com/open-constructs/cdk-terrain-go/cdktn => ./cdktn-go/cdktn");
  }
  writeFileSync(join(project, "go.mod"), manifest.join("\n"));
  writeFileSync(join(project, "main.go"), main);
  // With this process's environment: Go has its caches and settings there.
  const env = {
    ...process.env,
    // jsii leaves its runtime there.
    TMPDIR: scratch.folder,
    GOFLAGS: "-mod=mod",
    JSII_RUNTIME_PACKAGE_CACHE_ROOT: join(scratch.home, "jsii"),
  };
  await succeed("go", ["mod", "tidy"], project, env);
  return { project, env };
}

describeIf(hasGo() && isPacked, "no Go, or no modules in packed/go")("Go", () => {
  const scratch = useScratch();

  test.each(["cdktf", "cdktn"] as const)(
    "the page's program compiles and synthesizes, as it is printed: %s",
    async (framework) => {
      const main = program(framework, "main.go");
      const { project, env } = await prepare({ scratch, main, framework });
      await succeed("go", ["run", "."], project, env);
      expectProgram(project);

      // At run time, jsii would print what it refuses.
      const literal = main.replace(/iamtokens\.SecretRef_Env\((.*)\),/, "$1,");
      writeFileSync(join(project, "main.go"), literal);
      await expect(succeed("go", ["vet", "."], project, env)).rejects.toThrow(
        /\*string does not implement iamtokens\.SecretRef/,
      );
    },
  );

  scenarios(
    "a program in Go",
    (stage) => {
      test("uses tokens of each way", async () => {
        const main = readFileSync(join(packageRoot, "test/languages/ways.go"), "utf8");
        const { project, env } = await prepare({ scratch: stage().scratch, main });
        await expectApplied(stage(), project, (more) =>
          succeed("go", ["run", "."], project, { ...env, ...more }),
        );
      });
    },
    { consumers: true },
  );
});
