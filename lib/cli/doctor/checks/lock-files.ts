import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readProviderFiles } from "../../../delivery/provider-files";
import { lockEntriesIn } from "../../../hcl/lock-entries";
import { PROVIDER_SOURCE } from "../../../provider/names";
import { quote } from "../../../tokens";
import type { Check } from "../check";
import { cross, type Finding, ok, skipped, unless, warning } from "../finding";
import type { Stack } from "../project/stack";
import { hashOf, placeBeside } from "../provider-place";

const NAME = ".terraform.lock.hcl";

/** Terraform refuses a provider whose files are not those of the lock file. */
export const checkLockFiles: Check = ({ stacks }) => {
  const own = readProviderFiles();
  const found = stacks.map((stack) => entryOf(stack)).filter((entry) => entry !== undefined);
  if (found.length === 0) return [skipped("No stack with the provider has a lock file yet.")];
  const faults = found.flatMap((entry) => faultsOf(entry, own));
  return unless(faults, () =>
    ok(
      `The hash of the provider is right in ${found.length === 1 ? "the lock file" : `${found.length} lock files`}.`,
    ),
  );
};

interface Entry {
  readonly stack: Stack;
  /** Undefined when the file is not as Terraform writes it. */
  readonly text: string | undefined;
}

function entryOf(stack: Stack): Entry | undefined {
  let text: string;
  try {
    text = readFileSync(join(stack.folder, NAME), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  const entries = lockEntriesIn(text);
  const own = entries?.find(({ source }) => source === PROVIDER_SOURCE);
  return {
    stack,
    text:
      entries === undefined ? undefined : own === undefined ? "" : text.slice(own.start, own.end),
  };
}

function faultsOf(
  { stack, text }: Entry,
  own: { readonly version: string; readonly h1: string },
): readonly Finding[] {
  const shown = `The lock file of the stack ${quote(stack.name)}`;
  const anew = stack.synthesized
    ? "Synthesize again; it writes the entry anew."
    : `Remove the entry of ${PROVIDER_SOURCE} from it, then run terraform init.`;
  if (text === undefined) {
    return [
      cross(
        `${shown} is not as Terraform writes it.`,
        "Look for conflict markers in it; or remove it, then synthesize or initialize again.",
      ),
    ];
  }
  if (text === "") {
    return stack.synthesized
      ? [
          warning(
            `${shown} has no entry for the provider.`,
            `${anew} Without it the CDKTF command line asks a registry, and fails.`,
          ),
        ]
      : [];
  }
  const [, version] = /^[ \t]*version[ \t]*=[ \t]*"([^"]*)"/m.exec(text) ?? [];
  const place = placeBeside(stack);
  const expected = place ?? { version: own.version, folder: undefined };
  if (version !== expected.version) {
    return [
      cross(
        `${shown} has version ${version ?? "none"} of the provider, and ${expected.version} is ${place === undefined ? "this one" : "there"}.`,
        stack.synthesized ? anew : "Run terraform init -upgrade.",
      ),
    ];
  }
  const h1 = expected.folder === undefined ? own.h1 : hashOf(expected.folder);
  // What is missing there is said by another check.
  if (h1 === undefined || text.includes(`"${h1}"`)) return [];
  return [
    cross(
      `${shown} has another hash than the provider that is there: terraform init and plan fail.`,
      anew,
    ),
  ];
}
