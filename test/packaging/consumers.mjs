// Uses the installed package as users do.

import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { root, run } from "../../lib/build/project.mjs";
import { report } from "./problems.mjs";

/** Neither the checkout's settings nor the machine's. */
const ENV = { PATH: process.env.PATH, HOME: "/nonexistent", CHECKPOINT_DISABLE: "1" };

/**
 * The body of a program with an app, whose stack it synthesizes and looks at. Its imports stand
 * before it.
 */
const APP = `
const app = new App({ outdir: process.argv[2] });
const stack = new TerraformStack(app, "a");
const identity = new IdentityService(stack, "identity", {
  authUrl: "https://cloud.api.example.com",
  accountId: "123456",
  serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
});
const token = new ServiceUserToken(stack, "web", { identity, scope: TokenScope.project("web"), resolution: TokenResolution.data() });
new TokenOutputs(stack, "ci", { token });
app.synth();
const files = readdirSync(join(process.argv[2], "stacks/a/terraform.d"), { recursive: true, withFileTypes: true });
const launchers = files.filter((file) => file.name.startsWith("terraform-provider-iam_v"));
if (launchers.length !== 5) throw new Error("launchers: " + launchers.length);
for (const file of launchers) accessSync(join(file.parentPath ?? file.path, file.name), constants.X_OK);
const json = JSON.parse(readFileSync(join(process.argv[2], "stacks/a/cdk.tf.json"), "utf8"));
if (json.data.iam_token === undefined) throw new Error("no token in cdk.tf.json");
`;
const TESTING = `
const service = await EmbeddedIdentityService.start({
  accountId: "123456",
  serviceUsers: [{ name: "deployer", password: "not-a-real-one", permission: { account: true } }],
});
if (!service.authUrl.startsWith("http://127.0.0.1:")) throw new Error(service.authUrl);
await service.stop();
`;
const NAMES = ({ framework, name }) => ({
  [framework]: "App, TerraformStack",
  [name]: "IdentityService, SecretRef, ServiceUserToken, TokenOutputs, TokenResolution, TokenScope",
  [`${name}/testing`]: "EmbeddedIdentityService",
  "node:fs": "accessSync, constants, readdirSync, readFileSync",
  "node:path": "join",
});
const importsOf = (user) =>
  Object.entries(NAMES(user)).map(([name, names]) => `import { ${names} } from "${name}";`);

export function checkCommonJs(user) {
  const requires = Object.entries(NAMES(user)).map(
    ([name, names]) => `const { ${names} } = require("${name}");`,
  );
  runProgram(user, "app.cjs", `${requires.join("\n")}${APP}(async () => {${TESTING}})();`);
  const refused = `try { require("${user.name}/dist/index.js"); } catch (e) { process.exit(e.code === "ERR_PACKAGE_PATH_NOT_EXPORTED" ? 0 : 1); } process.exit(1);`;
  runProgram(user, "inner.cjs", refused);
}

export function checkEsModules(user) {
  runProgram(user, "app.mjs", `${importsOf(user).join("\n")}${APP}${TESTING}`);
  // Node finds the names of a CommonJS module by reading its text: each must be found, or `import {
  // … }` fails.
  const same = [user.name, `${user.name}/testing`].map(
    (
      name,
    ) => `{ const found = Object.keys(await import("${name}")); const missing = Object.keys(require("${name}")).filter((key) => !found.includes(key));
      if (missing.length > 0) throw new Error("${name}: not importable by name: " + missing); }`,
  );
  runProgram(
    user,
    "names.mjs",
    `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);\n${same.join("\n")}`,
  );
}

/** A compiler, a way to resolve modules, and the kinds of files that it has. */
const SETTINGS = [
  ["TypeScript 7", "node16", "node16", "typed.ts", "typed.cts", "typed.mts"],
  ["TypeScript 7", "esnext", "bundler", "typed.ts"],
  ["TypeScript 5.9", "node16", "node16", "typed.ts", "typed.cts", "typed.mts"],
  // As `cdktf init` sets it up.
  ["TypeScript 5.9", "commonjs", "node10", "typed.ts"],
];

/** Declarations of the package are checked as well, without skipLibCheck. */
export function checkTypeScript(user) {
  const { folder: project } = user;
  const require = createRequire(join(root, "package.json"));
  const ofJsii = createRequire(require.resolve("jsii/package.json"));
  const compilers = {
    "TypeScript 7": join(root, "node_modules/typescript/bin/tsc"),
    "TypeScript 5.9": ofJsii.resolve("typescript/lib/tsc.js"),
  };
  const body = `${importsOf(user).join("\n")}\nexport async function main(): Promise<void> {${APP}${TESTING}}`;
  const problems = SETTINGS.flatMap(([compiler, module, moduleResolution, ...files]) => {
    for (const file of files) writeFileSync(join(project, file), body);
    const compilerOptions = {
      module,
      moduleResolution,
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      skipLibCheck: false,
      target: "es2022",
      lib: ["es2022"],
      types: ["node"],
    };
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
    const errors = typeErrors(compilers[compiler], project, user);
    return errors.map((error) => `${compiler}, ${module}/${moduleResolution}: ${error}`);
  });
  report(problems);
  return `${SETTINGS.length} settings`;
}

/**
 * The errors in the project's files and in this package; what the declarations of other packages
 * have is not ours.
 */
function typeErrors(tsc, project, { name }) {
  try {
    run(process.execPath, [tsc, "-p", ".", "--pretty", "false"], { cwd: project, env: ENV });
    return [];
  } catch (error) {
    const lines = error.message
      .split("\n")
      .slice(1)
      .filter((line) => /error TS\d+/.test(line));
    if (lines.length === 0) throw error;
    return lines.filter(
      (line) => !/^(\.\.\/|node_modules\/)/.test(line) || line.startsWith(`node_modules/${name}/`),
    );
  }
}

export function checkCommand({ folder: project, name: own }) {
  for (const name of ["iam-tokens-identity-server", "iam-tokens", own]) {
    const text = run(join(project, "node_modules/.bin", name), ["--help"], {
      cwd: project,
      env: ENV,
    });
    report(/usage/i.test(text) ? [] : [`${name} --help says:\n${text}`]);
  }
  run(join(project, "node_modules/.bin", own), ["schedule", "--every", "6h"], {
    cwd: project,
    env: ENV,
  });
}

/** The files that an entry loads: the cost of its start; npm run bench has the times. */
export function checkLoaded({ folder: project, name: own, framework }) {
  const loaded = (name) => {
    const program = `require("${name}"); console.log(JSON.stringify(Object.keys(require.cache)));`;
    return JSON.parse(run(process.execPath, ["-e", program], { cwd: project, env: ENV }));
  };
  const foreign = (files) => files.filter((file) => !file.includes(join("node_modules", own)));
  const ofFramework = (file) => file.includes(join("node_modules", framework));
  const testing = loaded(`${own}/testing`);
  const constructs = loaded(own);
  report([
    ...foreign(testing).map((file) => `./testing loads ${file}.`),
    ...(constructs.some(ofFramework) ? [] : [`The constructs do not load ${framework}.`]),
  ]);
  return `files of ours: ./testing ${testing.length}, the constructs ${constructs.length - foreign(constructs).length}`;
}

function runProgram({ folder: project }, file, text) {
  writeFileSync(join(project, file), text);
  run(process.execPath, [file, join(project, `out-${file}`)], { cwd: project, env: ENV });
}
