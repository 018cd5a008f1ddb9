import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { readProviderFiles } from "../../../constructs/delivery/provider-files";
import { quote } from "../../../tokens";
import { pathInShell } from "../../shell-quoted";
import type { Check } from "../check";
import { cross, type Finding, ok, skipped, unless } from "../finding";
import { thisPlatform } from "../platform";
import type { Stack } from "../project/stack";
import { hashOf, mayRun, placeBeside } from "../provider-place";

/** The provider beside each stack: there, whole, for this machine, and with its run bit. */
export const checkProviderFiles: Check = ({ stacks }) => {
  const own = readProviderFiles();
  const synthesized = stacks.filter(({ folder, synthesized }) => synthesized || existsSync(join(folder, "terraform.d")));
  if (synthesized.length === 0) return [skipped("No stack here has the provider beside it.")];
  const faults = synthesized.flatMap((stack) => faultsOf(stack, own.version, own.h1));
  return unless(faults, () =>
    ok(`Whole, and may be run, beside ${synthesized.length === 1 ? "the stack" : `${synthesized.length} stacks`}.`),
  );
};

function faultsOf(stack: Stack, version: string, h1: string): readonly Finding[] {
  const shown = `the stack ${quote(stack.name)}`;
  const again = stack.synthesized ? "Synthesize again; it lays the files out anew." : "Lay it out again: iam-tokens install DIR.";
  const place = placeBeside(stack);
  if (place === undefined) return [cross(`There is no provider beside ${shown} (terraform.d/plugins).`, again)];
  if (stack.required !== undefined && /^\d/.test(stack.required) && stack.required !== place.version) {
    return [cross(`Beside ${shown} is version ${place.version}, and ${stack.required} is required.`, again)];
  }
  if (!existsSync(place.folder)) {
    return [cross(`Beside ${shown} is no provider for ${thisPlatform()}: ${pathInShell(place.folder)} is missing.`, again)];
  }
  const launcher = join(place.folder, `terraform-provider-iam_v${place.version}`);
  if (!existsSync(launcher)) return [cross(`The launcher ${pathInShell(launcher)} is missing.`, again)];
  if (!mayRun(launcher)) {
    return [
      cross(
        `The launcher of ${shown} cannot be run: its run bit is gone, as by an upload of artifacts that keeps no modes.`,
        `chmod +x ${pathInShell(dirname(place.folder))}/*/${pathInShell(`terraform-provider-iam_v${place.version}`)}, or synthesize on the machine that applies.`,
      ),
    ];
  }
  if (place.version !== version || hashOf(place.folder) === h1) return [];
  return [cross(`The provider beside ${shown} is not the one of this package, though it has the same version.`, again)];
}
