// Maven packages, which pacmak builds and deploys into a folder. They are compiled against the
// frameworks' packages. Not every Maven repository has those, so they are made from npm's.

import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Missing } from "./tools.mjs";

/** The parts of a framework's package that ours need: neither its pages nor its sources. */
const CLASSES_ALONE = [
  ...["--mvn-define", "maven.javadoc.skip=true"],
  ...["--mvn-define", "maven.source.skip=true"],
];

/**
 * @param folders the npm packages, unpacked
 * @param packed the folder that contains `java/`, the Maven repository
 * @throws Missing if the frameworks cannot be compiled here
 */
export function deployPackages({ root, folders, packed, scratch, tools }) {
  const pacmak = (outdir, projects, ...options) =>
    tools.pacmak([
      ...["--targets", "java", "--outdir", outdir, "--no-npmignore"],
      ...["--maven-local-repository", tools.mavenRepository, ...options, ...projects],
    ]);
  const frameworks = folders
    .map((folder) => join(root, "node_modules", manifestOf(folder).name.split("-")[0]))
    .filter((folder) => !existsSync(jarOf(folder, tools)));
  try {
    // Deploying installs first, into the local repository.
    if (frameworks.length > 0) pacmak(join(scratch, "frameworks"), frameworks, ...CLASSES_ALONE);
  } catch (error) {
    const names = frameworks.map((folder) => basename(folder)).join(", ");
    throw new Missing(`Maven could not compile ${names}: ${error.message}`);
  }
  pacmak(packed, folders);
}

/** The place of a framework in the local repository. */
function jarOf(folder, { mavenRepository }) {
  const { version, jsii } = manifestOf(folder);
  const { groupId, artifactId } = jsii.targets.java.maven;
  const home = join(mavenRepository, groupId.replaceAll(".", "/"), artifactId, version);
  return join(home, `${artifactId}-${version}.jar`);
}

const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
