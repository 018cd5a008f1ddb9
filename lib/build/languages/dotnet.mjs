// NuGet packages from jsii-pacmak's output: its project, with the API reference in it.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { addReference } from "./reference.mjs";
import { run } from "./tools.mjs";

/** @param source jsii-pacmak's output, whose folder with a project is changed */
export function addToProject(source, folder, root) {
  const { jsii } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const id = jsii.targets.dotnet.packageId;
  const path = join(source, id, `${id}.csproj`);
  const text = readFileSync(path, "utf8");
  const item =
    '  <ItemGroup>\n    <None Include="API.md" Pack="true" PackagePath="/" />\n  </ItemGroup>\n';
  writeFileSync(path, text.replace(/(?=<\/Project>)/, item));
  addReference(root, folder, "csharp", join(source, id));
  return join(source, id);
}

/** The package, in outdir; no .NET SDK has tried it yet. */
export function buildNuGet(source, folder, outdir, { root }) {
  const project = addToProject(source, folder, root);
  mkdirSync(outdir, { recursive: true });
  const options = ["--configuration", "Release", "-p:ContinuousIntegrationBuild=true"];
  run("dotnet", ["pack", ...options, "--output", outdir], { cwd: project });
  if (!readdirSync(outdir).some((name) => name.endsWith(".nupkg")))
    throw new Error(`dotnet pack has left no package in ${outdir}.`);
}
