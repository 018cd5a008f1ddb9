import { TerraformBackend, type TerraformStack } from "cdktf";
import { elementsOf } from "./uses";

/** Backends whose runs are elsewhere: the stack's folder is uploaded with all that is in it. */
const REMOTE: ReadonlySet<unknown> = new Set(["cloud", "remote"]);

/**
 * Whether a stack's plan and apply run elsewhere (HCP Terraform and the like), as far as the
 * program says.
 */
export function runsRemotely(stack: TerraformStack): boolean {
  const backends = elementsOf(stack).filter((element) => TerraformBackend.isBackend(element));
  // The name is protected, and the class of another copy of cdktf would not be known by instanceof.
  if (
    backends.some((backend) => REMOTE.has((backend as unknown as { readonly name?: unknown }).name))
  )
    return true;
  const overrides = (stack as unknown as { readonly rawOverrides?: unknown }).rawOverrides;
  const terraform = member(overrides, "terraform");
  return (
    member(terraform, "cloud") !== undefined ||
    member(member(terraform, "backend"), "remote") !== undefined
  );
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
