import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { type ProviderFiles, readProviderFiles } from "../../../delivery/provider-files";
import { lockEntriesIn } from "../../../hcl/lock-entries";
import { PROVIDER_SOURCE } from "../../../provider/names";
import { quote } from "../../../tokens";
import { pathInShell } from "../../shell-quoted";
import { installationsIn } from "../cli-configuration-files";
import { PUT_A_FILE, readFile } from "../files";
import {
  type Check,
  cross,
  type Finding,
  type Findings,
  ok,
  skipped,
  unless,
  warning,
} from "../finding";
import type { Stack } from "../project";
import {
  hashOf,
  isInitialized,
  isWhereLooked,
  mayRun,
  placeBeside,
  thisPlatform,
} from "../provider-place";
import type { Scene } from "../scene";

/** The provider beside each stack: there, whole, for this machine, and with its run bit. */
export const checkProviderFiles: Check = async (scene) => {
  const own = readProviderFiles();
  const synthesized = scene.stacks.filter(hasFolder);
  const others = scene.stacks.filter((stack) => !hasFolder(stack));
  const nowhere = (await isFoundElsewhere(scene))
    ? []
    : others.filter((stack) => !isInitialized(stack)).map(toNowhere);
  if (synthesized.length === 0 && nowhere.length === 0)
    return skipped("No stack here has the provider beside it.");
  const faults = (await Promise.all(synthesized.map((stack) => faultsBeside(stack, own)))).flat();
  return unless([...faults, ...nowhere], () =>
    ok(
      `Whole, and may be run, beside ${synthesized.length === 1 ? "the stack" : `${synthesized.length} stacks`}.`,
    ),
  );
};

function hasFolder({ folder, synthesized }: Stack): boolean {
  return synthesized || existsSync(join(folder, "terraform.d"));
}

/** What a provider_installation block lacks is said by another check. */
async function isFoundElsewhere(scene: Scene): Promise<boolean> {
  if (scene.isAttached || isWhereLooked(scene.env)) return true;
  return (await scene.cliConfiguration()).some((file) => installationsIn(file).length > 0);
}

/** No cross: what is to be run below `iam-tokens run` has it nowhere, and needs it nowhere. */
function toNowhere({ name }: Stack): Finding {
  return warning(
    `Terraform finds no provider for the stack ${quote(name)} by itself: it would ask the registry npm.invalid, which there is none of.`,
    "Run Terraform below iam-tokens run --; or lay the provider out (iam-tokens install DIR), and put the lines that it prints into the configuration of Terraform's command line.",
  );
}

async function faultsBeside(stack: Stack, own: ProviderFiles): Promise<Findings> {
  const shown = `the stack ${quote(stack.name)}`;
  const again = stack.synthesized
    ? "Synthesize again; it lays the files out anew."
    : "Lay it out again: iam-tokens install DIR.";
  const place = placeBeside(stack);
  if (place === undefined)
    return cross(`There is no provider beside ${shown} (terraform.d/plugins).`, again);
  const { version, folder } = place;
  const { required } = stack;
  if (required !== undefined && /^\d/.test(required) && required !== version)
    return cross(`Beside ${shown} is version ${version}, and ${required} is required.`, again);
  if (!existsSync(folder))
    return cross(
      `Beside ${shown} is no provider for ${thisPlatform()}: ${pathInShell(folder)} is missing.`,
      again,
    );
  const name = `terraform-provider-iam_v${version}`;
  const launcher = join(folder, name);
  if (!existsSync(launcher))
    return cross(`The launcher ${pathInShell(launcher)} is missing.`, again);
  if (!mayRun(launcher))
    return cross(
      `The launcher of ${shown} cannot be run: its run bit is gone, as by an upload of artifacts that keeps no modes.`,
      `chmod +x ${pathInShell(dirname(folder))}/*/${pathInShell(name)}, or synthesize on the machine that applies.`,
    );
  if (version !== own.version || (await hashOf(folder)) === own.h1) return [];
  return cross(
    `The provider beside ${shown} is not the one of this package, though it has the same version.`,
    again,
  );
}

const LOCK_FILE = ".terraform.lock.hcl";

/** Terraform refuses a provider whose files are not those of the lock file. */
export const checkLockFiles: Check = async ({ stacks }) => {
  const own = readProviderFiles();
  const found = (await Promise.all(stacks.map((stack) => lockFaultsOf(stack, own)))).filter(
    (faults) => faults !== undefined,
  );
  if (found.length === 0) return skipped("No stack with the provider has a lock file yet.");
  return unless(found.flat(), () =>
    ok(
      `The hash of the provider is right in ${found.length === 1 ? "the lock file" : `${found.length} lock files`}.`,
    ),
  );
};

/** Undefined when there is no lock file. */
async function lockFaultsOf(stack: Stack, own: ProviderFiles): Promise<Findings | undefined> {
  const reading = await readFile(join(stack.folder, LOCK_FILE));
  const shown = `The lock file of the stack ${quote(stack.name)}`;
  if ("failure" in reading)
    return reading.failure === "missing"
      ? undefined
      : cross(`${shown} ${reading.why}.`, PUT_A_FILE);
  const text = String(reading.content);
  const entries = lockEntriesIn(text);
  if (entries === undefined)
    return cross(
      `${shown} is not as Terraform writes it.`,
      "Look for conflict markers in it; or remove it, then synthesize or initialize again.",
    );
  const { synthesized } = stack;
  const anew = synthesized
    ? "Synthesize again; it writes the entry anew."
    : `Remove the entry of ${PROVIDER_SOURCE} from it, then run terraform init.`;
  const ours = entries.find(({ source }) => source === PROVIDER_SOURCE);
  if (ours === undefined) {
    if (!synthesized) return [];
    return warning(
      `${shown} has no entry for the provider.`,
      `${anew} Without it the CDKTF command line asks a registry, and fails.`,
    );
  }
  const entry = text.slice(ours.start, ours.end);
  const [, version] = /^[ \t]*version[ \t]*=[ \t]*"([^"]*)"/m.exec(entry) ?? [];
  const place = placeBeside(stack);
  const expected = place?.version ?? own.version;
  if (version !== expected)
    return cross(
      `${shown} has version ${version ?? "none"} of the provider, and ${expected} is ${place === undefined ? "this one" : "there"}.`,
      synthesized ? anew : "Run terraform init -upgrade.",
    );
  const h1 = place === undefined ? own.h1 : await hashOf(place.folder);
  // What is missing there is said by another check.
  if (h1 === undefined || entry.includes(`"${h1}"`)) return [];
  return cross(
    `${shown} has another hash than the provider that is there: terraform init and plan fail.`,
    anew,
  );
}
