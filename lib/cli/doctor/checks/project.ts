import { FRAMEWORK, OWN_PACKAGE } from "../../../framework";
import { PROVIDER_SOURCE } from "../../../provider/names";
import { pathInShell, quote } from "../../../tokens";
import type { Check } from "../doctor-context";
import { REPLACE_WITH_FILE } from "../files";
import { failure, findingsOr, ok, skipped } from "../finding";
import { NO_CONFIGURATION } from "../project";

/** Finds a project to check. */
export const checkProject: Check = ({ project, stacks }) => {
  const all = project.stacks;
  if (project.problem !== undefined)
    return failure(project.problem, "Correct it: it names the program and the output folder.");
  if (all.length === 0 && project.cdktf)
    return failure(
      "The project has a cdktf.json, but no synthesized stack.",
      `Run ${FRAMEWORK.name} synth first, and check that its output folder is the one in cdktf.json.`,
    );
  if (all.length === 0)
    return skipped(
      `${pathInShell(project.folder)} has neither a cdktf.json nor a Terraform configuration; only the machine is checked.`,
    );
  const unreadable = all.flatMap(({ name, unreadable }) =>
    unreadable.map(({ file, why }) =>
      failure(
        `${pathInShell(`${name}/${file}`)} ${why}.`,
        why === NO_CONFIGURATION
          ? "Run terraform validate there: it names the line."
          : REPLACE_WITH_FILE,
      ),
    ),
  );
  return findingsOr(unreadable, () => {
    const count = `${all.length} ${all.length === 1 ? "stack" : "stacks"}`;
    if (stacks.length === 0)
      return skipped(
        `${count}; ${all.length === 1 ? "it does not use" : "none of them uses"} the provider of ${OWN_PACKAGE}.`,
      );
    const names = stacks.slice(0, 10).map(({ name }) => name);
    const use =
      all.length === 1 ? "which uses the provider" : `${stacks.length} of them with the provider`;
    return ok(`${count}, ${use}: ${names.join(", ")}${stacks.length > 10 ? ", …" : ""}.`);
  });
};

/** Without the requirement, Terraform would take `iam` for one of HashiCorp's providers. */
export const checkRequiredProviders: Check = ({ stacks, version }) => {
  if (stacks.length === 0) return skipped("No stack uses the provider.");
  const faults = stacks.flatMap(({ name, required, synthesized }) => {
    if (required === undefined) {
      return failure(
        `The stack ${quote(name)} uses the provider but does not require it: Terraform would look for hashicorp/iam.`,
        synthesized
          ? "Synthesize again; code that adds the blocks by hand must also add required_providers."
          : `Add to the terraform block: required_providers { iam = { source = "${PROVIDER_SOURCE}", version = "${version}" } }.`,
      );
    }
    // Synthesis writes exactly one version; people may write any constraint, which Terraform
    // evaluates.
    if (!/^\d+\.\d+\.\d+(?:[^\s\d]\S*)?$/.test(required) || required === version) return [];
    return failure(
      `The stack ${quote(name)} requires version ${required}, but this is ${OWN_PACKAGE} ${version}.`,
      synthesized
        ? `Run the project's own doctor (npx ${OWN_PACKAGE} doctor), or synthesize again with this version.`
        : "Require this version, or run the doctor of the required version.",
    );
  });
  const suffix = stacks.some(({ required }) => required === version) ? ` ${version}` : "";
  return findingsOr(faults, () => ok(`Required as ${PROVIDER_SOURCE}${suffix}.`));
};
