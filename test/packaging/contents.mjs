// Contents of the tarball, with modes and sizes.

import { homedir } from "node:os";
import { root } from "../../lib/build/project.mjs";
import { report } from "./problems.mjs";

const LAUNCHER = /^dist\/terraform\/terraform-provider-iam_v\d+\.\d+\.\d+(-[\w.]+)?$/;

/** Without a run bit, which Windows does not know; a synthesis gives it one. */
const WINDOWS_LAUNCHER = /^dist\/terraform\/windows\/terraform-provider-iam_v[\w.-]+\.exe$/;

/** Besides what npm and the package's own manifest name. */
const REQUIRED = [
  ...[
    "package.json",
    ".jsii",
    "LICENSE",
    "README.md",
    "docs/api/API.md",
    "docs/api/reference.md",
    "CHANGELOG.md",
    "SECURITY.md",
  ],
  ...["dist/index.js", "dist/index.d.ts", "dist/THIRD-PARTY-LICENSES.txt", "dist/sbom.cdx.json"],
  ...["dist/testing/index.js", "dist/testing/index.d.ts", "dist/testing/main.js"],
  ...["main", "run", "issue", "revoke-verify", "doctor", "schedule", "install", "attached"].map(
    (name) => `dist/cli/${name}.js`,
  ),
  ...["main", "provider", "objects", "identity", "clouds"].map(
    (name) => `dist/terraform/${name}.cjs`,
  ),
  ...["dist/terraform/LICENSE", "dist/terraform/THIRD-PARTY-LICENSES.txt"],
];

/** Started by themselves: the package's commands, and the scripts of the examples. */
const COMMANDS = /^dist\/(cli|testing)\/main\.js$|^examples\/.*\.sh$/;

/** In addition: the declarations that the public entries lead to, and the documentation. */
const ALLOWED = [
  LAUNCHER,
  WINDOWS_LAUNCHER,
  /^(ARCHITECTURE|CONTRIBUTING)\.md$/,
  /^dist\/(resolution\/issue-tokens|rotation\/croner)\.js$/,
  /^dist\/(constructs|resolution|tokens|provider\/schema|testing|identity\/schemas)\/[\w/-]+\.d\.ts$/,
  /^docs\/(api\/)?[\w-]+\.(md|svg)$/,
  /^docs\/languages\/\w+\.(py|mod|go|xml|java)$/,
  // In folders by themselves, and nothing that a run of one leaves behind.
  /^examples\/(?!.*(?:cdktf\.out|\.terraform|\.gen|tfstate))[\w./@-]+\.(ts|md|json|tf|sh|ya?ml)$/,
];

/**
 * Bytes of what is loaded at each launch or synthesis, and of all. About a third above what they
 * are: what crosses a line is to be looked at, not only added.
 */
const BUDGETS = {
  "dist/index.js": 260_000,
  "dist/terraform/provider.cjs": 60_000,
  "dist/terraform/objects.cjs": 210_000,
  "dist/terraform/identity.cjs": 480_000,
  "dist/terraform/clouds.cjs": 270_000,
  "dist/cli/main.js": 110_000,
};
const TARBALL_BUDGET = 3_600_000;

export function checkContents({ entries }) {
  const names = entries.map(({ name }) => name);
  report([
    ...REQUIRED.filter((name) => !names.includes(name)).map((name) => `Not there: ${name}`),
    ...[LAUNCHER, WINDOWS_LAUNCHER]
      .filter((pattern) => names.filter((name) => pattern.test(name)).length !== 1)
      .map((pattern) => `Not there once: ${pattern}`),
    ...names
      .filter((name) => !REQUIRED.includes(name) && !ALLOWED.some((each) => each.test(name)))
      .map((name) => `Not expected: ${name}`),
  ]);
  return `${names.length} files`;
}

export function checkModes({ entries }) {
  const executable = entries.filter(({ mode }) => (mode & 0o111) === 0o111).map(({ name }) => name);
  const expected = entries
    .map(({ name }) => name)
    .filter((name) => LAUNCHER.test(name) || COMMANDS.test(name));
  report([
    ...expected.filter((name) => !executable.includes(name)).map((name) => `No run bit: ${name}`),
    ...executable
      .filter((name) => !expected.includes(name))
      .map((name) => `A run bit for no reason: ${name}`),
    ...entries
      .filter(({ mode }) => (mode & 0o022) !== 0)
      .map(({ name }) => `Writable by others: ${name}`),
  ]);
}

export function checkPaths({ entries }) {
  const patterns = [
    ["the checkout's folder", new RegExp(literally(root))],
    ["the home folder", new RegExp(`${literally(homedir())}/`)],
    ["somebody's home folder", /\/(?:home|Users)\/[a-z]/],
    ["a source map", /sourceMappingURL=/],
    ["a path in node_modules", /["'`/ ]node_modules\/(?!\*|cdkt[fn]-iam-tokens\/examples)[@a-z]/],
  ];
  const texts = entries.map(({ name, content }) => ({ name, text: content.toString("latin1") }));
  report(
    texts.flatMap(({ name, text }) =>
      patterns.flatMap(([what, pattern]) => {
        const found = pattern.exec(text);
        return found === null
          ? []
          : [
              `${name} has ${what}: …${text.slice(Math.max(0, found.index - 40), found.index + 60)}…`,
            ];
      }),
    ),
  );
}

export function checkBudgets({ entries }) {
  const sizes = Object.entries(BUDGETS).map(([name, budget]) => ({
    name,
    budget,
    size: entries.find((entry) => entry.name === name)?.size ?? 0,
  }));
  const total = entries.reduce((sum, { size }) => sum + size, 0);
  sizes.push({ name: "all files", budget: TARBALL_BUDGET, size: total });
  report(
    sizes
      .filter(({ size, budget }) => size === 0 || size > budget)
      .map(({ name, size, budget }) => `${name}: ${size} bytes of ${budget}`),
  );
  return sizes
    .map(({ name, size }) => `${name.replace(/^.*\/(?=.*\/)/, "")} ${Math.ceil(size / 1000)} kB`)
    .join(", ");
}

function literally(text) {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
