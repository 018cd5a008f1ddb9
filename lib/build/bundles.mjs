// The esbuild half of the build: each program and entry in one file, with what it needs inside. To
// find and read a hundred small files takes longer than to run them.

import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { build } from "esbuild";
import { NO_DEBUGGER } from "./launcher.mjs";
import { thirdPartyTexts } from "./third-party.mjs";

/**
 * The files of dist: the module that each is built from, and what must not get into it: packages
 * that nobody expects there, and what is read at each start although it is needed later, if at all.
 */
const BUNDLES = {
  "index.js": ["index.ts", /node_modules\/(?!(croner|ci-info)\/)|lib\/(identity|plugin)\//],
  "resolution/issue-tokens.js": ["resolution/issue-tokens.ts", /node_modules\//],
  "testing/index.js": ["testing/index.ts", /node_modules\/(?!zod\/)/],
  "testing/main.js": ["testing/main.ts", /node_modules\/(?!zod\/)/],
  "cli/main.js": ["cli/main.ts", /node_modules\/(?!commander\/)/],
  "cli/doctor.js": ["cli/doctor/index.ts"],
  "cli/install.js": ["cli/install/index.ts"],
  "cli/issue.js": ["cli/issue/index.ts"],
  "cli/run.js": ["cli/run/index.ts"],
  "cli/schedule.js": ["cli/schedule/index.ts"],
  // What `run` starts.
  "cli/attached.js": ["provider/attached/main.ts"],
  // Terraform waits for its first line.
  "terraform/provider.cjs": [
    "provider/main.ts",
    /lib\/identity\/transport\/|node_modules\/(yaml|zod|undici)\//,
  ],
  "terraform/identity.cjs": [
    "identity/index.ts",
    /undici\/lib\/(web\/(?!webidl)|mock|cache|interceptor|global)/,
  ],
  "terraform/clouds.cjs": ["provider/clouds/describe-cloud.ts"],
};

const PROGRAMS = ["testing/main.js", "cli/main.js"];

/** Bundles all of them into `outdir`, with the licences of what they hold. */
export async function bundleAll(root, outdir, { version }) {
  const files = Object.keys(BUNDLES);
  const bundles = await Promise.all(
    files.map(async (file) => [file, await bundle(root, file, join(outdir, file), version)]),
  );
  for (const file of PROGRAMS) chmodSync(join(outdir, file), 0o755);
  // The provider is laid out beside stacks: it carries its own.
  copyFileSync(join(root, "LICENSE"), join(outdir, "terraform/LICENSE"));
  for (const [folder, holds] of [
    ["terraform", (file) => file.startsWith("terraform/")],
    [".", (file) => !file.startsWith("terraform/")],
  ]) {
    const metafiles = bundles.filter(([file]) => holds(file)).map(([, metafile]) => metafile);
    const path = join(outdir, folder, "THIRD-PARTY-LICENSES.txt");
    writeFileSync(path, thirdPartyTexts(root, metafiles));
  }
}

async function bundle(root, file, outfile, version) {
  const [module, without] = BUNDLES[file];
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [join("lib", module)],
    outfile,
    bundle: true,
    metafile: true,
    write: false,
    external: ["cdktf", "constructs"],
    plugins: [undiciInPart, lazilyLoaded(root, file)],
    define: { IAM_TOKENS_VERSION: JSON.stringify(version) },
    banner: { js: PROGRAMS.includes(file) ? NO_DEBUGGER : "" },
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
  });
  refuseInside(metafile, without, file);
  mkdirSync(dirname(outfile), { recursive: true });
  writeFileSync(outfile, withoutFolders(outputFiles[0].text));
  return metafile;
}

/**
 * A module that is loaded by `require` is a bundle of its own: it is read when it is needed, from
 * where it stands beside the others.
 */
const lazilyLoaded = (root, file) => ({
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
 * Of undici's index only what a Pool needs goes into the bundle. The rest of it (fetch, WebSocket,
 * caches, mocks, other dispatchers) is twice as large, takes 20 ms more to load, and makes its own
 * dispatcher that of the process's fetch(): something that answers any question stands in its
 * place.
 */
const undiciInPart = {
  name: "undici-in-part",
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^\./ }, ({ path, importer }) =>
      isLeftOut(path, portable("/", importer)) ? { path, namespace: "left-out" } : undefined,
    );
    onLoad({ filter: /^/, namespace: "left-out" }, () => ({
      contents: "module.exports = new Proxy(class {}, { get: () => class {} });",
    }));
  },
};

function isLeftOut(path, importer) {
  const [, module] = /node_modules\/undici\/(.*)/.exec(importer) ?? [];
  if (module === "index.js") return !/\/(api|dispatcher\/(client|dispatcher|pool))$/.test(path);
  if (module === "lib/api/index.js") return path !== "./api-connect";
  // Requests with a form for a body are not sent.
  return module !== undefined && path.endsWith("/web/fetch/body.js");
}

const portable = (from, to) => relative(from, to).replaceAll("\\", "/");

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

function refuseInside(metafile, pattern, file) {
  const [found] =
    Object.values(metafile.outputs)
      .flatMap(({ inputs }) => Object.entries(inputs))
      .find(([path, { bytesInOutput }]) => bytesInOutput > 0 && pattern?.test(path)) ?? [];
  if (found !== undefined)
    throw new Error(`${file} must not hold ${found}: see lib/build/bundles.mjs.`);
}
