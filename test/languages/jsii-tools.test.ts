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
import { presentVersion, promised, verdict } from "../compatibility/promise";
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
  });

  describe("the API of cdktf-iam-tokens", () => {
    /** What jsii-diff finds broken since then, in the present assembly or a changed one. */
    async function brokenSince(
      former: string,
      change = (assembly: string) => assembly,
    ): Promise<readonly string[]> {
      const [before, after] = ["former", "present"].map((name) => join(folder, name)) as [
        string,
        string,
      ];
      for (const path of [before, after]) {
        rmSync(path, { recursive: true, force: true });
        cpSync(home("cdktf"), path, { recursive: true, verbatimSymlinks: true });
      }
      writeFileSync(join(before, ".jsii"), former);
      writeFileSync(join(after, ".jsii"), change(readFileSync(join(after, ".jsii"), "utf8")));
      const args = ["--error-on", "all", before, after];
      const { exitCode, text } = await tool("jsii-diff", args, "cdktf");
      const broken = [...text.matchAll(/^err +- (.*)$/gm)].map(([, line = ""]) => line);
      expect([exitCode, broken.length > 0]).toEqual([broken.length > 0 ? 1 : 0, exitCode !== 0]);
      return broken;
    }

    withTools("keeps what the last release has promised", async () => {
      const { text, released } = promised("api.json");
      const broken = await brokenSince(text);
      const former = JSON.parse(text).version;
      expect(verdict({ broken, former, released, ...presentVersion() })).toBeUndefined();
    });

    withTools("does not keep it if a property is renamed", async () => {
      const present = readFileSync(join(home("cdktf"), ".jsii"), "utf8");
      const renamed = (text: string) => text.replaceAll('"name":"authUrl"', '"name":"address"');
      expect(await brokenSince(present, renamed)).toContain(
        "PROP cdktf-iam-tokens.IdentityServiceProps.authUrl: has been removed",
      );
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
