// Which tests prove the rules of which part of lib; files are in lib and in test.
//
// The parts of MUTATED need neither a process nor a network: `npm run mutants` changes them, and
// these tests have to notice. Those of OTHERS do.

const MUTATED = {
  retry: {
    code: "identity/retry",
    tests: ["identity/retry", "identity/answers", "identity/identity-client"],
  },
  cache: {
    code: "identity/cache",
    tests: ["identity/cache/*", "identity/ways/*", "identity/identity-client"],
  },
  waiting: {
    code: "identity/waiting",
    tests: ["identity/waiting/*", "identity/identity-client"],
  },
  interpret: {
    code: "identity/interpret",
    tests: ["identity/answers", "identity/ways/*", "identity/identity-client"],
  },
  cty: { code: "plugin/cty", tests: ["plugin/cty/*"] },
  protocol: { code: "plugin/protocol", tests: ["plugin/protocol/*", "plugin/server/*"] },
  credentials: {
    code: "provider/credentials",
    tests: [
      "provider/credentials/*",
      "provider/objects/{refusals,static-token,ways,resource-iam-token,revoke-on-destroy,schema}",
      "provider/sign-in-mistakes",
    ],
  },
  secrets: {
    code: "provider/secrets",
    tests: [
      "provider/secrets/*",
      "provider/credentials/*",
      "provider/objects/{refusals,static-token}",
      "provider/process/allow-list",
    ],
  },
  configuration: {
    code: "provider/configuration",
    tests: [
      "provider/configuration/*",
      "provider/credentials/{provider-block,one-source}",
      "provider/objects/{refusals,static-token,schema}",
      "provider/secrets/known-secrets",
    ],
  },
  requests: {
    code: "identity",
    only: "{credential,requests}",
    tests: ["identity/{requests,answers}", "identity/ways/*", "identity/cache/*"],
  },
  client: {
    code: "identity",
    only: "{identity-client,issuing,by-itself,sign-ins,github-actions,discovery,issued-token}",
    tests: [
      "identity/{identity-client,discovery}",
      "identity/ways/*",
      "identity/{cache,waiting}/*",
    ],
  },
  rotation: {
    code: "rotation",
    tests: ["rotation/*", "constructs/rotation/rotation-schedule"],
  },
  objects: {
    code: "provider/objects",
    tests: [
      "provider/objects/*",
      "provider/{rejected-once,process/allow-list}",
      "built/hcl-contract",
    ],
  },
  hcl: { code: "hcl", tests: ["hcl/*"] },
  // Without what the tests of `install` and of the package prove.
  delivery: {
    code: "delivery",
    without: ["packed-provider", "zip", "package-root", "platforms"],
    tests: ["delivery/*", "delivery/lock/*"],
  },
  // Without the table of codes, which is texts that each would cost a run of all tests.
  tokens: {
    code: "tokens",
    without: ["error-codes", "ways", "provider-arguments"],
    tests: ["tokens/!(error-codes)", "provider/secrets/read-secret", "provider/objects/iam-token"],
  },
  ways: {
    code: "tokens",
    only: "{ways,provider-arguments}",
    tests: [
      "tokens/ways",
      "provider/credentials/{one-source,openstacksdk,provider-block}",
      "provider/objects/schema",
      "constructs/identity-service",
    ],
  },
  constructs: {
    code: "constructs",
    only: "{*,{blocks,credentials,declarations,rotation,stack,values}/*}",
    // A shell script.
    without: ["rotation/hook-script"],
    tests: [
      "constructs/!(required-providers)",
      "constructs/{blocks,declarations,values}/*",
      "constructs/rotation/rotation-schedule",
      "delivery/deliver",
      "resolution/{refusals,without-file,written-values}",
    ],
  },
  survey: {
    code: "constructs/survey",
    tests: [
      "constructs/{uses,secrets,refusals,required-providers}*",
      "constructs/{tokens,token-outputs,embedded-provider}*",
      "resolution/{without-file,refusals}*",
    ],
  },
  resolution: { code: "resolution", tests: ["resolution/*"] },
  stored: { code: "cli/stored", tests: ["cli/stored/*"] },
  issue: { code: "cli/issue", without: ["index"], tests: ["cli/issue/*"] },
  schedule: { code: "cli/schedule", only: "verdict", tests: ["cli/schedule"] },
  doctor: {
    code: "cli/doctor",
    only: "{finding,printed,terraform-words}",
    tests: ["cli/doctor/words"],
  },
  install: { code: "cli/install", tests: ["cli/install/*"] },
};

const OTHERS = {
  framework: { code: "framework.ts", tests: ["built/terrain"] },
  transport: { code: "identity/transport", tests: ["identity/transport/*"] },
  identity: { code: "identity", tests: ["identity/*", "identity/ways/*", "keystone/*"] },
  grpc: { code: "plugin/grpc", tests: ["plugin/grpc/*", "plugin/server/*"] },
  server: { code: "plugin/server", tests: ["plugin/server/*"] },
  handover: { code: "plugin/handover", tests: ["plugin/handover/*", "scenarios/handover"] },
  launch: { code: "plugin/launch", tests: ["plugin/launch/*", "plugin/serve/*"] },
  launcher: { code: "plugin/launcher", tests: ["plugin/launcher/*", "scenarios/debugger"] },
  serve: { code: "plugin/serve", tests: ["plugin/serve/*"] },
  tls: { code: "plugin/tls", tests: ["plugin/tls/*"] },
  plugin: { code: "plugin", tests: ["plugin/server/*"] },
  attached: { code: "provider/attached", tests: ["provider/attached/*", "cli/run/*"] },
  process: { code: "provider/process", tests: ["provider/process/*"] },
  provider: { code: "provider", tests: ["provider/*", "built/hcl-contract"] },
  testing: { code: "testing", tests: ["testing/**", "keystone/*"] },
  cli: { code: "cli", tests: ["cli/**", "scenarios/*"] },
  entry: { code: "index.ts", tests: ["constructs/types"] },
};

module.exports = { MUTATED, OTHERS };
