import { PROVIDER_SOURCE } from "../../../provider/names";
import { quote } from "../../../tokens";
import { pathInShell } from "../../shell-quoted";
import { PUT_A_FILE } from "../files";
import { type Check, cross, ok, skipped, unless } from "../finding";
import { NO_CONFIGURATION } from "../project";

/** What there is to be looked at. */
export const checkProject: Check = ({ project, stacks }) => {
  const all = project.stacks;
  if (project.problem !== undefined)
    return cross(project.problem, "Correct it: it names the program and the output folder.");
  if (all.length === 0 && project.cdktf)
    return cross(
      "There is a cdktf.json, and no stack is synthesized.",
      "Run cdktf synth first, and look whether its output folder is the one of cdktf.json.",
    );
  if (all.length === 0)
    return skipped(
      `${pathInShell(project.folder)} has neither a cdktf.json nor a configuration of Terraform; only the machine is looked at.`,
    );
  const unreadable = all.flatMap(({ name, unreadable }) =>
    unreadable.map(({ file, why }) =>
      cross(
        `${pathInShell(`${name}/${file}`)} ${why}.`,
        why === NO_CONFIGURATION ? "Run terraform validate there: it names the place." : PUT_A_FILE,
      ),
    ),
  );
  return unless(unreadable, () => {
    const count = `${all.length} ${all.length === 1 ? "stack" : "stacks"}`;
    if (stacks.length === 0)
      return skipped(
        `${count}, and no provider of cdktf-iam-tokens in ${all.length === 1 ? "it" : "them"}.`,
      );
    const names = stacks.slice(0, 10).map(({ name }) => name);
    return ok(
      `${count}, ${stacks.length} of them with the provider: ${names.join(", ")}${stacks.length > 10 ? ", …" : ""}.`,
    );
  });
};

/** Without the requirement Terraform would take `iam` for a provider of HashiCorp's. */
export const checkRequiredProviders: Check = ({ stacks, version }) => {
  if (stacks.length === 0) return skipped("No stack uses the provider.");
  const faults = stacks.flatMap(({ name, required, synthesized }) => {
    if (required === undefined) {
      return cross(
        `The stack ${quote(name)} uses the provider, and does not require it: Terraform would look for hashicorp/iam.`,
        synthesized
          ? "Synthesize again; what adds the blocks by hand has to add required_providers too."
          : `Add to the terraform block: required_providers { iam = { source = "${PROVIDER_SOURCE}", version = "${version}" } }.`,
      );
    }
    // Synthesis writes the one version; what people write may be any constraint, which is
    // Terraform's to judge.
    if (!/^\d+\.\d+\.\d+\S*$/.test(required) || required === version) return [];
    return cross(
      `The stack ${quote(name)} requires version ${required}, and this is cdktf-iam-tokens ${version}.`,
      synthesized
        ? "Run the doctor of the project itself (npx cdktf-iam-tokens doctor), or synthesize again with this version."
        : "Require this version, or run the doctor of that one.",
    );
  });
  const suffix = stacks.some(({ required }) => required === version) ? ` ${version}` : "";
  return unless(faults, () => ok(`Required as ${PROVIDER_SOURCE}${suffix}.`));
};
