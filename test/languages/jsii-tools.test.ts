import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCommand } from "../support/command";
import { inherited, succeed } from "../support/package-manager";
import { packageRoot } from "../support/project";
import { testIf } from "../support/skips";
import { linkPeers, packInto, TOOLS, unpack } from "./packed-package";

// It packs, and translates every example into each language.
jest.setTimeout(600_000);

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
    await packInto(folder);
    for (const framework of FRAMEWORKS) {
      await unpack(folder, framework, framework);
      linkPeers(home(framework), framework);
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

  // Of cdktn-iam-tokens the repository has none: its packages get these, with its names.
  withTools("jsii-docgen makes the checked-in API references, of each language", async () => {
    const program = `
import { readFileSync } from "node:fs";
import { makeReferences } from "./lib/build/languages/reference.mjs";
import { inPage } from "./lib/build/terrain.mjs";
const found = makeReferences(process.cwd()).flatMap((its, at) => its.filter(([language, text]) => {
  const own = readFileSync("docs/api/" + language + ".md", "utf8");
  return text !== [own, inPage(own)][at];
}).map(([language]) => ["cdktf", "cdktn"][at] + ", docs/api/" + language + ".md: renew it with npm run docs"));
console.log(JSON.stringify(found));`;
    const args = ["--input-type=module", "-e", program];
    expect(JSON.parse(await succeed(process.execPath, args, packageRoot))).toEqual([]);
  });
});
