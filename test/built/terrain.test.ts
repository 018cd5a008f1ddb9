import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { packageRoot } from "../support/project";
import { useScratch } from "../support/scratch";
import { writeTerrainPackage } from "../support/terrain";

/** The packed files, by path in the package: in cdktf-iam-tokens, and in cdktn-iam-tokens. */
const files = new Map<string, { readonly cdktf: Buffer; readonly cdktn: Buffer }>();

const scratch = useScratch("block");

beforeAll(() => {
  const { folder } = scratch;
  writeTerrainPackage(folder);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = relative(folder, join(entry.parentPath, entry.name));
    const [cdktf, cdktn] = [packageRoot, folder].map((each) => readFileSync(join(each, path)));
    if (cdktf !== undefined && cdktn !== undefined) files.set(path, { cdktf, cdktn });
  }
});

test("both have the same files, with the same modes", () => {
  const modes = (root: string) =>
    [...files.keys()].map((path) => `${path} ${statSync(join(root, path)).mode}`);
  expect(modes(scratch.folder)).toEqual(modes(packageRoot));
  const built = readdirSync(join(packageRoot, "dist"), { recursive: true, withFileTypes: true });
  const paths = built
    .filter((entry) => entry.isFile())
    .map((entry) => relative(packageRoot, join(entry.parentPath, entry.name)));
  expect([...files.keys()]).toEqual(expect.arrayContaining(paths));
});

test("programs differ only in their imports and in the framework's name", () => {
  const differing = [...files].filter(
    ([path, { cdktf, cdktn }]) => /^dist\/.*\.js$/.test(path) && !cdktf.equals(cdktn),
  );
  expect(differing.length).toBeGreaterThan(2);
  for (const [path, { cdktf, cdktn }] of differing)
    expect([path, String(cdktn)]).toEqual([
      path,
      String(cdktf).replaceAll(/"cdktf(?="|\/lib\/)/g, '"cdktn'),
    ]);
});

test("the embedded provider is the same, byte by byte", () => {
  const ofProvider = [...files].filter(([path]) => path.startsWith("dist/terraform/"));
  expect(ofProvider.length).toBeGreaterThan(8);
  expect(ofProvider.filter(([, { cdktf, cdktn }]) => !cdktf.equals(cdktn))).toEqual([]);
});

test("the manifest has its own name, command and peers", () => {
  const { cdktf, cdktn } = files.get("package.json") ?? {};
  const [ours, theirs] = [cdktf, cdktn].map((bytes) => JSON.parse(String(bytes)));
  const { scripts, devDependencies, ...shared } = ours;
  expect(theirs).toEqual({
    ...shared,
    name: "cdktn-iam-tokens",
    description: ours.description.replace("CDK for Terraform", "CDK Terrain"),
    keywords: ["cdktn", "cdk-terrain", ...ours.keywords],
    bin: {
      "cdktf-iam-tokens": "./dist/cli/main.js",
      "cdktn-iam-tokens": "./dist/cli/main.js",
      "iam-tokens": "./dist/cli/main.js",
      "iam-tokens-identity-server": "./dist/testing/main.js",
    },
    peerDependencies: { cdktn: ">=0.24.0 <1", constructs: "^10.6.0" },
  });
});

test("pages name the other package, and keep what both have", () => {
  // Python's name for the null provider has CDKTF's name twice, and CDK Terrain's once.
  const never = /cdktn-cdktn|npm\.invalid\/cdktn|cdktn\.(json|out)/;
  const other = /(?<!npm\.invalid\/|github\.com\/|io\.github\.)\bcdktf\b(?!\.(json|out))/;
  const wrong = [...files].flatMap(([path, { cdktn }]) =>
    !path.endsWith(".md") ||
    /^(CHANGELOG|ARCHITECTURE|CONTRIBUTING|docs\/(api\/)?(speed|terrain))\.md$/.test(path)
      ? []
      : String(cdktn)
          .split("\n")
          .filter((line) => never.test(line) || (other.test(line) && !/cdktn|Terrain/.test(line)))
          .map((line) => `${path}: ${line}`),
  );
  expect(wrong).toEqual([]);
  expect(String(files.get("README.md")?.cdktn)).toContain(
    "npm i cdktn-iam-tokens cdktn constructs",
  );
});
