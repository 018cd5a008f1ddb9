// The public construct API stays within what jsii can carry to other languages.

import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Problems } from "./problems.mjs";
import { run } from "./tarball.mjs";

const LINKED = [
  "@cdktf/provider-null",
  "cdktf",
  "constructs",
  "croner",
  "@types/node",
  "undici-types",
];

/**
 * resolveTokens is an asynchronous function that takes callbacks and a stream: jsii carries none of
 * it, and where the program is in another language there is no synthesis to wait for in this one.
 * Everything else is checked.
 */
function leaveOutResolution(path) {
  const text = readFileSync(path, "utf8");
  const rest = text.replaceAll(/^export .* from "\.\/resolution\/.*";\n/gm, "");
  if (rest === text)
    throw new Problems("lib/index.ts exports nothing of the resolution room: take this step out.");
  writeFileSync(path, rest);
}

/**
 * The tokens' base class is not public. jsii gives the members of a class that is marked so to its
 * subclasses; tsc would leave it out of the declarations, which need it.
 */
function markBaseClass(path) {
  const text = readFileSync(path, "utf8");
  const marked = text.replace(
    " */\nexport abstract class",
    " * @internal\n */\nexport abstract class",
  );
  if (marked === text) throw new Problems(`${path} has no abstract class: take this step out.`);
  writeFileSync(path, marked);
}

/** Compiles a copy with jsii, which refuses any exposed type that it does not know. */
export function checkJsii(root, folder) {
  cpSync(join(root, "lib"), join(folder, "lib"), { recursive: true });
  leaveOutResolution(join(folder, "lib/index.ts"));
  markBaseClass(join(folder, "lib/constructs/authentication-token.ts"));
  for (const name of LINKED) {
    const path = join(folder, "node_modules", name);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(join(root, "node_modules", name), path, "dir");
  }
  const { name, version, description, license, peerDependencies } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  );
  const versionOf = (peer) =>
    JSON.parse(readFileSync(join(root, "node_modules", peer, "package.json"), "utf8")).version;
  const manifest = {
    ...{ name, version, description, license, peerDependencies },
    ...{ author: { name }, repository: { type: "git", url: "https://example.com/repository.git" } },
    ...{ main: "lib/index.js", types: "lib/index.d.ts" },
    devDependencies: Object.fromEntries(
      Object.keys(peerDependencies).map((peer) => [peer, versionOf(peer)]),
    ),
    jsii: { outdir: "out", targets: {}, tsconfig: "tsconfig.json", validateTsconfig: "off" },
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "README.md"), "");
  // The library's own settings, from lib/index.ts on: what it does not lead to is not public.
  const { compilerOptions } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8"));
  const { paths, noEmit, ...options } = compilerOptions;
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions: { ...options, types: ["node"] }, files: ["lib/index.ts"] }),
  );
  try {
    const jsii = join(root, "node_modules/jsii/bin/jsii");
    run(process.execPath, [jsii, "--silence-warnings=reserved-word"], {
      cwd: folder,
      env: { ...process.env, JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION: "1" },
    });
  } catch (error) {
    // Its banner about Node's version is of no interest.
    throw error instanceof Problems ? new Problems(error.message.replace(/^!!.*\n?/gm, "")) : error;
  }
  const { types } = JSON.parse(readFileSync(join(folder, ".jsii"), "utf8"));
  return `${Object.keys(types).length} types`;
}
