import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { FRAMEWORK, type Framework, installFor, inTerrain } from "./terrain";

/** The folder of this package. */
export const packageRoot = resolve(__dirname, "../..");

export interface ProjectOptions {
  /**
   * The source of the app: TypeScript, which imports `cdktf-iam-tokens` like a user's (that is
   * dist: build first).
   */
  readonly app: string;
  /** More files, by their path in the project. */
  readonly files?: Readonly<Record<string, string>>;
  /**
   * The packages in node_modules that the app finds in addition to this one. Default: cdktf,
   * constructs, @cdktf/provider-null and tsx.
   */
  readonly packages?: readonly string[];
  /**
   * With cdktn, names of CDKTF in the app and in `packages` stand for those of CDK Terrain.
   * Default: that of the tests' group.
   */
  readonly framework?: Framework;
}

/** A CDKTF project of a user, in a temporary folder. */
export type Project = ReturnType<typeof makeProject>;

/** Makes a project like `cdktf init`, with links instead of an installation. */
export function makeProject({
  app,
  files = {},
  packages = DEFAULT_PACKAGES,
  framework = FRAMEWORK,
}: ProjectOptions) {
  // The real path: Terraform and Node.js report this one even if the temporary folder is a link.
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "iam-project-")));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), framework === "cdktf" ? text : inTerrain(text));
  };
  write("package.json", JSON.stringify({ name: "project", private: true }));
  write(
    "cdktf.json",
    JSON.stringify({
      language: "typescript",
      app: "TSX_DISABLE_CACHE=1 node --import tsx main.ts",
      projectId: "test",
      sendCrashReports: "false",
    }),
  );
  write("main.ts", app);
  for (const [path, text] of Object.entries(files)) write(path, text);
  for (const name of ["cdktf-iam-tokens", ...packages])
    installFor(framework, name, join(folder, "node_modules"));
  return {
    folder,
    /** The folder in which Terraform runs for a stack. */
    stackFolder: (stack: string) => join(folder, "cdktf.out/stacks", stack),
    /** Replaces the app's source. */
    writeApp: (text: string) => write("main.ts", text),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const DEFAULT_PACKAGES = ["cdktf", "constructs", "@cdktf/provider-null", "tsx"];
