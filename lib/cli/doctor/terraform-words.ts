import { dirname } from "node:path";
import { PROVIDER_SOURCE } from "../../provider/names";
import { shortened } from "../../tokens";
import { pathInShell } from "../shell-quoted";
import { oneLine } from "./finding";

/** Far above what Terraform says about one provider. */
const LENGTH = 2_000;

const PARSING = "Error: Error parsing ";
const PLACE = /^Error: Error parsing (?:(?!: ).)*(?=: )(?:: At \d+:\d+)?/;

/** Terraform adds one to the end of an error of the system. */
const TWO_STOPS = /\.\.(?=\s|$)/g;

/**
 * Terraform's errors and warnings, without the frames around them, and without what may be secret:
 * an error in a file of its command line repeats a part of it, which may be a token.
 *
 * @returns undefined if it has printed none
 */
export function terraformWords(printed: string): string | undefined {
  const text = printed.replaceAll(/\r|^[╷│╵] ?/gm, "");
  const diagnostics = text
    .split(/^(?=(?:Error|Warning): )/m)
    .filter((each) => /^(?:Error|Warning): /.test(each));
  if (diagnostics.length === 0) return undefined;
  const words = diagnostics.map((each) => {
    const line = oneLine(each.replace("\n\n", ".\n").replace(TWO_STOPS, "."));
    if (!line.startsWith(PARSING)) return line;
    const [place = `${PARSING}a file`] = PLACE.exec(line) ?? [];
    return `${place}.`;
  });
  return shortened(words.join(" ").replaceAll(/\/\/[^\s/@]+@/g, "//…@"), LENGTH);
}

/**
 * The next step for what Terraform says about a stack.
 *
 * @param program the command as the user calls it
 * @param stack the folder of the stack
 */
export function remedyFor(words: string, program: string, stack: string): string {
  const run = `Run Terraform with ${program} run --, which needs no installed provider`;
  if (/permission denied/i.test(words))
    return `chmod +x ${pathInShell(dirname(stack))}/*/terraform.d/plugins/${PROVIDER_SOURCE}/*/*/terraform-provider-*, or synthesize on the machine that applies. If the launcher has its permission, its file system is mounted noexec: ${program} run -- needs no installed provider.`;
  if (/fork\/exec.*no such file/i.test(words))
    return "The launcher needs /bin/sh, which this machine lacks: use an image with a shell.";
  if (/failed to read any lines/i.test(words))
    return "Node.js ended at its start: run node there by itself. A unit of systemd with MemoryDenyWriteExecute, or a limit of memory, ends it.";
  if (/reattach/i.test(words))
    return "Unset TF_REATTACH_PROVIDERS: the provider that it names has ended.";
  if (/Unsupported \w+ Core version/i.test(words))
    return "Use a newer Terraform or OpenTofu, or store the tokens in the state: resolution DATA or ROTATING.";
  if (/there is no package for|run .?\w+ init/i.test(words))
    return `Run init in this folder, or ${program} doctor --init.`;
  if (/lock\.hcl|lock file/i.test(words))
    return "Look for conflict markers in .terraform.lock.hcl, or remove it; then synthesize again, or run init.";
  if (!words.includes(PROVIDER_SOURCE)) return "Correct what Terraform reports.";
  const install = `install the provider (${program} install DIR) and add the printed lines to Terraform's CLI configuration, merged with a provider_installation block that is there`;
  return process.platform === "win32"
    ? `${install.charAt(0).toUpperCase()}${install.slice(1)}.`
    : `${run}; or ${install}.`;
}
