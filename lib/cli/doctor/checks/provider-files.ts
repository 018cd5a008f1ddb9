import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { hasOwnFolder, thisPlatform } from "../../../delivery/platforms";
import {
  folderFor,
  launcherName,
  type ProviderFiles,
  readProviderFiles,
} from "../../../delivery/provider-files";
import { lockEntriesIn } from "../../../hcl/lock-entries";
import { PROVIDER_SOURCE } from "../../../provider/names";
import { pathInShell, quote } from "../../../tokens";
import { installationsIn } from "../cli-configuration-files";
import type { DoctorContext } from "../doctor-context";
import { REPLACE_WITH_FILE, readFile } from "../files";
import {
  type Check,
  type Finding,
  type Findings,
  failure,
  findingsOr,
  hasRun,
  ok,
  skipped,
  warning,
} from "../finding";
import type { Stack } from "../project";
import {
  hashOf,
  isExecutable,
  isInDefaultMirror,
  isInitialized,
  providerPlaceOf,
} from "../provider-place";

/** The provider of each stack: complete, for this machine, and executable. */
export const checkProviderFiles: Check = async (context) => {
  const own = readProviderFiles();
  const synthesized = context.stacks.filter(hasFolder);
  const others = context.stacks.filter((stack) => !hasFolder(stack));
  const nowhere = (await isFoundElsewhere(context))
    ? []
    : others.filter((stack) => !isInitialized(stack, context.env)).map(missingProvider);
  if (synthesized.length === 0 && nowhere.length === 0)
    return skipped("No stack's folder contains the provider.");
  if (!hasOwnFolder()) return skipped(`The provider does not support ${thisPlatform()}.`);
  const faults = (
    await Promise.all(synthesized.map((stack) => providerFindings(stack, own)))
  ).flat();
  return findingsOr([...faults, ...nowhere], () =>
    ok(
      `Complete and executable, for ${synthesized.length === 1 ? "the stack" : `${synthesized.length} stacks`}.`,
    ),
  );
};

function hasFolder({ folder, synthesized }: Stack): boolean {
  return synthesized || existsSync(join(folder, "terraform.d"));
}

/** Another check reports errors of a provider_installation block. */
async function isFoundElsewhere(context: DoctorContext): Promise<boolean> {
  if (context.isAttached || isInDefaultMirror(context.env)) return true;
  return (await context.cliConfiguration()).some((file) => installationsIn(file).length > 0);
}

/** Not a failure: a stack that runs below `iam-tokens run` has no provider files and needs none. */
function missingProvider({ name }: Stack): Finding {
  return warning(
    `Terraform cannot find the provider for the stack ${quote(name)}: it would ask the registry npm.invalid, which does not exist.`,
    `${hasRun() ? "Run Terraform with iam-tokens run --; or install" : "Install"} the provider (iam-tokens install DIR) and copy the printed lines into Terraform's CLI configuration.`,
  );
}

async function providerFindings(stack: Stack, own: ProviderFiles): Promise<Findings> {
  const subject = `the stack ${quote(stack.name)}`;
  const again = stack.synthesized
    ? "Synthesize again: that writes the files."
    : "Install it again: iam-tokens install DIR.";
  const place = providerPlaceOf(stack);
  if (place === undefined)
    return failure(
      `The folder of ${subject} does not contain the provider (terraform.d/plugins).`,
      again,
    );
  const { version, folder } = place;
  const { required } = stack;
  if (required !== undefined && /^\d/.test(required) && required !== version)
    return failure(
      `The folder of ${subject} contains version ${version}, but ${required} is required.`,
      again,
    );
  if (!existsSync(folder))
    return failure(
      `The folder of ${subject} contains no provider for ${thisPlatform()}: ${pathInShell(folder)} is missing.`,
      again,
    );
  const name = launcherName(version, thisPlatform());
  const launcher = join(folder, name);
  if (!existsSync(launcher))
    return failure(`The launcher ${pathInShell(launcher)} is missing.`, again);
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

/** Undefined without a lock file. */
async function lockFaultsOf(stack: Stack, own: ProviderFiles): Promise<Findings | undefined> {
  const reading = await readFile(join(stack.folder, LOCK_FILE));
  const subject = `The lock file of the stack ${quote(stack.name)}`;
  if ("failure" in reading)
    return reading.failure === "missing"
      ? undefined
      : failure(`${subject} ${reading.why}.`, REPLACE_WITH_FILE);
  const text = String(reading.content);
  const entries = lockEntriesIn(text);
  if (entries === undefined)
    return failure(
      `${subject} is not a valid Terraform lock file.`,
      "Look for conflict markers in it, or remove it; then synthesize or initialize again.",
    );
  const { synthesized } = stack;
  const anew = synthesized
    ? "Synthesize again: that writes the entry."
    : `Remove the entry of ${PROVIDER_SOURCE} from it, then run terraform init.`;
  const ours = entries.find(({ source }) => source === PROVIDER_SOURCE);
  if (ours === undefined) {
    if (!synthesized) return [];
    return warning(
      `${subject} has no entry for the provider.`,
      `${anew} Without the entry the CDKTF command line asks a registry, and fails.`,
    );
  }
  const entry = text.slice(ours.start, ours.end);
  const [, version] = /^[ \t]*version[ \t]*=[ \t]*"([^"]*)"/m.exec(entry) ?? [];
  const place = providerPlaceOf(stack);
  const expected = place?.version ?? own.version;
  if (version !== expected)
    return failure(
      `${subject} has version ${version ?? "none"} of the provider, but ${place === undefined ? "this package is" : "the folder contains"} ${expected}.`,
      synthesized ? anew : "Run terraform init -upgrade.",
    );
  const h1 = place === undefined ? folderFor(own, thisPlatform()).h1 : await hashOf(place.folder);
  // Another check reports a missing provider.
  if (h1 === undefined || entry.includes(`"${h1}"`)) return [];
  return failure(
    `${subject} has a hash that differs from the provider's: terraform init and plan will fail.`,
    anew,
  );
}
