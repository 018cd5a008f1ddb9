// The tables of platforms, made from what `npm test -- platforms --write` leaves: README.md has
// a row for each platform, docs/platforms.md one for each Terraform or OpenTofu on it.
// `node test/packaging/platform-table.mjs` fails when one is stale; `--update` renews them.
import { readFileSync, writeFileSync } from "node:fs";
import { tsImport } from "tsx/esm/api";

const { PLATFORMS } = await tsImport("../../lib/delivery/platforms.ts", import.meta.url);
const results = JSON.parse(
  readFileSync(new URL("../platforms/results.json", import.meta.url), "utf8"),
);

const [BEGIN, END] = [
  "<!-- Made from test/platforms/results.json by `npm run docs`. -->",
  "<!-- End of the table. -->",
];
const SYSTEMS = { darwin: "macOS", linux: "Linux", windows: "Windows" };
const NO_MACHINE = "not tested: no such machine";

/** Says "tested" only of platforms that were run, and how, if not on a machine of their own. */
function wordsFor({ platform, outcome, why }) {
  if (outcome === "skipped")
    return `not tested: ${why.startsWith("not in the cache") ? "not built when the others ran" : why}`;
  const by = platform.includes("(Wine)")
    ? " under Wine"
    : platform.includes("(qemu-user)")
      ? " under emulation"
      : "";
  return outcome === "passed" ? `tested${by}` : `**fails**${by}`;
}

const detailsOf = (result) =>
  result.outcome === "skipped"
    ? wordsFor(result)
    : `${wordsFor(result)}, ${result.date}, ${result.commit}`;

/** The platforms that the package has a folder for, and no result. */
function untested() {
  const names = PLATFORMS.map((platform) => {
    const [system, processor] = platform.split("_");
    return `${SYSTEMS[system]} ${processor}`;
  });
  return names.filter((name) => !results.some(({ platform }) => platform.startsWith(name)));
}

/** Each key with the results that have it, in the order of the first of them. */
function grouped(keyOf) {
  const found = new Map();
  for (const result of results) {
    const key = JSON.stringify(keyOf(result));
    found.set(key, [...(found.get(key) ?? []), result]);
  }
  return [...found];
}
const joined = (values) => [...new Set(values)].join(", ");

/** Results that differ only by Node.js share one line. */
function details() {
  const lines = grouped((result) => [
    result.platform,
    result.client,
    result.modes,
    detailsOf(result),
  ]);
  return [
    "| platform | Terraform or OpenTofu | Node.js | provider | result |",
    "|---|---|---|---|---|",
    ...lines.map(([key, rows]) => {
      const [platform, client, modes, words] = JSON.parse(key);
      const nodes = joined(rows.map(({ node }) => node));
      return `| ${platform} | ${client} | ${nodes} | ${modes} | ${words} |`;
    }),
    ...untested().map((name) => `| ${name} | | | | ${NO_MACHINE} |`),
  ];
}

/** Results of a platform share one line as long as they are of one kind. */
function summary() {
  const lines = grouped((result) => [result.platform, wordsFor(result)]);
  const versions = (rows, product) =>
    joined(
      rows
        .filter(({ client }) => client.startsWith(product))
        .map(({ client }) => client.slice(product.length + 1))
        .sort((a, b) => a.localeCompare(b, "en", { numeric: true })),
    );
  return [
    "| platform | Node.js | Terraform | OpenTofu | result |",
    "|---|---|---|---|---|",
    ...lines.map(([key, rows]) => {
      const [platform, words] = JSON.parse(key);
      const nodes = joined(rows.map(({ node }) => node));
      return `| ${platform} | ${nodes} | ${versions(rows, "Terraform")} | ${versions(rows, "OpenTofu")} | ${words} |`;
    }),
    ...untested().map((name) => `| ${name} | | | | ${NO_MACHINE} |`),
  ];
}

for (const [page, lines] of [
  ["README.md", summary()],
  ["docs/platforms.md", details()],
]) {
  const file = new URL(`../../${page}`, import.meta.url);
  const table = [BEGIN, "", ...lines, "", END].join("\n");
  const before = readFileSync(file, "utf8");
  const [from, to] = [before.indexOf(BEGIN), before.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`${page} has no place for the table: ${BEGIN}`);
  const after = before.slice(0, from) + table + before.slice(to + END.length);
  if (after !== before && process.argv.includes("--update")) writeFileSync(file, after);
  else if (after !== before) {
    console.error(`${page}: the table of platforms is stale: npm run docs`);
    process.exitCode = 1;
  }
}
