import { existsSync, lstatSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pluginFolder } from "../../../delivery/lay-out";
import { hasOwnFolder, thisPlatform } from "../../../delivery/platforms";
import {
  dirHash,
  folderFor,
  launcherName,
  type ProviderFiles,
  readProviderFiles,
} from "../../../delivery/provider-files";
import { lockEntriesIn } from "../../../hcl/lock-entries";
import { PROVIDER_SOURCE } from "../../../provider/names";
import { pathInShell, quote } from "../../../tokens";
import type { Check, DoctorContext } from "../doctor-context";
import { namesIn, REPLACE_WITH_FILE, readFile } from "../files";
import { type Finding, type Findings, failure, findingsOr, ok, skipped, warning } from "../finding";
import type { Stack } from "../project";

/** The provider of each stack: complete, for this machine, and executable. */
export const checkProviderFiles: Check = async ({ stacks, env }) => {
  const own = readProviderFiles();
  const dead = stacks.flatMap((stack) => deadLinksOf(stack, env));
  const complete = stacks.filter(
    ({ synthesized, folder }) => synthesized || versionsIn(pluginFolder(folder)).length > 0,
  );
  if (dead.length === 0 && complete.length === 0)
    return skipped("No stack's folder contains the provider.");
  if (!hasOwnFolder()) return skipped(`The provider does not support ${thisPlatform()}.`);
  const faults = (await Promise.all(complete.map((stack) => providerFindings(stack, own)))).flat();
  return findingsOr([...faults, ...dead], () =>
    ok(
      `Complete and executable, for ${complete.length === 1 ? "the stack" : `${complete.length} stacks`}.`,
    ),
  );
};

/** `init` leaves links to the provider, which does not always stay. */
function deadLinksOf({ name, folder }: Stack, env: DoctorContext["env"]): readonly Finding[] {
  const root = resolve(folder, env.TF_DATA_DIR || ".terraform", "providers");
  const base = join(root, ...PROVIDER_SOURCE.split("/"));
  const links = namesIn(base).map((version) => join(base, version, thisPlatform()));
  return links
    .filter((link) => lstatSync(link, { throwIfNoEntry: false }) && !existsSync(link))
    .map((link) =>
      failure(
        `The stack ${quote(name)} was initialized with a provider that no longer exists: ${pathInShell(link)} is a broken link.`,
        "Run terraform init there again.",
      ),
    );
}

async function providerFindings(stack: Stack, own: ProviderFiles): Promise<Findings> {
  const subject = `the stack ${quote(stack.name)}`;
  const again = stack.synthesized
    ? "Synthesize again: that writes the files."
    : "Install it again: iam-tokens install DIR.";
  const { version, folder } = placeOf(stack, own);
  const wanted = /^\d/.test(stack.required ?? "") ? stack.required : version;
  const name = launcherName(version, thisPlatform());
  const launcher = join(folder, name);
  if (version !== wanted || !existsSync(launcher))
    return failure(
      `The folder of ${subject} does not contain the provider ${wanted} for ${thisPlatform()} (terraform.d/plugins).`,
      again,
    );
  if (!isExecutable(launcher))
    return failure(
      `The launcher of ${subject} is not executable. An artifact upload may have dropped its file mode.`,
      `chmod +x ${pathInShell(dirname(folder))}/*/${pathInShell(name)}, or synthesize on the machine that applies.`,
    );
  if (version !== own.version || (await hashOf(folder)) === folderFor(own, thisPlatform()).h1)
    return [];
  return failure(
    `The provider in the folder of ${subject} has this package's version but different contents.`,
    again,
  );
}

/** The provider in a stack's folder, for this machine. */
interface ProviderPlace {
  readonly version: string;
  readonly folder: string;
}

/** Of the required version, or of another that is there. */
function placeOf({ folder, required }: Stack, own: ProviderFiles): ProviderPlace {
  const base = pluginFolder(folder);
  const versions = versionsIn(base);
  const version = versions.find((each) => each === required) ?? versions.at(-1) ?? own.version;
  return { version, folder: join(base, version, thisPlatform()) };
}

function versionsIn(base: string): readonly string[] {
  return namesIn(base).filter((name) => /^\d/.test(name));
}

/** What Terraform's lock file must contain; undefined if the folder cannot be read. */
async function hashOf(folder: string): Promise<string | undefined> {
  const files = [];
  for (const name of namesIn(folder)) {
    const reading = await readFile(join(folder, name));
    if ("failure" in reading) return undefined;
    files.push({ name, content: reading.content });
  }
  return files.length === 0 ? undefined : dirHash(files);
}

/** Windows has no such bit. */
function isExecutable(path: string): boolean {
  return process.platform === "win32" || (lstatSync(path).mode & 0o111) !== 0;
}

const LOCK_FILE = ".terraform.lock.hcl";

/** Terraform refuses a provider whose files do not match the lock file. */
export const checkLockFiles: Check = async ({ stacks }) => {
  const own = readProviderFiles();
  const found = (await Promise.all(stacks.map((stack) => lockFaultsOf(stack, own)))).filter(
    (faults) => faults !== undefined,
  );
  if (found.length === 0) return skipped("No stack with the provider has a lock file yet.");
  return findingsOr(found.flat(), () =>
    ok(
      `The hash of the provider is right in ${found.length === 1 ? "the lock file" : `${found.length} lock files`}.`,
    ),
  );
};

/** The provider's entry in the lock file of a stack; undefined without one. */
export async function lockEntryOf({ folder }: Stack): Promise<string | undefined> {
  const reading = await readFile(join(folder, LOCK_FILE));
  if ("failure" in reading) return undefined;
  const text = String(reading.content);
  const ours = lockEntriesIn(text)?.find(({ source }) => source === PROVIDER_SOURCE);
  return ours && text.slice(ours.start, ours.end);
}

/** Undefined without a lock file. */
async function lockFaultsOf(stack: Stack, own: ProviderFiles): Promise<Findings | undefined> {
  const reading = await readFile(join(stack.folder, LOCK_FILE));
  const subject = `The lock file of the stack ${quote(stack.name)}`;
  if ("failure" in reading)
    return reading.failure === "missing"
      ? undefined
      : failure(`${subject} ${reading.why}.`, REPLACE_WITH_FILE);
  if (lockEntriesIn(String(reading.content)) === undefined)
    return failure(
      `${subject} is not a valid Terraform lock file.`,
      "Look for conflict markers in it, or remove it; then synthesize or initialize again.",
    );
  const { synthesized } = stack;
  const anew = synthesized
    ? "Synthesize again: that writes the entry."
    : `Remove the entry of ${PROVIDER_SOURCE} from it, then run terraform init.`;
  const entry = await lockEntryOf(stack);
  if (entry === undefined) {
    if (!synthesized) return [];
    return warning(
      `${subject} has no entry for the provider.`,
      `${anew} Without the entry the CDKTF command line asks a registry, and fails.`,
    );
  }
  const [, version] = /^[ \t]*version[ \t]*=[ \t]*"([^"]*)"/m.exec(entry) ?? [];
  const { version: expected, folder } = placeOf(stack, own);
  if (version !== expected)
    return failure(
      `${subject} has version ${version ?? "none"} of the provider, but the provider here is ${expected}.`,
      synthesized ? anew : "Run terraform init -upgrade.",
    );
  const isElsewhere = !existsSync(folder) && expected === own.version;
  const h1 = isElsewhere ? folderFor(own, thisPlatform()).h1 : await hashOf(folder);
  // Another check reports a missing provider.
  if (h1 === undefined || entry.includes(`"${h1}"`)) return [];
  return failure(
    `${subject} has a hash that differs from the provider's: terraform init and plan will fail.`,
    anew,
  );
}
