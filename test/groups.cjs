// The groups of tests: `npm test -- GROUP…` runs them (test/run.mjs). Each run names the groups
// that it leaves out, with what they need.
//
// Most are projects of jest (jest.config.cjs): `files` are in test, `without` are left out, and
// `later` too where no group is named: files that look again at what others prove, or that a change
// of a page, a tool or another program breaks. A
// project with `of` belongs to that group. `before` are programs that run first. A group with
// `program` is no project of jest.

module.exports = {
  unit: {
    files: ["*/**"],
    without: [
      ...["scenarios/", "programs/", "keystone/{keystone,openstacksdk}", "load/", "languages/"],
      ...["built/build", "house/registry-job"],
    ],
    later: [
      ...["built/two-versions", "plugin/handover/own-server", "plugin/launcher/debugger"],
      "rotation/fifty-days",
      "testing/identity-server-command",
    ],
    needs: "Node.js",
  },
  scenarios: {
    files: ["scenarios/**"],
    later: [
      ...["fresh-checkouts", "interrupted", "long-tokens", "other-tools"],
      ...["pages", "registry-pages", "run-pipeline", "terraform-and-a-provider"],
      "verify-at-refresh",
    ].map((name) => `scenarios/${name}`),
    needs: "Terraform",
  },
  programs: {
    files: ["programs/**"],
    without: ["programs/terrain/"],
    needs: "the cdktf command line, pnpm and Yarn, Go",
  },
  opentofu: {
    of: "programs",
    // Files of scenarios, once more: those in which a state, a saved plan, a log or the search for
    // providers is OpenTofu's own.
    files: [
      "scenarios/{delivery,doctor,ephemeral,fresh-checkouts,nowhere-else,plain-hcl}",
      "scenarios/{rotation,stored-token,synth,terraform-and-a-provider}",
    ],
    setupFiles: ["<rootDir>/test/support/jest/under-open-tofu.ts"],
    needs: "OpenTofu",
  },
  terrain: {
    // Files of unit tests, once more.
    files: ["constructs/**", "resolution/**"],
    without: ["constructs/framework/"],
    moduleNameMapper: { "^cdktf$": "cdktn" },
    needs: "cdktn",
    before: [["--import", "tsx", "test/support/prepare.ts", "cdktn"]],
  },
  "terrain-programs": {
    of: "terrain",
    // Files of programs, once more: those in which the command line itself takes part. And its own.
    files: [
      "programs/cdktf/{command-line,resolve-tokens}",
      "programs/examples/examples",
      "programs/terrain/**",
    ],
    setupFiles: ["<rootDir>/test/support/jest/under-cdk-terrain.ts"],
    needs: "the cdktn command line",
  },
  keystone: {
    files: ["keystone/{keystone,openstacksdk}"],
    env: { IAM_TOKENS_KEYSTONE: "install" },
    needs: "a real Keystone, which is installed (root, apt)",
  },
  languages: {
    files: ["languages/**"],
    before: [["test/languages/pack.mjs"]],
    needs: "Python, Go or Java, and packages of theirs",
  },
  load: { files: ["load/**"], needs: "minutes" },
  packaging: { program: ["test/packaging/check.mjs"], needs: "minutes" },
  build: { of: "packaging", files: ["{built/build,house/registry-job}"], needs: "minutes" },
  platforms: {
    program: ["--import", "tsx", "test/platforms/main.ts"],
    needs: "other systems, Node.js and Terraform, which -- platforms --install gets",
  },
};
