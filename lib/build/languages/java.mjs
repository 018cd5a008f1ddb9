// Maven packages, deployed into a folder. They are compiled against the frameworks' packages. Not
// every Maven repository has those, so they are made from npm's.

import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { filesUnder } from "../dist-folder.mjs";
import { edit, manifestOf, root, run } from "../project.mjs";

/** In place of the time of a build. */
const TIME = "2020-01-01T00:00:00Z";

/** The parts of a framework's package that ours need: neither its pages nor its sources. */
const CLASSES_ALONE = [
  ...["--mvn-define", "maven.javadoc.skip=true"],
  ...["--mvn-define", "maven.source.skip=true"],
];

/**
 * Makes the frameworks' packages in the local repository, unless they are there.
 *
 * @param folders the npm packages, unpacked
 */
export function installFrameworks({ folders, scratch, tools }) {
  const frameworks = folders
    .map((folder) => join(root, "node_modules", manifestOf(folder).name.split("-")[0]))
    .filter((folder) => !existsSync(jarOf(folder, tools)));
  if (frameworks.length === 0) return;
  // Deploying installs first, into the local repository.
  tools.pacmak([
    ...["--targets", "java", "--outdir", join(scratch, "frameworks"), "--no-npmignore"],
    ...["--maven-local-repository", tools.mavenRepository, ...CLASSES_ALONE, ...frameworks],
  ]);
}

/**
 * Not by pacmak, whose packages require the newest version of constructs that Maven Central has at
 * that moment.
 *
 * @param source jsii-pacmak's output, with pom.xml
 * @param folder the npm package
 * @param outdir the folder that becomes a Maven repository
 */
export function deployPackage(source, _folder, outdir, { scratch, tools }) {
  const constructs = manifestOf(join(root, "node_modules/constructs")).version;
  edit(join(source, "pom.xml"), (text) =>
    text
      .replace(/(<artifactId>constructs<\/artifactId>\s*<version>)[^<]+/, `$1${constructs}`)
      // A range is looked up in every repository; the lowest version is the one that was compiled.
      .replaceAll(/(<version>)[[(]([\d.]+),[^<]*/g, "$1$2"),
  );
  // The same bytes in each build.
  for (const path of filesUnder(source).filter((each) => /\.java$|pom\.xml$/.test(each))) {
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replaceAll(/\d{4}-\d\d-\d\dT\d\d:[\d:.]+Z/g, TIME));
  }
  const settings = join(mkdtempSync(join(scratch, "maven-")), "settings.xml");
  writeFileSync(
    settings,
    `<settings><localRepository>${tools.mavenRepository}</localRepository></settings>`,
  );
  const target = `-DaltDeploymentRepository=packed::default::file://${outdir}`;
  const time = [`-Dproject.build.outputTimestamp=${TIME}`, "-Dnotimestamp=true"];
  run("mvn", ["--quiet", "--batch-mode", `--settings=${settings}`, ...time, target, "deploy"], {
    cwd: source,
  });
}

/** The place of a framework in the local repository. */
function jarOf(folder, { mavenRepository }) {
  const { version, jsii } = manifestOf(folder);
  const { groupId, artifactId } = jsii.targets.java.maven;
  const home = join(mavenRepository, groupId.replaceAll(".", "/"), artifactId, version);
  return join(home, `${artifactId}-${version}.jar`);
}
