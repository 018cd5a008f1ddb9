import { AskedProgram } from "./asked-program";

/** Terraform or OpenTofu, as its `version` command tells. */
export interface TerraformVersion {
  readonly product: "Terraform" | "OpenTofu";
  readonly version: string;
  readonly hasEphemerals: boolean;
  readonly hasWriteOnly: boolean;
}

/** The first minor version of 1 that has ephemeral resources. */
const FIRST_MINOR = { Terraform: 10, OpenTofu: 11 } as const;

/** The first one of either that has write-only arguments. */
const FIRST_MINOR_WITH_WRITE_ONLY = 11;

/** Longest wait for the version, in milliseconds. */
const LIMIT_MS = 5_000;

const asked = new Map<string, AskedProgram>();

/**
 * Asks the binary for its version, once a process and binary: when the first ephemeral token is
 * declared, for starting it takes longer than anything else that synthesis adds.
 */
export function askForTerraform(): AskedProgram {
  const binary = process.env.TERRAFORM_BINARY_NAME || "terraform";
  const known = asked.get(binary);
  if (known !== undefined) return known;
  // In the project's folder: version managers (tfenv, asdf, mise) choose by a file in it, and would
  // answer for another version elsewhere.
  const program = new AskedProgram({
    file: binary,
    args: ["version"],
    env: environmentFor(process.env),
    limitMs: LIMIT_MS,
  });
  asked.set(binary, program);
  return program;
}

/**
 * The Terraform or OpenTofu that the CDKTF command line would run here, or undefined when there is
 * none or it does not tell. What is synthesized never depends on it: only an error does.
 */
export function terraformThatIsThere(): TerraformVersion | undefined {
  const output = askForTerraform().answer((text) => parseVersion(wholeLines(text)) !== undefined);
  return output === undefined ? undefined : parseVersion(output);
}

/** For messages. */
export function oldestWithEphemerals(): string {
  return `Terraform 1.${FIRST_MINOR.Terraform} or newer, OpenTofu 1.${FIRST_MINOR.OpenTofu} or newer`;
}

/** Reads the output of `terraform version` or `tofu version`. */
export function parseVersion(output: string): TerraformVersion | undefined {
  const match = /^(Terraform|OpenTofu) v((\d+)\.(\d+)\.\d+\S*)\r?$/m.exec(output);
  if (!match) return undefined;
  const product = match[1] === "OpenTofu" ? "OpenTofu" : "Terraform";
  const isFrom = (minor: number): boolean =>
    Number(match[3]) > 1 || (match[3] === "1" && Number(match[4]) >= minor);
  return {
    product,
    version: match[2] ?? "",
    hasEphemerals: isFrom(FIRST_MINOR[product]),
    hasWriteOnly: isFrom(FIRST_MINOR_WITH_WRITE_ONLY),
  };
}

function wholeLines(text: string): string {
  return text.slice(0, text.lastIndexOf("\n") + 1);
}

/**
 * What finding a program and a version manager need. Passwords and tokens of the pipeline are not
 * this program's business.
 */
export function environmentFor(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const passed = Object.entries(environment).filter(
    ([name]) => NEEDED.test(name) && !/TOKEN|SECRET|PASS|KEY|CREDENTIAL/i.test(name),
  );
  return { ...Object.fromEntries(passed), CHECKPOINT_DISABLE: "1" };
}

const NEEDED =
  /^(?:PATH|PATHEXT|HOME|USERPROFILE|SYSTEMROOT|TMPDIR|TMP|TEMP|(?:XDG|ASDF|MISE|TFENV|TENV|TOFUENV)_\w+)$/i;
