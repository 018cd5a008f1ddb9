// The tests' groups. `npm test` runs the first two; each run names the groups that it leaves out,
// with what they need and the script that runs them.

const { availableParallelism } = require("node:os");

// For the workers, which get it from here: tests make much that is soon garbage, and a larger space
// for it saves a tenth of their time.
process.execArgv.push("--max-semi-space-size=32");

const GROUPS = {
  unit: {
    files: ["*/**"],
    without: ["scenarios/", "programs/", "keystone/keystone", "load/", "languages/"],
    needs: "Node.js",
    script: "test:quick",
  },
  scenarios: { files: ["scenarios/**"], needs: "Terraform", script: "test" },
  programs: {
    files: ["programs/**"],
    without: ["programs/terrain/"],
    needs: "the cdktf command line, pnpm and Yarn, Go, OpenTofu, PostgreSQL, linters",
    script: "test:programs",
  },
  opentofu: {
    // Files of scenarios, once more.
    files: [
      "scenarios/rotation/**",
      "scenarios/{data,ephemeral,failures,nowhere-else,plain-hcl,plain-hcl-page,synth}",
      "scenarios/plugin/managed-resources",
    ],
    setupFiles: ["<rootDir>/test/support/jest/under-open-tofu.ts"],
    needs: "OpenTofu",
    script: "test:programs",
  },
  terrain: {
    // Files of unit tests, once more.
    files: ["constructs/**", "resolution/**"],
    without: ["constructs/framework/"],
    moduleNameMapper: { "^cdktf$": "cdktn" },
    needs: "cdktn",
    script: "test:terrain",
  },
  "terrain-programs": {
    // Files of programs, once more, and its own.
    files: [
      "programs/cdktf/{command-line,interrupted,package-managers,readme,resolve-tokens}",
      "programs/cdktf/{surroundings,three-stacks}",
      "programs/recipes/**",
      "programs/terrain/**",
    ],
    setupFiles: ["<rootDir>/test/support/jest/under-cdk-terrain.ts"],
    needs: "the cdktn command line",
    script: "test:terrain",
  },
  keystone: {
    files: ["keystone/keystone"],
    needs: "a real Keystone",
    script: "test:keystone",
  },
  languages: {
    files: ["languages/**"],
    needs: "Python, Go or Java, and packages of theirs",
    script: "test:languages",
  },
  load: { files: ["load/**"], needs: "minutes", script: "test:load" },
};

const project = ([
  displayName,
  { files, without = [], setupFiles = [], moduleNameMapper = {} },
]) => ({
  displayName,
  testMatch: files.map((glob) => `<rootDir>/test/${glob.replace(/\*\*$/, "**/*")}.test.ts`),
  testPathIgnorePatterns: without.map((name) => `<rootDir>/test/${name}`),
  setupFiles,
  moduleNameMapper,
  cacheDirectory: "<rootDir>/node_modules/.cache/jest",
  testEnvironment: "<rootDir>/test/support/jest/environment.cjs",
  transform: {
    "\\.ts$": ["@swc/jest", { jsc: { parser: { syntax: "typescript" }, target: "es2022" } }],
  },
});

module.exports = {
  // jest would leave one core idle; and many tests wait, for a process or for a timer.
  maxWorkers: availableParallelism() + 1,
  testSequencer: "<rootDir>/test/support/jest/longest-first.cjs",
  // For what hangs: nothing here is timed, and a busy machine may take twenty times as long. (In a
  // project's own part jest takes no notice of it.)
  testTimeout: 60_000,
  reporters: ["default", ["<rootDir>/test/support/jest/not-run.cjs", GROUPS]],
  projects: Object.entries(GROUPS).map(project),
};
