import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

/** The folder of this package. */
export const packageRoot = resolve(__dirname, "../..");

export interface ProjectOptions {
  /**
   * The text of the app: TypeScript, importing from `cdktf-iam-tokens` as a user does (which is
   * dist: build first).
   */
  readonly app: string;
  /** More files, by their path in the project. */
  readonly files?: Readonly<Record<string, string>>;
  /**
   * The packages of node_modules that the app finds beside this one. Default: cdktf, constructs,
   * @cdktf/provider-null and tsx.
   */
  readonly packages?: readonly string[];
}

/** A CDKTF project of a user, in a temporary folder. */
export interface Project {
  readonly folder: string;
  /** Where Terraform runs for a stack. */
  stackFolder(stack: string): string;
  /** Replaces the app's text. */
  writeApp(app: string): void;
  remove(): void;
}

/** Makes a project as `cdktf init` would, with links in the place of an installation. */
export function makeProject({
  app,
  files = {},
  packages = DEFAULT_PACKAGES,
}: ProjectOptions): Project {
  // The real path: Terraform and Node report that one, wherever the temporary folder links to.
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "iam-project-")));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
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
  link(packageRoot, join(folder, "node_modules/cdktf-iam-tokens"));
  for (const name of packages)
    link(join(packageRoot, "node_modules", name), join(folder, "node_modules", name));
  return {
    folder,
    stackFolder: (stack) => join(folder, "cdktf.out/stacks", stack),
    writeApp: (text) => write("main.ts", text),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const DEFAULT_PACKAGES = ["cdktf", "constructs", "@cdktf/provider-null", "tsx"];

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path, "dir");
}
