// The groups of tests: `npm test -- GROUP…` runs them (test/run.mjs). Each run names the groups
// that it leaves out, with what they need.
//
// Most are projects of jest (jest.config.cjs): `files` are in test, but for those with a `!`. A
// project with `of` belongs to that group. `before` are programs that run first. A group with
// `program` is no project of jest.

/** What starts programs: ours, a shell, Git, mkfifo. (The environment of jest refuses others.) */
const PROCESSES = [
  ...["built/**", "cli/**", "delivery/**", "kits/**", "pages/**", "toolchain/**"],
  ...["constructs/types", "house/{modules,regular-expressions}"],
  ...["identity/discovery", "identity/transport/{addresses,node-debug}"],
  ...["plugin/{handover,launch,launcher,serve}/**", "provider/{process,secrets}/**"],
  ...["provider/{main,sign-in-mistakes}", "provider/credentials/cloud-source"],
  ...["provider/objects/{static-token,ways}", "resolution/{issue-tokens,without-file}"],
  "testing/{identity-server-command,leak-scanner}",
];
/** cdktf itself asks Terraform for its version. */
const TERRAFORM = ["scenarios/**", "constructs/{embedded-provider,rotation-hook}"];
/** Folders of other groups. */
const OTHERS = ["programs/**", "load/**", "languages/**"];
const PACKAGING = ["built/build", "house/registry-job"];
const KEYSTONE = ["keystone/{keystone,openstacksdk}"];
const not = (glob) => `!${glob}`;

module.exports = {
  unit: {
    files: ["*/**", ...[...PROCESSES, ...TERRAFORM, ...OTHERS, ...PACKAGING, ...KEYSTONE].map(not)],
    needs: "Node.js",
  },
  processes: { files: [...PROCESSES, ...PACKAGING.map(not)], needs: "Node.js and a shell" },
  scenarios: { files: TERRAFORM, needs: "Terraform" },
  programs: {
    files: ["programs/**", "!programs/terrain/**"],
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
    files: ["constructs/**", "resolution/**", "!constructs/framework/**"],
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
    files: KEYSTONE,
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
  build: { of: "packaging", files: PACKAGING, needs: "minutes" },
  platforms: {
    program: ["--import", "tsx", "test/platforms/main.ts"],
    needs: "other systems, Node.js and Terraform, which -- platforms --install gets",
  },
};
