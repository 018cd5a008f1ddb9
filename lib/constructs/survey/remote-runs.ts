import { TerraformBackend, type TerraformStack } from "cdktf";
import { member } from "../../hcl/json";
import { backendType, overridesOf } from "../framework/internals";
import { elementsOf } from "./uses";

/** Backends whose runs are elsewhere: the stack's whole folder is uploaded. */
const REMOTE: ReadonlySet<unknown> = new Set(["cloud", "remote"]);

/**
 * Whether a stack's plan and apply run elsewhere (HCP Terraform and the like), as far as the
 * program says.
 */
export function runsRemotely(stack: TerraformStack): boolean {
  const backends = elementsOf(stack).filter((element) => TerraformBackend.isBackend(element));
  if (backends.some((backend) => REMOTE.has(backendType(backend)))) return true;
  const terraform = member(overridesOf(stack), "terraform");
  return (
    member(terraform, "cloud") !== undefined ||
    member(member(terraform, "backend"), "remote") !== undefined
  );
}
