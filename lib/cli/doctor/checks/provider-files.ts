import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { readProviderFiles } from "../../../delivery/provider-files";
import { quote } from "../../../tokens";
import { pathInShell } from "../../shell-quoted";
import type { Check } from "../check";
import { installationsIn } from "../cli-configuration-files";
import { cross, type Finding, ok, skipped, unless, warning } from "../finding";
import { thisPlatform } from "../platform";
import type { Stack } from "../project/stack";
import { hashOf, isInitialized, isWhereLooked, mayRun, placeBeside } from "../provider-place";
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
    return [skipped("No stack here has the provider beside it.")];
  const faults = [
    ...synthesized.flatMap((stack) => faultsOf(stack, own.version, own.h1)),
    ...nowhere,
  ];
  return unless(faults, () =>
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

function faultsOf(stack: Stack, version: string, h1: string): readonly Finding[] {
  const shown = `the stack ${quote(stack.name)}`;
  const again = stack.synthesized
    ? "Synthesize again; it lays the files out anew."
    : "Lay it out again: iam-tokens install DIR.";
  const place = placeBeside(stack);
  if (place === undefined)
    return [cross(`There is no provider beside ${shown} (terraform.d/plugins).`, again)];
  if (
    stack.required !== undefined &&
    /^\d/.test(stack.required) &&
    stack.required !== place.version
  ) {
    return [
      cross(
        `Beside ${shown} is version ${place.version}, and ${stack.required} is required.`,
        again,
      ),
    ];
  }
  if (!existsSync(place.folder)) {
    return [
      cross(
        `Beside ${shown} is no provider for ${thisPlatform()}: ${pathInShell(place.folder)} is missing.`,
        again,
      ),
    ];
  }
  const launcher = join(place.folder, `terraform-provider-iam_v${place.version}`);
  if (!existsSync(launcher))
    return [cross(`The launcher ${pathInShell(launcher)} is missing.`, again)];
  if (!mayRun(launcher)) {
    return [
      cross(
        `The launcher of ${shown} cannot be run: its run bit is gone, as by an upload of artifacts that keeps no modes.`,
        `chmod +x ${pathInShell(dirname(place.folder))}/*/${pathInShell(`terraform-provider-iam_v${place.version}`)}, or synthesize on the machine that applies.`,
      ),
    ];
  }
  if (place.version !== version || hashOf(place.folder) === h1) return [];
  return [
    cross(
      `The provider beside ${shown} is not the one of this package, though it has the same version.`,
      again,
    ),
  ];
}
