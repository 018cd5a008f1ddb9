import { isTable } from "../../hcl/json";
import type { Fragment } from "../framework/internals";

/**
 * Ephemeral resources came with Terraform 1.10 (and with OpenTofu 1.11, for which a constraint
 * cannot speak separately).
 */
const EPHEMERAL_CONSTRAINT = ">= 1.10.0";

/**
 * A stack's configuration with `terraform.required_version`, joined with the user's own. One that
 * is not a string stays: Terraform names the mistake, which would otherwise be gone with its
 * meaning.
 */
export function withEphemerals(written: Fragment): Fragment {
  const { terraform = {} } = written;
  if (!isTable(terraform)) return written;
  const { required_version: users = EPHEMERAL_CONSTRAINT } = terraform;
  if (typeof users !== "string") return written;
  const all = [...users.split(","), EPHEMERAL_CONSTRAINT].map((constraint) => constraint.trim());
  const required_version = [...new Set(all)].join(", ");
  return { ...written, terraform: { ...terraform, required_version } };
}
