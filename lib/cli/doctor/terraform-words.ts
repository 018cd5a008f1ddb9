import { PROVIDER_SOURCE } from "../../provider/names";
import { OWN_COMMAND } from "../../tokens";

/** The next step for what Terraform says about a stack. */
export function remedyFor(words: string): string {
  const rows: readonly (readonly [RegExp, string])[] = [
    [
      /permission denied/i,
      `In the stack's folder: chmod +x terraform.d/plugins/${PROVIDER_SOURCE}/*/*/terraform-provider-*; or synthesize on the machine that applies. If the launcher has its permission, its file system is mounted noexec: ${OWN_COMMAND} run -- needs no installed provider.`,
    ],
    [
      /fork\/exec.*no such file/i,
      "The launcher needs /bin/sh, which this machine lacks: use an image with a shell.",
    ],
    [
      /failed to read any lines/i,
      "Node.js ended at its start: run node there by itself. A unit of systemd with MemoryDenyWriteExecute, or a limit of memory, ends it.",
    ],
    [/reattach/i, "Unset TF_REATTACH_PROVIDERS: the provider that it names has ended."],
    [
      /Unsupported \w+ Core version/i,
      "Use a newer Terraform or OpenTofu, or store the tokens in the state: resolution DATA or ROTATING.",
    ],
    [
      /lock\.hcl|lock file/i,
      "Look for conflict markers in .terraform.lock.hcl, or remove it; then synthesize again, or run init.",
    ],
    [/there is no package for|run .?\w+ init/i, "Run init in this folder."],
    [
      /npm\.invalid\/cdktf-iam-tokens\/iam/,
      `Run Terraform with ${OWN_COMMAND} run --, which needs no installed provider (not on Windows); or install it (${OWN_COMMAND} install DIR) and add the printed lines to Terraform's CLI configuration.`,
    ],
  ];
  const [, remedy = "Correct what Terraform reports."] = rows.find(([is]) => is.test(words)) ?? [];
  return remedy;
}
