import type { IConstruct } from "constructs";
import { packageVersion } from "../../delivery/package-root";
import { FRAMEWORK, OWN_PACKAGE } from "../../framework";
import { errorCodeOf, IamTokensError } from "../../tokens";
import { isInOtherLanguage, type Library, libraryOf } from "./internals";

/**
 * The minor versions of each framework that all tests have used. Older ones lack something; newer
 * ones may work, with a warning.
 */
export const TESTED: Readonly<Record<string, readonly [first: string, ...later: string[]]>> = {
  cdktf: ["0.21"],
  cdktn: ["0.24"],
};
const NAMES = Object.keys(TESTED);

/** Imports from the framework, and the members that lib calls or overrides there. */
export const USED: Readonly<Record<string, readonly string[]>> = {
  AnnotationMetadataEntryType: [],
  App: ["synth"],
  DefaultTokenResolver: ["resolveToken", "resolveString", "resolveList"],
  Fn: [],
  Manifest: ["forStack"],
  StringConcat: ["join"],
  TerraformBackend: [],
  TerraformDataSource: ["synthesizeAttributes", "synthesizeHclAttributes"],
  TerraformElement: ["toTerraform", "toHclTerraform", "toMetadata", "overrideLogicalId"],
  TerraformOutput: [],
  TerraformProvider: ["synthesizeAttributes", "synthesizeHclAttributes"],
  TerraformResource: ["synthesizeAttributes", "synthesizeHclAttributes", "moveFromId"],
  TerraformStack: ["prepareStack", "getLogicalId", "addOverride"],
  TerraformVariable: [],
  Token: [],
  Tokenization: [],
  conditional: [],
};

/**
 * Asserts that the framework is installed, in a version that this package supports.
 *
 * @throws ERR_PEER_MISSING, ERR_FRAMEWORK_UNSUPPORTED
 */
export function assertInstalled(load: (name: string) => unknown): void {
  const loaded = loadFramework(load);
  const library = libraryOf(loaded.App, NAMES);
  assertRecent(library);
  const [missing] = Object.entries(USED).flatMap(([name, members]) => {
    const value = loaded[name] as { readonly prototype?: object } | undefined;
    if (value === undefined) return [name];
    const lacks = members.filter((member) => !(member in (value.prototype ?? {})));
    return lacks.map((member) => `${name}.${member}`);
  });
  if (missing !== undefined) throw lacking(library, missing);
}

const usable = new WeakSet<IConstruct>();

/**
 * Asserts that a stack or an app comes from the framework that this package has loaded. Each
 * framework accepts the other's constructs, by the same symbols, and fails at the first member that
 * they lack.
 *
 * @param members used members of the construct itself
 * @throws ERR_FRAMEWORK_MISMATCH, ERR_FRAMEWORK_UNSUPPORTED
 */
export function assertUsable(scope: IConstruct, members: readonly string[] = []): void {
  if (usable.has(scope)) return;
  const its = libraryOf(scope.constructor, NAMES);
  ours ??= libraryOf(loadFramework(require).App, NAMES);
  if (its !== undefined && ours !== undefined && its.name !== ours.name) {
    const right = `${its.name}-iam-tokens`;
    throw new IamTokensError(
      "ERR_FRAMEWORK_MISMATCH",
      `The program uses ${its.name} ${its.version}, but ${OWN_PACKAGE} works with ${ours.name}.`,
      {
        remedy:
          right === OWN_PACKAGE
            ? `Import the App and the stacks from ${ours.name}.`
            : `Install ${right} instead and import from it; constructs and state are the same${commands(right)}.`,
      },
    );
  }
  // A different copy from the one loaded here.
  assertRecent(its);
  const missing = members.find((member) => !(member in scope));
  if (missing !== undefined) throw lacking(its, `${scope.constructor.name}.${missing}`);
  usable.add(scope);
}

/**
 * Asserts that a stack's constructs come from one version of this package: each version writes
 * blocks for its own provider, and a stack has one.
 *
 * @param version version of the constructs that already exist
 * @throws ERR_VERSION_MISMATCH
 */
export function assertOneVersion(stack: IConstruct, version: string): void {
  if (version === packageVersion()) return;
  throw new IamTokensError(
    "ERR_VERSION_MISMATCH",
    `The stack ${stack.node.id} has constructs of ${OWN_PACKAGE} ${version}, and the program declares more of it by ${packageVersion()}.`,
    {
      remedy: `Use one version in the stack: npm ls ${OWN_PACKAGE} names the packages that need each.`,
    },
  );
}

const commands = (right: string) =>
  isInOtherLanguage() ? "" : `: npm uninstall ${OWN_PACKAGE} && npm install ${right}`;

let ours: Library | undefined;

function loadFramework(load: (name: string) => unknown): Readonly<Record<string, unknown>> {
  const { name } = FRAMEWORK;
  try {
    return load(name) as Readonly<Record<string, unknown>>;
  } catch (error) {
    if (!isMissingPackage(error, name)) throw error;
    const other = NAMES.find((each) => each !== name && isInstalled(load, each));
    throw new IamTokensError(
      "ERR_PEER_MISSING",
      `${OWN_PACKAGE} needs the package ${name}, which is not installed.`,
      {
        remedy:
          other === undefined
            ? `npm install ${name}`
            : `For ${other}, which is installed, the package is ${other}-iam-tokens: npm install ${other}-iam-tokens.`,
        cause: error,
      },
    );
  }
}

/**
 * Whether loading a package failed because that package is not installed. Alternatively, one of its
 * dependencies is missing; Node.js has the same code for both, and names the package.
 */
export function isMissingPackage(error: unknown, name: string): boolean {
  return (
    errorCodeOf(error) === "MODULE_NOT_FOUND" &&
    error instanceof Error &&
    (error.message.split("\n", 1)[0] ?? "").includes(`'${name}'`)
  );
}

function isInstalled(load: (name: string) => unknown, name: string): boolean {
  try {
    load(name);
    return true;
  } catch {
    return false;
  }
}

/**
 * A warning if no test has used the minor version of the framework that is loaded here:
 * undocumented parts of it (internals.ts) may have another meaning there.
 */
export function untestedFramework(
  library = libraryOf(loadFramework(require).App, NAMES),
): string | undefined {
  if (library === undefined || isUnversioned(library)) return undefined;
  const { name, version } = library;
  const tested = TESTED[name] ?? [];
  if (tested.some((minor) => version.startsWith(`${minor}.`))) return undefined;
  return (
    `${OWN_PACKAGE} ${packageVersion()} was tested with ${name} ${tested.join(", ")}, but not with ${version}. ` +
    `Look for a newer ${OWN_PACKAGE}. Otherwise read the next plan closely, and then acknowledge this warning.`
  );
}

function assertRecent(library: Library | undefined): void {
  if (library === undefined || isUnversioned(library)) return;
  const [major = 0, minor = 0] = numbersOf(library.version);
  const [firstMajor = 0, firstMinor = 0] = numbersOf(TESTED[library.name]?.[0] ?? "");
  if (major < firstMajor || (major === firstMajor && minor < firstMinor))
    throw unsupported(library, "It is too old.");
}

/** A build from a checkout. */
const isUnversioned = ({ version }: Library) => /^0\.0\.0\b/.test(version);

const numbersOf = (version: string) => version.split(/[.+-]/).map(Number);

function lacking(library: Library | undefined, what: string): IamTokensError {
  return unsupported(library, `It has no ${what}, which this package uses.`);
}

function unsupported(library: Library | undefined, why: string): IamTokensError {
  const { name, version } = library ?? { name: FRAMEWORK.name, version: "(of unknown version)" };
  const [first] = TESTED[name] ?? [];
  return new IamTokensError(
    "ERR_FRAMEWORK_UNSUPPORTED",
    `${OWN_PACKAGE} ${packageVersion()} does not work with ${name} ${version}. ${why}`,
    {
      remedy: `Install ${name} ${first}, or a version of ${OWN_PACKAGE} that knows this one: npm install ${name}@${first} or npm install ${OWN_PACKAGE}@latest.`,
    },
  );
}

// The package imports this file first: otherwise an import would fail, or a class extend nothing.
assertInstalled(require);
