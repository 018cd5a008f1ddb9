import { cliMatches } from "./cli-constraint";

/** A provider that a stack requires. */
export interface RequiredProvider {
  /** Full address: host, namespace, type. */
  readonly source: string;
  readonly version: string | undefined;
}

/** A lock file as the CDKTF command line reads it: line by line, without knowing comments. */
export interface CliView {
  /** Constraints (or undefined) by the string in quotes after `provider`. */
  readonly constraints: ReadonlyMap<string, string | undefined>;
  /** Whether it assumes to be in a provider block at the end of the file. */
  readonly open: boolean;
}

/** Host and namespace that a shorter source address leaves out. */
const DEFAULT_PREFIX = ["registry.terraform.io", "hashicorp"];

/** For a provider without a version, the command line compares with this. */
const ANY_VERSION = ">0";

/** Reads a lock file as the command line does. */
export function cliViewOf(text: string): CliView {
  const constraints = new Map<string, string | undefined>();
  let current: string | undefined;
  for (const line of text.split(/\r\n|\r|\n/)) {
    if (current === undefined) {
      current = /provider "(.*)"/.exec(line)?.[1];
      if (current) constraints.set(current, undefined);
      else current = undefined;
      continue;
    }
    const found = /^\s*constraints\s+=\s+"(.*)"/.exec(line)?.[1];
    if (found !== undefined) constraints.set(current, found);
    else if (!/^\s*version\s+=\s+"(.*)"/.test(line) && /^\s*}/.test(line)) current = undefined;
  }
  return { constraints, open: current !== undefined };
}

/**
 * Whether the command line finds a required provider in the lock file. If not, it runs `terraform
 * providers lock`.
 */
export function cliFinds({ constraints }: CliView, { source, version }: RequiredProvider): boolean {
  const locked = constraints.get(source);
  return locked !== undefined && (locked === "" || cliMatches(version ?? ANY_VERSION, locked));
}

/** Whether the command line runs `terraform init -upgrade`. */
export function cliUpgrades(
  { constraints }: CliView,
  required: readonly RequiredProvider[],
): boolean {
  return [...constraints].some(([source, locked]) => {
    const provider = required.find((candidate) => candidate.source === fullSource(source));
    return provider !== undefined && locked
      ? !cliMatches(provider.version ?? ANY_VERSION, locked)
      : false;
  });
}

/** The full address of a source, as the command line completes it. */
export function fullSource(source: string): string {
  const missing = 3 - source.split("/").length;
  return missing > 0 ? [...DEFAULT_PREFIX.slice(0, missing), source].join("/") : source;
}

/**
 * Another spelling of the same source, which the command line treats as another entry; only the
 * default registry has one.
 */
export function otherSpelling(source: string): string | undefined {
  const [host, ...rest] = source.split("/");
  return host === DEFAULT_PREFIX[0] ? rest.join("/") : undefined;
}
