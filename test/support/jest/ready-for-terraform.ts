import { versionOf } from "../../toolchain/terraform-here";
import { hasTerraform, terraformBinary } from "../terraform";

const distIsNew: () => Promise<boolean> = require("./dist-is-new.cjs");

/**
 * Ends a run above the unit level before its first test, with one sentence, where each would fail
 * for the same reason.
 */
export default async function readyForTerraform(): Promise<void> {
  const name = terraformBinary();
  const { text, isNewEnough } = versionOf(name, process.env);
  if (!(await distIsNew())) process.exit(1);
  if (!hasTerraform() || isNewEnough) return;
  process.stderr.write(
    `${name} is ${text}: the tests need Terraform 1.10, OpenTofu 1.11 or newer (TERRAFORM_BINARY_NAME, or PATH).\n`,
  );
  process.exit(1);
}
