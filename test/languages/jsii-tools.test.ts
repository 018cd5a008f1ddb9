import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCommand } from "../support/command";
import { inherited, succeed } from "../support/package-manager";
import { packageRoot } from "../support/project";
import { testIf } from "../support/skips";

// It packs, and translates every example into each language.
jest.setTimeout(600_000);

const TOOLS = join(packageRoot, "node_modules/.cache/languages/node_modules");
const FRAMEWORKS = ["cdktf", "cdktn"] as const;
const withTools = testIf(existsSync(join(TOOLS, "jsii-docgen")), "nothing is packed");

describe("jsii's tools read the packed package, without its optional peer", () => {
  let folder: string;
  const home = (framework: string) => join(folder, framework);
  const tool = (name: string, args: readonly string[], framework: string) =>
    startCommand(process.execPath, [join(TOOLS, name, "bin", name), ...args], {
      cwd: home(framework),
      env: { ...inherited(), TMPDIR: folder },
    }).finished;

  beforeAll(async () => {
    folder = mkdtempSync(join(realpathSync(tmpdir()), "iam-jsii-"));
    const pack = `import { packBoth } from "./lib/build/pack.mjs"; packBoth(${JSON.stringify(folder)})`;
    await succeed(process.execPath, ["--input-type=module", "-e", pack], packageRoot);
    for (const framework of FRAMEWORKS) {
      mkdirSync(join(home(framework), "node_modules"), { recursive: true });
      const tarball = `${framework}-iam-tokens-*.tgz`;
      await succeed(
        "sh",
        ["-c", `tar -xzf ${tarball} --strip-components=1 -C ${framework}`],
        folder,
      );
      for (const name of [framework, "constructs"])
        symlinkSync(
          join(packageRoot, "node_modules", name),
          join(home(framework), "node_modules", name),
        );
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  describe.each(FRAMEWORKS)("%s-iam-tokens", (framework) => {
    test("its fingerprint depends on its content alone, and not on where it was packed", () => {
      const path = join(home(framework), ".jsii");
      const { fingerprint, ...assembly } = JSON.parse(readFileSync(path, "utf8"));
      const hash = createHash("sha256").update(JSON.stringify(assembly)).digest("base64");
      expect(fingerprint).toBe(hash);
    });

    withTools("jsii-docgen documents it in each language", async () => {
      const languages = ["typescript", "python", "java", "csharp", "go"];
      const options = languages.flatMap((language) => ["--language", language]);
      expect(await tool("jsii-docgen", options, framework)).toMatchObject({ exitCode: 0 });
      for (const language of languages)
        expect(readFileSync(join(home(framework), `API.${language}.md`), "utf8")).toContain(
          "### ServiceUserToken",
        );
    });

    withTools("jsii-diff compares it with its next version", async () => {
      expect(await tool("jsii-diff", [".", "."], framework)).toMatchObject({ exitCode: 0 });
      const next = `${home(framework)}-next`;
      cpSync(home(framework), next, { recursive: true });
      const assembly = JSON.parse(readFileSync(join(next, ".jsii"), "utf8"));
      delete assembly.types[`${framework}-iam-tokens.TokenOutputs`];
      writeFileSync(join(next, ".jsii"), JSON.stringify(assembly));
      const { exitCode, text } = await tool(
        "jsii-diff",
        ["--error-on", "all", ".", next],
        framework,
      );
      expect(text).toMatch(/TokenOutputs.* has been removed/);
      expect(exitCode).toBe(1);
    });
  });
});
