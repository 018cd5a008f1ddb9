import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { rows } from "../platforms/rows";
import { readPage } from "../support/pages";
import { packageRoot } from "../support/project";

/** jsii's settings for each language. */
interface Targets {
  readonly python: { readonly distName: string };
  readonly go: { readonly moduleName: string; readonly packageName: string };
  readonly java: { readonly package: string; readonly maven: Record<string, string> };
}

const tableOf = (page: string): readonly (readonly string[])[] =>
  readFileSync(join(packageRoot, "docs", page), "utf8")
    .match(/^\| .*/gm)
    ?.map((line) => line.slice(2, -2).split(" | ")) ?? [];

test("docs/platforms.md has the oldest and newest versions that `npm test -- platforms` tests", () => {
  const versions = (name: string, all: readonly string[]) => {
    const sorted = all.filter((one) => one.startsWith(name)).map((one) => one.split(" ")[1] ?? "");
    sorted.sort((one, other) => one.localeCompare(other, "en", { numeric: true }));
    return `${name} ${sorted[0]} to ${sorted.at(-1)}`;
  };
  const ofNode = rows().flatMap(({ node }) => (node === "none" ? [] : [`Node.js ${node}`]));
  const clients = rows().map(({ client }) => client);
  const page = readPage("docs/platforms.md");
  for (const range of [
    versions("Node.js", ofNode),
    versions("Terraform", clients),
    versions("OpenTofu", clients),
  ])
    expect(page).toContain(range);
});

test("docs/languages.md has the names under which the packages are published", () => {
  const printed = execFileSync(
    process.execPath,
    [
      "--input-type=module",
      "--eval",
      `import { targetsOf } from "./lib/build/names.mjs";
      console.log(JSON.stringify(["cdktf", "cdktn"].map(targetsOf)));`,
    ],
    { cwd: packageRoot, encoding: "utf8" },
  );
  const columns = JSON.parse(printed).map(({ python, go, java }: Targets) => {
    const { groupId, artifactId } = java.maven;
    return [
      python.distName,
      `${go.moduleName}/${go.packageName}`,
      `${groupId}:${artifactId}`,
      java.package,
    ];
  });
  const [, ...lines] = tableOf("languages.md");
  expect(
    [1, 2].map((at) => lines.slice(0, 4).map((line) => line[at]?.replaceAll("`", ""))),
  ).toEqual(columns);
});
