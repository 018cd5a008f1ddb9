import type { TerraformStack } from "cdktf";
import type { FileChoice, Pass } from "../declarations/pass";
import type { Warning } from "../warnings";
import { runsRemotely } from "./machines";

/** Where the values of a stack's tokens are for Terraform: in the file next to it, or nowhere. */
export type Destination =
  /** @param risk why the file may get to others */
  | { readonly isWritten: true; readonly risk?: string | undefined }
  | { readonly isWritten: false; readonly why: string };

export function destinationIn(stack: TerraformStack, { writeFile, ci }: FileChoice): Destination {
  if (writeFile === false) return { isWritten: false, why: "writeFile is false" };
  const risk = runsRemotely(stack) ? "the stack runs remotely" : ci && `${ci} is set`;
  if (writeFile || risk === undefined) return { isWritten: true, risk };
  return { isWritten: false, why: risk };
}

/**
 * The destination after a pass. Of resolved tokens it is decided at synthesis: until then, a
 * backend may be added, even by an aspect.
 */
export function destinationAfter(pass: Pass, stack: TerraformStack): Destination {
  if (pass.outcome === "resolved") return destinationIn(stack, pass.choice);
  return pass.outcome === "skipped" ? { isWritten: true } : { isWritten: false, why: pass.why };
}

/** The warnings of a pass about a stack. */
export function notesOf(pass: Pass, destination: Destination): readonly Warning[] {
  if (destination.isWritten) return destination.risk ? [uploaded(destination.risk)] : [];
  if (pass.outcome !== "resolved")
    return [nowhere("No token was requested, because none would be written", destination.why)];
  if (pass.isTaken()) return [];
  return [nowhere("The tokens were resolved but not written to a file", destination.why)];
}

function uploaded(why: string): Warning {
  const text = `With writeFile: true the tokens are in the output folder (cdktf.out), and ${why}. Do not upload it as an artifact, and do not cache it.`;
  return { code: "WARN_VALUES_UPLOADED", text };
}

function nowhere(what: string, why: string): Warning {
  const text = `${what}: ${why}. Terraform will lack their variables. Pass them to the program that runs Terraform: use resolveTokens(app, { onResolved }) or environment() of its result; or set writeFile: true.`;
  return { code: "WARN_VALUES_NOWHERE", text };
}
