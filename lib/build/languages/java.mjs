// Maven packages, deployed into a folder. They are compiled against the frameworks' packages. Not
// every Maven repository has those, so they are made from npm's.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { filesUnder } from "../dist-folder.mjs";
import { addReference } from "./reference.mjs";
import { Missing, run } from "./tools.mjs";

/** The parts of a framework's package that ours need: neither its pages nor its sources. */
const CLASSES_ALONE = [
  ...["--mvn-define", "maven.javadoc.skip=true"],
  ...["--mvn-define", "maven.source.skip=true"],
];

/** The time in npm's own archives: the same input gives the same bytes. */
const TIME = "1985-10-26T08:15:00Z";

/**
 * Makes the frameworks' packages in the local repository, unless they are there.
 *
 * @param folders the npm packages, unpacked
 * @throws Missing if they cannot be compiled here
 */
export function installFrameworks({ root, folders, scratch, tools }) {
  const frameworks = folders
    .map((folder) => join(root, "node_modules", manifestOf(folder).name.split("-")[0]))
    .filter((folder) => !existsSync(jarOf(folder, tools)));
  if (frameworks.length === 0) return;
  try {
    // Deploying installs first, into the local repository.
    tools.pacmak([
      ...["--targets", "java", "--outdir", join(scratch, "frameworks"), "--no-npmignore"],
      ...["--maven-local-repository", tools.mavenRepository, ...CLASSES_ALONE, ...frameworks],
    ]);
  } catch (error) {
    const names = frameworks.map((folder) => basename(folder)).join(", ");
    throw new Missing(`Maven could not compile ${names}: ${error.message}`);
  }
}

/**
 * Not by pacmak, whose packages contain the time in four places, and the newest version of
 * constructs that Maven Central has at that moment.
 *
 * @param source jsii-pacmak's output, with pom.xml
 * @param folder the npm package
 * @param outdir the folder that becomes a Maven repository
 */
export function deployPackage(source, folder, outdir, { root, scratch, tools }) {
  const pom = join(source, "pom.xml");
  const constructs = manifestOf(join(root, "node_modules/constructs")).version;
  const text = readFileSync(pom, "utf8")
    .replace(/ on \d{4}-[\d:.TZ-]+(?= -->)/, "")
    .replace(/(<artifactId>constructs<\/artifactId>\s*<version>)[^<]+/, `$1${constructs}`)
    // A range is looked up in every repository; the lowest version is the one that was compiled.
    .replaceAll(/(<version>)[[(]([\d.]+),[^<]*/g, "$1$2");
  writeFileSync(pom, text);
  for (const path of filesUnder(join(source, "src")).filter((file) => file.endsWith(".java"))) {
    const dated = readFileSync(path, "utf8");
    writeFileSync(
      path,
      dated.replace(/^(@javax\.annotation\.Generated\(.*), date = "[^"]+"/gm, "$1"),
    );
  }
  addReference(root, folder, "java", join(source, "src/main/resources/META-INF"));
  const settings = join(mkdtempSync(join(scratch, "maven-")), "settings.xml");
  writeFileSync(
    settings,
    `<settings><localRepository>${tools.mavenRepository}</localRepository></settings>`,
  );
  const options = {
    altDeploymentRepository: `packed::default::file://${outdir}`,
    "project.build.outputTimestamp": TIME,
    notimestamp: "true",
  };
  const defined = Object.entries(options).map(([name, value]) => `-D${name}=${value}`);
  run("mvn", ["--quiet", "--batch-mode", `--settings=${settings}`, ...defined, "deploy"], {
    cwd: source,
  });
  // It has the time of the deployment; a registry writes its own.
  for (const path of filesUnder(outdir).filter((file) => /maven-metadata/.test(basename(file))))
    rmSync(path);
}

/** The place of a framework in the local repository. */
function jarOf(folder, { mavenRepository }) {
  const { version, jsii } = manifestOf(folder);
  const { groupId, artifactId } = jsii.targets.java.maven;
  const home = join(mavenRepository, groupId.replaceAll(".", "/"), artifactId, version);
  return join(home, `${artifactId}-${version}.jar`);
}

const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
