import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../support/project";

/** Sources and pages, by their paths. */
const files = [
  ...readdirSync(packageRoot),
  ...["lib", "test", "docs", "examples"].flatMap((folder) =>
    readdirSync(join(packageRoot, folder), { recursive: true, encoding: "utf8" }).map((path) =>
      join(folder, path).replaceAll("\\", "/"),
    ),
  ),
];

const textOf = (path: string) => readFileSync(join(packageRoot, path), "utf8");

/** Pages, and the comments of the code. */
const texts = [
  ...["ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"].map((path) => [path, textOf(path)]),
  ...[...files.filter((path) => /^lib\/.*\.(ts|mjs)$/.test(path)), ".dependency-cruiser.cjs"].map(
    (path) => [path, (textOf(path).match(/^\s*(?:\/\/|\/?\*).*$/gm) ?? []).join("\n")],
  ),
] as [path: string, text: string][];

/** Files of dist and of the provider's folder are not sources. */
const BUILT = /^(dist|terraform\.d)\/|^(main|provider|objects|identity|clouds)\.cjs$/;

test("the seven names of the top level, and the six packages, stay and are used", () => {
  const names = ["lib", "examples", "test", "cdktf.json", "package.json", "tsconfig.json"];
  expect(readdirSync(packageRoot)).toEqual(expect.arrayContaining([...names, "README.md"]));
  const { devDependencies, peerDependencies } = JSON.parse(textOf("package.json"));
  const users = {
    ...{ cdktf: "lib/constructs/identity-service.ts", constructs: "lib/constructs/warnings.ts" },
    ...{ "@cdktf/provider-null": "examples/rotation/main.ts", jest: "test/run.mjs" },
    ...{
      undici: "lib/identity/transport/single-use-client.ts",
      zod: "lib/testing/config/settings.ts",
    },
  };
  for (const [name, path] of Object.entries(users)) {
    expect({ ...devDependencies, ...peerDependencies }).toHaveProperty([name]);
    expect(textOf(path)).toMatch(new RegExp(`(from|resolve\\()\\s*"${name}[/"]`));
  }
});

test("files and folders that are named in pages and comments exist", () => {
  const missing = texts.flatMap(([path, text]) =>
    [
      ...text.matchAll(/(?<![\w./-])(?:[\w-]+\/)*[\w.-]*[\w-]\.(?:ts|mjs|cjs|sh|md)\b/g),
      ...text.matchAll(/(?<![\w./-])(?:lib|test|docs|examples)\/[\w-]+[\w/-]*(?![\w.*-])/g),
    ]
      .map(([name]) => name.replace(/\/$/, ""))
      .filter((name) => !BUILT.test(name))
      .filter(
        (name) => !files.some((file) => file.startsWith(name) || `/${file}`.endsWith(`/${name}`)),
      )
      .map((name) => `${path}: ${name}`),
  );
  expect(missing).toEqual([]);
});

test("chapters that are named in pages and comments exist", () => {
  const missing = texts.flatMap(([path, text]) =>
    [...text.matchAll(/(?<![\w./-])([\w/-]+\.md), "([^"]+)"/g)]
      .filter(([, page = "", chapter = ""]) =>
        [":", "\n"].every((end) => !textOf(page).includes(`# ${chapter}${end}`)),
      )
      .map(([name]) => `${path}: ${name}`),
  );
  expect(missing).toEqual([]);
});

test("SECURITY.md names the tests of each threat, and that of each measure in test/mutants", () => {
  const page = textOf("SECURITY.md");
  const measures: readonly Record<"measure" | "file" | "from" | "test", string>[] = JSON.parse(
    textOf("test/mutants/measures.json"),
  );
  const parts = page.split(/\n\n+|\n(?=- \*\*)/);
  const threats = page
    .slice(page.indexOf("## Threats"), page.indexOf("## Limits"))
    .split("\n\n")
    .filter((part) => part.startsWith("**"));
  expect(threats.length).toBeGreaterThan(20);
  const isProven = (part: string) =>
    /\n\((?:`test\/[\w/-]+\.test\.ts`(?:, )?)+\)$/.test(part.trimEnd());
  expect(threats.filter((part) => !isProven(part))).toEqual([]);
  const isNamed = ({ measure, test }: (typeof measures)[number]) =>
    parts.some((part) => part.includes(measure) && part.includes(`\`test/${test}.test.ts\``));
  expect(measures.filter((row) => !isNamed(row))).toEqual([]);
  // Otherwise only a run of all measures, which takes half an hour, finds a row that lost its code.
  expect(measures.filter(({ file, from }) => !textOf(file).includes(from))).toEqual([]);
});
