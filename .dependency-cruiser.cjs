// Who may import whom (ARCHITECTURE.md, "Who may import whom"). Imports go one way; `npm run layers` proves it.
const room = (name) => `^lib/${name}/`;
const only = (from, allowed, comment) => ({
  name: `${from}-imports`,
  comment,
  severity: "error",
  from: { path: room(from) },
  to: { path: "^lib/", pathNot: [room(from), ...allowed] },
});

module.exports = {
  forbidden: [
    only("tokens", [], "tokens is pure: it imports no other room"),
    only(
      "identity",
      [room("tokens")],
      "identity knows tokens, and neither Terraform nor constructs",
    ),
    only("plugin", [], "plugin knows nothing of tokens: any provider could be served with it"),
    only(
      "provider",
      [room("tokens"), room("identity"), room("plugin")],
      "provider joins identity and plugin",
    ),
    only(
      "constructs",
      [room("tokens"), room("hcl"), room("delivery"), "^lib/provider/names\\.ts$"],
      "constructs know the provider's names, not its code",
    ),
    only(
      "delivery",
      [room("tokens"), room("hcl"), "^lib/provider/names\\.ts$"],
      "delivery writes beside a stack, and knows neither cdktf nor constructs",
    ),
    only(
      "resolution",
      [
        room("tokens"),
        room("constructs"),
        room("delivery"),
        room("provider"),
        "^lib/plugin/(provider|cty/value)\\.ts$",
      ],
      "resolution joins constructs and the provider",
    ),
    {
      name: "resolution-asks-by-the-provider",
      comment:
        "one file of resolution knows the provider; it is a bundle of its own, and knows nothing of constructs",
      severity: "error",
      from: { path: "^lib/resolution/", pathNot: "^lib/resolution/issue-tokens\\.ts$" },
      to: { path: "^lib/(provider|plugin|identity)/" },
    },
    {
      name: "issue-tokens-knows-no-constructs",
      severity: "error",
      from: { path: "^lib/resolution/issue-tokens\\.ts$" },
      to: { path: "^lib/constructs/" },
    },
    only(
      "testing",
      [room("tokens"), "^lib/identity/schemas/", "^lib/plugin/tls/x509\\.ts$"],
      "testing must start fast and without cdktf; it makes certificates as the plugin server does",
    ),
    only(
      "cli",
      [
        room("tokens"),
        room("identity"),
        room("plugin"),
        room("provider"),
        room("delivery"),
        room("hcl"),
      ],
      "the command joins the rooms, and needs no cdktf",
    ),
    {
      name: "croner-in-one-module",
      comment: "the build puts it into that module (lib/build/bundles.mjs)",
      severity: "error",
      from: { path: "^lib/", pathNot: "^lib/tokens/rotation/cron\\.ts$" },
      to: { path: "node_modules/croner" },
    },
    {
      name: "commander-in-cli-only",
      severity: "error",
      from: { path: "^lib/", pathNot: "^lib/cli/" },
      to: { path: "node_modules/commander" },
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
      from: { path: room("constructs") },
      to: { dependencyTypes: ["core"], path: "^(node:)?(http2?|https|net|tls|dgram|dns)$" },
    },
    {
      name: "no-io-in-tokens",
      severity: "error",
      from: { path: room("tokens") },
      to: { dependencyTypes: ["core"], pathNot: "^(node:)?(crypto|url|util)$" },
    },
    {
      name: "examples-use-the-public-entries",
      severity: "error",
      from: { path: "^examples/" },
      to: { path: "^lib/", pathNot: "^lib/(index|testing/index)\\.ts$" },
    },
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    parser: "swc",
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      extensions: [".ts", ".js", ".json"],
      conditionNames: ["import", "require", "node", "default", "types"],
    },
  },
};
