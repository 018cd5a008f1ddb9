// The esbuild half of the build: the provider, the command and the ./testing entry, each with what
// it needs inside.

import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { portable } from "./files.mjs";
import { writeLauncher } from "./launcher.mjs";
import { thirdPartyTexts } from "./third-party.mjs";

const LICENCES = "THIRD-PARTY-LICENSES.txt";

/**
 * Bundles the provider into `outdir`: the folder that synth copies, and nothing that it does not
 * need.
 */
export async function bundleProvider(root, outdir, manifest) {
  mkdirSync(outdir, { recursive: true });
  const [provider, identity, clouds] = await Promise.all([
    bundle(root, "lib/provider/main.ts", join(outdir, "provider.cjs"), {
      plugins: [partsApartIn(".")],
      define: { IAM_TOKENS_VERSION: JSON.stringify(manifest.version) },
    }),
    bundle(root, "lib/identity/index.ts", join(outdir, "identity.cjs")),
    bundle(root, "lib/provider/clouds/describe-cloud.ts", join(outdir, "clouds.cjs")),
  ]);
  // Terraform waits for the first line of the provider: what only a request needs must not be read
  // before it.
  refuseInside(provider, /lib\/identity\/transport\/|node_modules\/yaml\//, "provider.cjs");
  writeLauncher(root, outdir, manifest);
  writeFileSync(join(outdir, LICENCES), thirdPartyTexts(root, [provider, identity, clouds]));
  copyFileSync(join(root, "LICENSE"), join(outdir, "LICENSE"));
}

/**
 * Bundles the ./testing entry and its command into `outdir`, in the place of the modules that tsc
 * has written there.
 */
export async function bundleTesting(root, outdir) {
  const metafiles = [];
  for (const name of ["index", "main"]) {
    const plugins = [tokensShared(root, "lib/testing")];
    metafiles.push(
      await bundle(root, `lib/testing/${name}.ts`, join(outdir, `${name}.js`), { plugins }),
    );
  }
  for (const metafile of metafiles)
    refuseInside(metafile, /node_modules\/(?!zod\/)/, "dist/testing");
  chmodSync(join(outdir, "main.js"), 0o755);
  writeFileSync(join(outdir, LICENCES), thirdPartyTexts(root, metafiles));
}

/**
 * Bundles the command into `outdir`: what every call needs, and beside it one file for each
 * command, which is read when that command is asked for.
 */
export async function bundleCli(root, outdir, manifest) {
  const options = {
    plugins: [actionsApart, partsApartIn("../terraform")],
    define: { IAM_TOKENS_VERSION: JSON.stringify(manifest.version) },
  };
  mkdirSync(outdir, { recursive: true });
  const metafiles = await Promise.all([
    bundle(root, "lib/cli/main.ts", join(outdir, "main.js"), options),
    ...COMMANDS.map((name) =>
      bundle(root, `lib/cli/${name}/index.ts`, join(outdir, `${name}.js`), options),
    ),
    // What `run` starts.
    bundle(root, "lib/provider/attached/main.ts", join(outdir, "attached.js"), options),
  ]);
  refuseInside(metafiles[0], /node_modules\/(?!commander\/)/, "dist/cli/main.js");
  chmodSync(join(outdir, "main.js"), 0o755);
  writeFileSync(join(outdir, LICENCES), thirdPartyTexts(root, metafiles));
}

/**
 * The folders of lib/cli that are commands: each has its declaration in command.ts and its action
 * in index.ts.
 */
const COMMANDS = ["doctor", "install", "issue", "run", "schedule"];

/**
 * Puts the parser of cron expressions into the one module that imports it, in the place of what tsc
 * has written: the package has no dependencies.
 */
export async function bundleCron(root, dist) {
  const outdir = join(dist, "tokens/rotation");
  const metafile = await bundle(root, "lib/tokens/rotation/cron.ts", join(outdir, "cron.js"), {
    plugins: [neighboursShared],
  });
  writeFileSync(join(outdir, LICENCES), thirdPartyTexts(root, [metafile]));
}

/**
 * Bundles into `outdir` the one module of the resolution room that asks for tokens; the HTTP client
 * is the provider's, beside it.
 */
export async function bundleResolution(root, outdir) {
  const plugins = [partsApartIn("../terraform"), tokensShared(root, "lib/resolution")];
  const metafile = await bundle(
    root,
    "lib/resolution/issue-tokens.ts",
    join(outdir, "issue-tokens.js"),
    { plugins },
  );
  refuseInside(metafile, /node_modules\//, "dist/resolution");
}

/**
 * Bundles the constructs, in the place of the modules that tsc has written: to find and read a
 * hundred small files takes longer than to run them. The tokens room stays apart, and so does what
 * asks for tokens, which most programs never load.
 */
export async function bundleConstructs(root, dist) {
  const plugins = [issueTokensApart, tokensShared(root, "lib")];
  const external = ["cdktf", "constructs"];
  const metafile = await bundle(root, "lib/index.ts", join(dist, "index.js"), {
    plugins,
    external,
  });
  refuseInside(metafile, /node_modules\/|lib\/(tokens|identity|plugin)\//, "dist/index.js");
}

async function bundle(root, entry, outfile, more = {}) {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    bundle: true,
    metafile: true,
    write: false,
    platform: "node",
    format: "cjs",
    target: "node20.18",
    // As import() each would start Node's ESM loader for one CommonJS file.
    supported: { "dynamic-import": false },
    // thirdPartyTexts has the licences. Names stay: they cost no time at the start (measured), and
    // stack traces are readable.
    legalComments: "none",
    minifyWhitespace: true,
    minifySyntax: true,
    charset: "utf8",
    logLevel: "warning",
    tsconfigRaw: { compilerOptions: { target: "es2022" } },
    ...more,
  });
  writeFileSync(outfile, withoutFolders(outputFiles[0].text));
  return metafile;
}

/**
 * esbuild names each CommonJS module by its path, which depends on where npm has put the package:
 * the package's part stays.
 */
function withoutFolders(text) {
  return text.replaceAll(
    /(\b__(?:commonJS|esm)\(\{")[^"]*?node_modules\/(?![^"]*node_modules\/)/g,
    "$1",
  );
}

/**
 * Files of their own beside the provider's, each read when it is needed first, by the one module
 * that loads it.
 */
const partsApartIn = (folder) => ({
  name: "parts-apart",
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/(identity|clouds\/describe-cloud)$/ }, ({ path, importer }) => {
      const [part, loader] = path.endsWith("/identity")
        ? ["identity", "process/load-identity.ts"]
        : ["clouds", "sources/describe-credentials.ts"];
      const loads = importer.replaceAll("\\", "/").endsWith(`/lib/provider/${loader}`);
      return loads ? { path: `${folder}/${part}.cjs`, external: true } : undefined;
    }),
});

/** The action of a command is a file of its own. */
const actionsApart = {
  name: "actions-apart",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\/index$/ }, ({ importer }) => {
      const name = /[\\/]lib[\\/]cli[\\/]([a-z-]+)[\\/]command\.ts$/.exec(importer)?.[1];
      return name === undefined ? undefined : { path: `./${name}`, external: true };
    }),
};

/** Modules of the same room stay where tsc has put them. */
const neighboursShared = {
  name: "neighbours-shared",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\.?\// }, ({ path, importer, kind }) =>
      kind === "entry-point" || importer.includes("node_modules")
        ? undefined
        : { path, external: true },
    ),
};

/** See lib/resolution/load-issue-tokens.ts. */
const issueTokensApart = {
  name: "issue-tokens-apart",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\/issue-tokens$/ }, ({ kind }) =>
      kind === "require-call" ? { path: "./resolution/issue-tokens", external: true } : undefined,
    ),
};

/**
 * The tokens room is not copied into a bundle: an error or a secret of one module is of the same
 * class in the others.
 */
const tokensShared = (root, room) => ({
  name: "tokens-shared",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir }) => {
      const target = portable(join(root, room), resolve(resolveDir, path));
      if (!/^(\.\.\/)?tokens(\/|$)/.test(target)) return undefined;
      return { path: target.startsWith(".") ? target : `./${target}`, external: true };
    }),
});

function refuseInside(metafile, pattern, name) {
  const found = Object.values(metafile.outputs)
    .flatMap(({ inputs }) => Object.entries(inputs))
    .find(([path, { bytesInOutput }]) => pattern.test(path) && bytesInOutput > 0);
  if (found !== undefined)
    throw new Error(`${name} must not hold ${found[0]}: see lib/build/bundles.mjs.`);
}
