import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { packageRoot } from "../support/project";
import { writeTerrainPackage } from "../support/terrain";

/** The packed files, by path in the package: in cdktf-iam-tokens, and in cdktn-iam-tokens. */
const files = new Map<string, { readonly cdktf: Buffer; readonly cdktn: Buffer }>();

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "iam-terrain-"));
  writeTerrainPackage(folder);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = relative(folder, join(entry.parentPath, entry.name));
    const [cdktf, cdktn] = [packageRoot, folder].map((each) => readFileSync(join(each, path)));
    if (cdktf !== undefined && cdktn !== undefined) files.set(path, { cdktf, cdktn });
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("both have the same files, with the same modes", () => {
  const modes = (root: string) =>
    [...files.keys()].map((path) => `${path} ${statSync(join(root, path)).mode}`);
  expect(modes(folder)).toEqual(modes(packageRoot));
  const built = readdirSync(join(packageRoot, "dist"), { recursive: true, withFileTypes: true });
  const paths = built
    .filter((entry) => entry.isFile())
    .map((entry) => relative(packageRoot, join(entry.parentPath, entry.name)));
  expect([...files.keys()]).toEqual(expect.arrayContaining(paths));
});

/** The lines in which the two differ, of each kind of file; a program's are its statements. */
function differences(
  kind: RegExp,
  separator: string | RegExp = "\n",
  without = /(?!)/g,
): [string, string][] {
  return [...files].flatMap(([path, { cdktf, cdktn }]) => {
    if (!kind.test(path)) return [];
    const [ours, theirs] = [cdktf, cdktn].map((bytes) =>
      bytes.toString("utf8").replace(without, "").split(separator),
    );
    expect([path, theirs?.length]).toEqual([path, ours?.length]);
    return (ours ?? []).flatMap((line, at): [string, string][] =>
      line === theirs?.[at] ? [] : [[line, theirs?.[at] ?? ""]],
    );
  });
}

test("programs differ only in their imports and in the framework's name", () => {
  const comments = /^ *\/\*\*[\s\S]*?\*\/$|^\/\/ .*$/gm;
  const found = differences(/^dist\/.*\.js$/, /(?<=[;,{}])/, comments);
  expect(found.length).toBeGreaterThan(20);
  for (const [ours, theirs] of found) {
    expect(ours).toMatch(/^\s*(var )?\w+ ?= ?require\("cdktf"\)[,;]$|^ ?name: ?"cdktf" ?\}$/);
    expect(theirs).toBe(ours.replace('"cdktf"', '"cdktn"'));
  }
  expect(new Set(found.map(([ours]) => /require|name/.exec(ours)?.[0]))).toEqual(
    new Set(["require", "name"]),
  );
});

test("declarations differ in what they import, and in comments", () => {
  const found = differences(/^dist\/.*\.d\.ts$/);
  expect(found.length).toBeGreaterThan(10);
  for (const [ours, theirs] of found) {
    expect(ours).toMatch(/^(import .* from "cdktf";|\s*(\/\*)?\*.*)$/);
    expect(theirs).toBe(ours.replaceAll("cdktf", "cdktn").replaceAll("CDKTF", "CDKTN"));
  }
});

test("the embedded provider and all other files are the same, byte by byte", () => {
  const same = [...files].filter(([, { cdktf, cdktn }]) => cdktf.equals(cdktn));
  const names = same.map(([path]) => path);
  const others = [...files.keys()].filter(
    (path) =>
      path.startsWith("dist/terraform/") ||
      !/\.(js|d\.ts|cdx\.json|md)$|^(package\.json|llms\.txt)$|^(examples\/.*\.(ts|json)$|docs\/languages\/)/.test(
        path,
      ),
  );
  expect(others.length).toBeGreaterThan(8);
  expect(names).toEqual(
    expect.arrayContaining([
      ...others,
      ...["CHANGELOG.md", "docs/speed.md"],
      // It says what to remove and what to install instead: both names are right there.
      "docs/terrain.md",
    ]),
  );
});

test("the SBOM names the package that it is in", () => {
  const found = differences(/\.cdx\.json$/);
  expect(found).toHaveLength(4);
  for (const [ours, theirs] of found)
    expect(theirs).toBe(ours.replace("cdktf-iam-tokens", "cdktn-iam-tokens"));
});

test("the manifest has its own name, command and peers", () => {
  const { cdktf, cdktn } = files.get("package.json") ?? {};
  const [ours, theirs] = [cdktf, cdktn].map((bytes) => JSON.parse(String(bytes)));
  const OWN = [
    ...["name", "description", "keywords", "bin", "peerDependencies", "peerDependenciesMeta"],
    ...["scripts", "devDependencies"],
  ];
  for (const key of new Set([...Object.keys(ours), ...Object.keys(theirs)]))
    if (!OWN.includes(key)) expect([key, theirs[key]]).toEqual([key, ours[key]]);
  expect(theirs.name).toBe("cdktn-iam-tokens");
  expect(theirs.bin).toEqual({
    "cdktn-iam-tokens": "./dist/cli/main.js",
    "iam-tokens": "./dist/cli/main.js",
    "iam-tokens-identity-server": "./dist/testing/main.js",
  });
  expect(theirs.peerDependencies).toEqual({
    cdktn: ">=0.24.0 <1",
    constructs: "^10.6.0",
  });
  // Registries of constructs list what has the keyword cdktf.
  expect(theirs.keywords).toEqual(expect.arrayContaining(["cdktf", "cdktn", "cdk-terrain"]));
  expect(JSON.stringify({ ...theirs, author: "", keywords: [] })).not.toMatch(/cdktf/i);
});

test("examples differ in the names of framework and package", () => {
  const found = differences(/^examples\/.*\.(ts|json)$/);
  expect(found.length).toBeGreaterThan(20);
  for (const [ours, theirs] of found)
    expect(theirs).toBe(
      ours.replaceAll(/cdktf(?!\.(json|out))/g, "cdktn").replaceAll(/CDKTF(?!_)/g, "CDKTN"),
    );
});

test("the page on moving removes each peer of the one, and installs each of the other", () => {
  // npm refuses to install cdktn beside a version of constructs that only cdktf accepts.
  const page = readFileSync(join(packageRoot, "docs/terrain.md"), "utf8");
  const [out = "", into = ""] = ["uninstall", "install"].map(
    (verb) => new RegExp(`\\d\\. \`npm ${verb} ([^\`&]*)`).exec(page)?.[1] ?? "",
  );
  const [ours, theirs] = (["cdktf", "cdktn"] as const).map((name) =>
    JSON.parse(String(files.get("package.json")?.[name])),
  );
  const names = ({ name, peerDependencies, peerDependenciesMeta }: typeof ours) =>
    [name, ...Object.keys({ ...peerDependencies, ...peerDependenciesMeta })].sort();
  expect(out.trim().split(" ").sort()).toEqual([...names(ours), "cdktf-cli"].sort());
  expect(into.trim().split(" ").sort()).toEqual(names(theirs));
});

test("pages name the other package, and keep what both have", () => {
  // Python's name for the null provider has CDKTF's name twice, and CDK Terrain's once.
  const never = /cdktn-cdktn|npm\.invalid\/cdktn|cdktn\.(json|out)/;
  const other = /(?<!npm\.invalid\/|github\.com\/|io\.github\.)\bcdktf\b(?!\.(json|out))/;
  const wrong = [...files].flatMap(([path, { cdktn }]) => {
    if (!path.endsWith(".md") || path === "docs/terrain.md") return [];
    if (/^(CHANGELOG|ARCHITECTURE|CONTRIBUTING|docs\/speed)\.md$/.test(path)) return [];
    return cdktn
      .toString("utf8")
      .split("\n")
      .filter((line) => never.test(line) || (other.test(line) && !/cdktn|Terrain/.test(line)))
      .map((line) => `${path}: ${line}`);
  });
  expect(wrong).toEqual([]);
  const readme = String(files.get("README.md")?.cdktn);
  expect(readme).toContain("npm i cdktn-iam-tokens cdktn constructs");
  expect(readme).toContain("that your CDK Terrain stacks need");
  expect(String(files.get("docs/run.md")?.cdktn)).toContain(
    "npx cdktn-iam-tokens run -- cdktn deploy",
  );
});
