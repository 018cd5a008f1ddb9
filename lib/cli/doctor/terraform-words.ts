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

/** Of no use in a trial folder. */
const ADVICE = /^(?:As a result of the above problems|To see which modules).*/ms;

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
    const line = oneLine(each.replace(ADVICE, "").replace("\n\n", ".\n").replace(TWO_STOPS, "."));
    if (!line.startsWith(PARSING)) return line;
    const [place = `${PARSING}a file`] = PLACE.exec(line) ?? [];
    return `${place}.`;
  });
  return shortened(words.join(" ").replaceAll(/\/\/[^\s/@]+@/g, "//…@"), LENGTH);
}

/** The next step for what Terraform says about a stack, and perhaps about those next to it. */
export function remedyFor(words: string, folder: string): string {
  if (/permission denied/i.test(words))
    return `chmod +x ${pathInShell(dirname(folder))}/*/terraform.d/plugins/${PROVIDER_SOURCE}/*/*/terraform-provider-*, or synthesize on the machine that applies.`;
  if (/reattach/i.test(words))
    return "Unset TF_REATTACH_PROVIDERS: the provider that it names has ended.";
  if (/Unsupported \w+ Core version/i.test(words))
    return "Use a newer Terraform or OpenTofu, or store the tokens in the state: resolution DATA or ROTATING.";
  if (/lock\.hcl|lock file/i.test(words))
    return "Look for conflict markers in .terraform.lock.hcl, or remove it; then synthesize again, or run init.";
  const run = "Run Terraform with iam-tokens run --, which needs no installed provider; or install";
  return `${process.platform === "win32" ? "Install" : run} the provider (iam-tokens install DIR) and add the printed lines to Terraform's CLI configuration, merged with a provider_installation block that is there.`;
}
