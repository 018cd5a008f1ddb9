import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { succeed } from "../support/package-manager";
import { packageRoot } from "../support/project";
import { describeIf } from "../support/skips";
import { TOOLS } from "./packed-package";
import { program } from "./page";

const PACMAK = join(TOOLS, "jsii-pacmak/bin/jsii-pacmak");
/** Sources, where there is no .NET; the pack leaves them. */
const packed = join(packageRoot, "packed/dotnet");

/** Names of C#'s own library, and of the program. */
const OTHERS = ["System", "Collections", "Generic", "WebStack"];

/** All C# below a folder, without comments. */
function sourcesIn(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".cs"))
    .map((name) => readFileSync(join(folder, name), "utf8").replaceAll(/\/\/.*/g, ""))
    .join("\n");
}

const names = existsSync(packed) ? readdirSync(packed) : [];
const isPacked = names.some((name) => name.endsWith("-sources"));

// There is no .NET SDK here to compile with: what can be seen of a program is whether the names
// that it uses are there.
describeIf(isPacked, "no sources in packed/dotnet")("C#, which no test compiles", () => {
  test.each(["cdktf", "cdktn"] as const)(
    "the page's program uses names that the package for %s and its framework have",
    async (framework) => {
      const outdir = mkdtempSync(join(realpathSync(tmpdir()), "iam-dotnet-"));
      try {
        const options = ["--targets", "dotnet", "--code-only", "--no-npmignore"];
        const from = join(packageRoot, "node_modules", framework);
        const args = [PACMAK, ...options, "--outdir", outdir, from];
        await succeed(process.execPath, args, packageRoot);
        const own = names.find((name) => name.startsWith(`${framework}-`)) ?? "";
        const known = sourcesIn(join(packed, own)) + sourcesIn(outdir);
        const code = program(framework, "Program.cs").replaceAll(/\/\/.*|"(?:[^"\\]|\\.)*"/g, "");
        const used = new Set(code.match(/\b[A-Z]\w+/g));
        const missing = [...used].filter(
          (name) => !OTHERS.includes(name) && !new RegExp(`\\b${name}\\b`).test(known),
        );
        expect(used.size).toBeGreaterThan(20);
        expect(missing).toEqual([]);
      } finally {
        rmSync(outdir, { recursive: true });
      }
    },
    120_000,
  );
});
