import { IamTokensError, quote } from "../../../tokens";
import type { Check } from "../check";
import { cross, crossOf, type Finding, ok, warning } from "../finding";
import { oldestWithEphemerals } from "../terraform-version";

/** Which Terraform or OpenTofu is run here, and whether it can do what the stacks need. */
export const checkTerraform: Check = async (scene) => {
  const { binary, version, outcome } = await scene.terraform();
  const shown = quote(binary);
  const choose = "Install Terraform or OpenTofu, or name it: TERRAFORM_BINARY_NAME=tofu.";
  if (outcome.kind === "missing") return [cross(`There is no ${shown} here.`, choose)];
  if (outcome.kind === "too late")
    return [
      cross(`${shown} version does not end.`, `Run it by hand in the project's folder. ${choose}`),
    ];
  if (version === undefined) {
    const how =
      outcome.kind === "not started"
        ? ` (${outcome.code})`
        : outcome.exitCode === 0
          ? ""
          : ` (exit code ${outcome.exitCode})`;
    return [
      cross(
        `${shown} version does not tell a version${how}.`,
        `Run it by hand in the project's folder. ${choose}`,
      ),
    ];
  }
  const { product, hasEphemerals, hasWriteOnly } = version;
  const what = `${product} ${version.version}`;
  const faults: Finding[] = [];
  const wants = (need: "ephemerals" | "writeOnly") =>
    scene.project.stacks.filter(({ needs }) => needs[need]).map(({ name }) => name);
  const [ephemeral, writeOnly] = [wants("ephemerals"), wants("writeOnly")];
  if (!hasEphemerals && ephemeral.length > 0) {
    faults.push(
      crossOf(
        new IamTokensError(
          "ERR_TERRAFORM_TOO_OLD",
          `${what} has no ephemeral resources, and ${named(ephemeral)} use${ephemeral.length > 1 ? "" : "s"} them.`,
          {
            remedy: `Use ${oldestWithEphemerals()}, or declare the tokens with resolution: TokenResolution.DATA.`,
          },
        ),
      ),
    );
  }
  if (!hasWriteOnly && writeOnly.length > 0) {
    faults.push(
      cross(
        `${what} has no write-only arguments, and ${named(writeOnly)} use${writeOnly.length > 1 ? "" : "s"} them.`,
        "Use Terraform 1.11 or newer, OpenTofu 1.11 or newer.",
      ),
    );
  }
  if (faults.length > 0) return faults;
  if (!hasEphemerals) {
    return [
      warning(
        `${what} has no ephemeral resources: tokens can only be of data sources or rotating, and land in plan and state.`,
        `Use ${oldestWithEphemerals()}.`,
      ),
    ];
  }
  return [
    ok(
      `${what}, with ephemeral resources${hasWriteOnly ? " and write-only arguments" : ", without write-only arguments"}.`,
    ),
  ];
};

function named(stacks: readonly string[]): string {
  return `${stacks.length > 1 ? "the stacks" : "the stack"} ${stacks.map(quote).join(", ")}`;
}
