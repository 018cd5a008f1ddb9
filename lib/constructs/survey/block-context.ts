import { member } from "../../hcl/json";
import type { Leaf } from "./leaves";
import type { Place } from "./place";

/** Properties of a place that follow from its context instead of its path. */
export function withBlockContext(
  place: Place,
  { path, text }: Leaf,
  configuration: unknown,
): Place {
  if (isAtDestroy(path, configuration)) return { ...place, kind: "destroy-provisioner" };
  return { ...place, closedToSensitive: closedToSensitive(place, path, text, configuration) };
}

/**
 * In a provisioner that runs when its resource is destroyed, or in the connection that this one
 * shares with others.
 */
function isAtDestroy(path: readonly string[], configuration: unknown): boolean {
  const [top, , , block] = path;
  if (top !== "resource") return false;
  if (block === "connection")
    return runsAtDestroy(at(configuration, [...path.slice(0, 3), "provisioner"]));
  return (
    block === "provisioner" &&
    path.slice(4).some((_, depth) => saysDestroy(at(configuration, path.slice(0, 4 + depth))))
  );
}

/**
 * Provisioners in cdktf's form, `[{ "local-exec": { … } }]`, and in the form of Terraform in an
 * override.
 */
function runsAtDestroy(provisioners: unknown): boolean {
  if (typeof provisioners !== "object") return false;
  return saysDestroy(provisioners) || Object.values(provisioners ?? {}).some(runsAtDestroy);
}

function saysDestroy(value: unknown): boolean {
  return member(value, "when") === "destroy";
}

/**
 * Functions whose result is sensitive if an argument is. Terraform's others may return a part that
 * is not.
 */
const KEEPING: ReadonlySet<string | undefined> = new Set([
  ..."base64encode base64sha256 base64sha512 format join jsonencode lower md5 sensitive sha1 sha256 sha512".split(
    " ",
  ),
  ..."tostring trimspace upper urlencode yamlencode".split(" "),
]);

/**
 * Syntax that may select another value: a condition, one side of an operator, an index, an
 * attribute of an object that the expression builds, a loop.
 */
const CHOOSING = /\?|%\{|\|\||&&|[\w)\]}"]\[|[)\]}]\.|\bfor\b/;

/** Whether a string that contains a sensitive reference is certainly sensitive. */
function staysSensitive(text: string): boolean {
  return (
    !CHOOSING.test(text) &&
    [...text.matchAll(/(?<![\w:])([\w:]+)\s*\(/g)].every(([, name]) => KEEPING.has(name))
  );
}

/** Terraform turns these into addresses, and prints them. */
const ADDRESSES = "the keys of for_each, which become addresses";

function closedToSensitive(
  { kind }: Place,
  path: readonly string[],
  text: string,
  configuration: unknown,
): string | undefined {
  if (kind === "output" && staysSensitive(text)) {
    const sensitive = member(at(configuration, path.slice(0, 2)), "sensitive") ?? false;
    return sensitive === false ? "an output that is not sensitive" : undefined;
  }
  if (kind !== "for_each") return undefined;
  const isKey = path.at(-1) === text && staysSensitive(text);
  return isKey || /\$\{toset\(\[[\w., -]+\]\)\}/.test(text) ? ADDRESSES : undefined;
}

function at(value: unknown, path: readonly string[]): unknown {
  let inner = value;
  for (const name of path)
    inner = (inner as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  return inner;
}
