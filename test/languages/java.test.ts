import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scenarios } from "../scenarios/world";
import { succeed } from "../support/command";
import { packageRoot } from "../support/project";
import { type Scratch, useScratch } from "../support/scratch";
import { describeIf } from "../support/skips";
import { expectApplied } from "./applied";
import { block, expectProgram, program } from "./page";

// Maven downloads its plugins first.
jest.setTimeout(600_000);

const packed = join(packageRoot, "packed/java");
/** Where the frameworks' packages are, which were made for packing. */
const localRepository = join(packageRoot, "node_modules/.cache/languages/maven");

const SETTINGS = `<settings>
  <localRepository>${localRepository}</localRepository>
  <profiles><profile>
    <id>packed</id>
    <repositories><repository><id>packed</id><url>file://${packed}</url></repository></repositories>
  </profile></profiles>
  <activeProfiles><activeProfile>packed</activeProfile></activeProfiles>
</settings>`;

interface Prepared {
  readonly scratch: Pick<Scratch, "folder" | "home">;
  readonly main: string;
  readonly framework?: "cdktf" | "cdktn";
}

const hasMaven = spawnSync("mvn", ["--version"]).status === 0;
// Sources alone are there when the frameworks' packages could not be had.
const isPacked = existsSync(join(packed, "io/github/cdktf-iam-tokens"));

/** Writes a program with the page's pom.xml, and gives the function that runs it. */
function prepare({ scratch, main, framework = "cdktf" }: Prepared) {
  const project = join(scratch.folder, "project");
  const write = (path: string, text: string) => {
    mkdirSync(join(project, path, ".."), { recursive: true });
    writeFileSync(join(project, path), text);
  };
  write("settings.xml", SETTINGS);
  write("pom.xml", program(framework, "pom.xml"));
  write("src/main/java/Main.java", main);
  const env = {
    ...process.env,
    // jsii leaves its runtime there.
    TMPDIR: scratch.folder,
    MAVEN_OPTS: `-Djava.io.tmpdir=${scratch.folder}`,
    JSII_RUNTIME_PACKAGE_CACHE_ROOT: join(scratch.home, "jsii"),
  };
  const [, ...command] = block(framework, "languages.md", "sh", "exec:java").trim().split(" ");
  const run = (more: NodeJS.ProcessEnv = {}) =>
    succeed("mvn", ["--settings", "settings.xml", ...command], project, { ...env, ...more });
  return { project, run };
}

describeIf(hasMaven && isPacked, "no Maven, or no packages in packed/java")("Java", () => {
  const scratch = useScratch();

  test.each(["cdktf", "cdktn"] as const)(
    "the page's program compiles and synthesizes, as it is printed: %s",
    async (framework) => {
      const main = program(framework, "Main.java");
      const { project, run } = prepare({ scratch, main, framework });
      await run();
      expectProgram(project);
    },
  );

  scenarios(
    "a program in Java",
    (stage) => {
      test("uses tokens of each way", async () => {
        const main = readFileSync(join(packageRoot, "test/languages/Ways.java"), "utf8");
        const { project, run } = prepare({ scratch: stage().scratch, main });
        await expectApplied(stage(), project, run);
      });
    },
    { consumers: true },
  );
});
