// Who may import whom; `npm run layers` proves it. Imports go one way.

/** For each room, part of a room or file of lib what it may import besides itself. */
const MAY_IMPORT = {
  "framework.ts": [],
  tokens: [],
  hcl: [],
  rotation: ["tokens"],
  identity: ["tokens"],
  plugin: [],
  provider: ["tokens", "rotation", "identity", "plugin"],
  delivery: ["framework.ts", "tokens", "hcl", "provider/names.ts"],
  constructs: [
    ...["framework.ts", "tokens", "hcl", "delivery"],
    ...["provider/names.ts", "provider/validators.ts"],
  ],
  "constructs/framework": ["framework.ts", "tokens", "hcl", "delivery"],
  "constructs/survey": [
    ...["tokens", "hcl", "delivery", "provider/names.ts", "provider/validators.ts"],
    ...["constructs/blocks", "constructs/credentials", "constructs/declarations"],
    ...["constructs/rotation/hook-script.ts", "constructs/values", "constructs/warnings.ts"],
    "constructs/framework",
  ],
  "constructs/credentials": ["tokens", "hcl", "constructs/blocks", "constructs/values"],
  "constructs/declarations": [
    ...["tokens", "provider/names.ts", "constructs/blocks", "constructs/values"],
    ...["constructs/warnings.ts", "constructs/framework"],
  ],
  "constructs/rotation": [
    ...["tokens", "rotation", "constructs/blocks", "constructs/values", "constructs/framework"],
  ],
  "constructs/blocks": [
    ...["tokens", "hcl", "delivery", "provider/names.ts", "provider/provider-source.ts"],
    ...["constructs/values", "constructs/framework"],
  ],
  "constructs/warnings.ts": ["tokens", "constructs/values"],
  "constructs/values": ["tokens", "provider/validators.ts", "constructs/framework"],
  resolution: ["framework.ts", "tokens", "delivery", "constructs"],
  "resolution/issue-tokens.ts": [
    "tokens",
    "plugin/cty/value.ts",
    "plugin/provider.ts",
    "provider",
    "resolution/issuing.ts",
  ],
  testing: ["tokens", "plugin/tls/server-identity.ts"],
  cli: ["framework.ts", "tokens", "rotation", "hcl", "identity", "plugin", "provider", "delivery"],
  "index.ts": ["constructs", "resolution"],
};

const under = (name) =>
  name.endsWith(".ts") ? `^lib/${name.replaceAll(".", "\\.")}$` : `^lib/${name}/`;

/** What stands in the table apart from the room that it is in has its own rule. */
const apart = (name) => Object.keys(MAY_IMPORT).filter((each) => each.startsWith(`${name}/`));

const rooms = Object.entries(MAY_IMPORT).map(([name, allowed]) => ({
  name: `${name}-imports`,
  comment: `may import: ${allowed.join(", ")}`,
  severity: "error",
  from: { path: under(name), pathNot: apart(name).map(under) },
  to: { path: "^lib/", pathNot: [name, ...allowed].map(under) },
}));

module.exports = {
  forbidden: [
    ...rooms,
    {
      name: "commander-in-commands-only",
      severity: "error",
      from: { path: "^lib/", pathNot: "^lib/(cli/|testing/identity-server-command\\.ts$)" },
      to: { path: "node_modules/commander" },
    },
    {
      name: "undici-in-transport-only",
      severity: "error",
      from: { path: "^lib/", pathNot: "^lib/identity/transport/" },
      to: { path: "node_modules/undici" },
    },
    {
      name: "requests-in-transport-only",
      severity: "error",
      from: { path: "^lib/identity/", pathNot: "^lib/identity/transport/" },
      to: { dependencyTypes: ["core"], path: "^(node:)?(http2?|https|net|tls|dgram|dns)$" },
    },
    {
      name: "cdktf-in-constructs-only",
      severity: "error",
      from: { path: "^lib/", pathNot: "^lib/(constructs/|resolution/|index\\.ts)" },
      to: { path: "node_modules/(cdktf|constructs|@cdktf)/" },
    },
    {
      name: "no-network-in-constructs",
      severity: "error",
      from: { path: under("constructs") },
      to: { dependencyTypes: ["core"], path: "^(node:)?(http2?|https|net|tls|dgram|dns)$" },
    },
    ...["tokens", "rotation"].map((pure) => ({
      name: `no-io-in-${pure}`,
      severity: "error",
      from: { path: under(pure) },
      to: { dependencyTypes: ["core"], pathNot: "^(node:)?(crypto|url|util)$" },
    })),
    {
      name: "examples-use-the-public-entries",
      severity: "error",
      from: { path: "^examples/" },
      to: { path: "^lib/", pathNot: "^lib/(index|testing/index)\\.ts$" },
    },
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    {
      name: "no-circles-of-folders",
      comment: "folders that import each other in both directions are one, or an arrow is wrong",
      severity: "error",
      scope: "folder",
      from: { path: "^lib/" },
      to: { circular: true },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    parser: "swc",
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      extensions: [".ts", ".js"],
      conditionNames: ["import", "require", "node", "default", "types"],
    },
  },
};
