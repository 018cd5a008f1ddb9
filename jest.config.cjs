// The tests' groups. `npm test` runs the first two; each run names the groups that it leaves out,
// with what they need and the script that runs them.

const { availableParallelism } = require("node:os");

const GROUPS = {
  unit: {
    files: ["*/**"],
    without: ["scenarios/", "programs/", "keystone/keystone", "load/"],
    needs: "Node.js",
    script: "test:quick",
  },
  scenarios: { files: ["scenarios/**"], needs: "Terraform", script: "test" },
  programs: {
    files: ["programs/**"],
    needs: "the cdktf command line, Go, OpenTofu, PostgreSQL, linters",
    script: "test:programs",
  },
  opentofu: {
    // Files of scenarios, once more.
    files: [
      "scenarios/rotation/**",
      "scenarios/{data,failures,plain-hcl,plain-hcl-page,plugin/managed-resources,synth}",
    ],
    setupFiles: ["<rootDir>/test/support/jest/under-open-tofu.ts"],
    needs: "OpenTofu",
    script: "test:programs",
  },
  keystone: {
    files: ["keystone/keystone"],
    needs: "a real Keystone",
    script: "test:keystone",
  },
  load: { files: ["load/**"], needs: "minutes", script: "test:load" },
};

const project = ([displayName, { files, without = [], setupFiles = [] }]) => ({
  displayName,
  testMatch: files.map((glob) => `<rootDir>/test/${glob.replace(/\*\*$/, "**/*")}.test.ts`),
  testPathIgnorePatterns: without.map((name) => `<rootDir>/test/${name}`),
  setupFiles,
  // For what hangs: nothing here is timed, and a busy machine may take twenty times as long.
  testTimeout: 60_000,
  cacheDirectory: "<rootDir>/node_modules/.cache/jest",
  transform: {
    "\\.ts$": ["@swc/jest", { jsc: { parser: { syntax: "typescript" }, target: "es2022" } }],
  },
});

module.exports = {
  // jest would leave one core idle; and many tests wait, for a process or for a timer.
  maxWorkers: availableParallelism() + 1,
  testSequencer: "<rootDir>/test/support/jest/longest-first.cjs",
  reporters: ["default", ["<rootDir>/test/support/jest/not-run.cjs", GROUPS]],
  projects: Object.entries(GROUPS).map(project),
};
