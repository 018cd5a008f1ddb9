// The esbuild half of the build: bundles each program and entry with its dependencies into one
// file. Finding and reading a hundred small files takes longer than running them.

import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { build } from "esbuild";
import { firstLines } from "../plugin/launcher/launcher-texts.cjs";
import { MANIFEST, MINIMUM_NODE, root, writeJson } from "./project.mjs";
import { bundledPackages, licenceTexts, sbom } from "./third-party.mjs";

/** The provider, whose schema is in other files. */
const OBJECTS = "terraform/objects.cjs";

/**
 * The files of dist: the module of each, and modules that it must not contain: packages that nobody
 * expects there, and code that would be read at each start although it is needed later, or never.
 */
const BUNDLES = {
  "index.js": ["index.ts", /node_modules\/|lib\/identity\/|lib\/plugin\/(?!cty\/value|faults)/],
  "rotation/croner.js": ["rotation/croner.ts"],
  "resolution/issue-tokens.js": ["resolution/issue-tokens.ts", /node_modules\//],
  "testing/index.js": ["testing/index.ts", /node_modules\/(?!(?:zod|fflate)\/)/],
  "testing/main.js": ["testing/main.ts", /node_modules\/(?!commander\/)/],
  "cli/main.js": ["cli/main.ts", /node_modules\/(?!commander\/)/],
  "cli/doctor.js": ["cli/doctor/index.ts"],
  "cli/install.js": ["cli/install/index.ts"],
  "cli/issue.js": ["cli/issue/index.ts"],
  "cli/revoke-verify.js": ["cli/revoke-verify/index.ts"],
  "cli/run.js": ["cli/run/index.ts"],
  "cli/schedule.js": ["cli/schedule/index.ts"],
  // The program that `run` starts.
  "cli/attached.js": ["provider/attached/main.ts"],
  // Terraform waits for its first line.
  "terraform/provider.cjs": [
    "provider/main.ts",
    /node_modules\/|lib\/(tokens|rotation|identity)\/|lib\/plugin\/(cty|protocol)\//,
  ],
  [OBJECTS]: [
    "provider/serve-iam-provider.ts",
    /lib\/identity\/transport\/|node_modules\/(yaml|zod|undici|croner)\//,
  ],
  "terraform/identity.cjs": [
    "identity/index.ts",
    /undici\/(index\.js|lib\/(mock|cache|interceptor|global))|node_modules\/zod\//,
  ],
  "terraform/clouds.cjs": ["provider/credentials/cloud-source.ts"],
};

/** Programs that users start, with their names. */
const PROGRAMS = { "testing/main.js": "iam-tokens-identity-server", "cli/main.js": "iam-tokens" };

/** Bundles all of them into `outdir`, with the licences of their contents and the SBOM. */
export async function bundleAll(outdir) {
  const made = async (file, schema) => [file, await bundle(file, join(outdir, file), schema)];
  // Encoded by the objects as they are built: at each launch, this took four milliseconds.
  const objects = await made(OBJECTS, "");
  const { encodeIamSchema } = createRequire(import.meta.url)(join(outdir, OBJECTS));
  const schema = Buffer.from(encodeIamSchema()).toString("latin1");
  const others = Object.keys(BUNDLES).filter((file) => file !== OBJECTS);
  const bundles = [objects, ...(await Promise.all(others.map((file) => made(file, schema))))];
  for (const file of Object.keys(PROGRAMS)) chmodSync(join(outdir, file), 0o755);
  // The provider is copied next to stacks, so it has its own copy.
  copyFileSync(join(root, "LICENSE"), join(outdir, "terraform/LICENSE"));
  const isOfProvider = ([file]) => file.startsWith("terraform/");
  for (const [folder, files] of [
    ["terraform", bundles.filter(isOfProvider)],
    [".", bundles.filter((bundle) => !isOfProvider(bundle))],
  ])
    writeFileSync(
      join(outdir, folder, "THIRD-PARTY-LICENSES.txt"),
      licenceTexts(bundledPackages(files)),
    );
  writeJson(join(outdir, "sbom.cdx.json"), sbom(MANIFEST, bundledPackages(bundles)));
}

async function bundle(file, outfile, schema) {
  const { name, version } = MANIFEST;
  const [module, without] = BUNDLES[file];
  const title = PROGRAMS[file];
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [join("lib", module)],
    outfile,
    bundle: true,
    metafile: true,
    write: false,
    external: ["cdktf", "constructs"],
    plugins: [lazilyLoaded(file), withoutUnused, fixedAssertions],
    // Of ES modules, only what is used gets into a bundle.
    alias: { "@msgpack/msgpack": "@msgpack/msgpack/dist.esm/index.mjs" },
    define: {
      IAM_TOKENS_VERSION: JSON.stringify(version),
      IAM_TOKENS_SCHEMA: JSON.stringify(schema),
    },
    // Other files are loaded by a program that has run its first lines.
    banner: title && {
      js: firstLines({ title, minimumNode: MINIMUM_NODE, descriptor: 2 }),
    },
    footer: { js: file === "index.js" ? namesForJsii(name, version) : "" },
    platform: "node",
    format: "cjs",
    target: "node20.18",
    // With import(), each would start Node's ESM loader for one CommonJS file.
    supported: { "dynamic-import": false },
    // THIRD-PARTY-LICENSES.txt has the licences. Names stay: they cost no time at the start
    // (measured), and keep stack traces readable.
    legalComments: "none",
    // Above an uncaught error, Node.js prints the line that throws it: in the entry of the
    // constructs, this is one statement instead of 100,000 characters. Loading takes no longer
    // (measured).
    minifyWhitespace: file !== "index.js",
    minifySyntax: true,
    // V8 reads a file with a single other character as two bytes for each character.
    charset: "ascii",
    logLevel: "warning",
    tsconfigRaw: { compilerOptions: { target: "es2022" } },
  });
  refuseInside(metafile, without, file);
  mkdirSync(dirname(outfile), { recursive: true });
  writeFileSync(outfile, withoutFolders(outputFiles[0].text));
  return metafile;
}

/**
 * Metadata that jsii's own compiler writes into each public class: programs in other languages find
 * the class of an object by it; and the name of the class, which esbuild changes where the class
 * refers to itself, and stack traces show. lib/build/terrain.mjs replaces the framework's name,
 * which is written as in lib/framework.ts.
 */
function namesForJsii(name, version) {
  const [framework, ...words] = name.split("-");
  return `for (const [type, value] of Object.entries(module.exports)) {
  if (Object.getOwnPropertyDescriptor(value, "prototype")?.writable !== false) continue;
  const framework = {name:"${framework}"};
  const fqn = framework.name + "-${words.join("-")}." + type;
  value[Symbol.for("jsii.rtti")] = { fqn, version: "${version}" };
  Object.defineProperty(value, "name", { value: type });
}`;
}

/**
 * A module that is loaded by `require` is a separate bundle: it is only read when it is needed,
 * from its place next to the others.
 */
const lazilyLoaded = (file) => ({
  name: "lazily-loaded",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir, kind }) => {
      if (kind !== "require-call") return undefined;
      const module = portable(join(root, "lib"), resolve(resolveDir, path));
      const loaded = Object.keys(BUNDLES).find((each) =>
        [`${module}.ts`, `${module}/index.ts`].includes(BUNDLES[each][0]),
      );
      return loaded && { path: `./${portable(dirname(file), loaded)}`, external: true };
    }),
});

/**
 * Modules of undici that requests of this package never use: HTTP/2, the bodies of fetch(), and a
 * tree of known header names, in which a name that it does not find is written anew. Each launch
 * that issues a token would read them, for three milliseconds.
 */
const UNUSED = /\/undici\/lib\/(dispatcher\/client-h2|web\/fetch\/body|core\/tree)\.js$/;

const withoutUnused = {
  name: "without-unused",
  setup: ({ onLoad }) =>
    onLoad({ filter: UNUSED }, () => ({ contents: "exports.tree = { lookup() {} };" })),
};

/**
 * For the message of an assertion without one, Node.js parses the file that it is in: of a bundle,
 * that takes seconds, in one turn. Those of undici fail because of what a service sends.
 */
const fixedAssertions = {
  name: "fixed-assertions",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?assert$/ }, () => ({ path: "assert", namespace: "fixed" }));
    onLoad({ filter: /.*/, namespace: "fixed" }, () => ({ contents: ASSERT }));
  },
};

const ASSERT = `module.exports = (value) => {
  if (!value) throw Object.assign(new Error("assertion failed"), { code: "ERR_ASSERTION" });
};`;

const portable = (from, to) => relative(from, to).replaceAll("\\", "/");

/**
 * esbuild names CommonJS modules, and in comments all modules, by their paths. Those of packages
 * depend on npm's place for them: only the part within the package stays.
 */
function withoutFolders(text) {
  return text.replaceAll(
    /(\b__(?:commonJS|esm)\(\{\s*"|^\/\/ )[^"\n]*?node_modules\/(?![^"\n]*node_modules\/)/gm,
    "$1",
  );
}

function refuseInside(metafile, pattern, file) {
  const [found] =
    Object.values(metafile.outputs)
      .flatMap(({ inputs }) => Object.entries(inputs))
      .find(([path, { bytesInOutput }]) => bytesInOutput > 0 && pattern?.test(path)) ?? [];
  if (found !== undefined)
    throw new Error(`${file} must not hold ${found}: see lib/build/bundles.mjs.`);
}
