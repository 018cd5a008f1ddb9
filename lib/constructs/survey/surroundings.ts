import type { Leaf } from "./leaves";
import type { Place } from "./place";

/** What of a place its path does not tell, but what stands around it. */
export function inSurroundings(place: Place, { path, text }: Leaf, configuration: unknown): Place {
  if (isAtDestroy(path, configuration)) return { ...place, kind: "destroy-provisioner" };
  const closed = closedToSensitive(place, path, text, configuration);
  return closed === undefined ? place : { ...place, closedToSensitive: closed };
}

/**
 * In a provisioner that runs when its resource is destroyed, or in the connection that it shares
 * with others.
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
 * Provisioners as cdktf writes them, `[{ "local-exec": { … } }]`, and as Terraform takes them from
 * an override.
 */
function runsAtDestroy(provisioners: unknown): boolean {
  if (typeof provisioners !== "object" || provisioners === null) return false;
  return saysDestroy(provisioners) || Object.values(provisioners).some(runsAtDestroy);
}

function saysDestroy(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    (value as { readonly when?: unknown }).when === "destroy"
  );
}

/**
 * Functions whose result is sensitive where an argument is: Terraform's others may leave a part
 * that is not.
 */
const KEEPING: ReadonlySet<string> = new Set([
  ..."base64encode base64sha256 base64sha512 format join jsonencode lower md5 sensitive sha1 sha256 sha512".split(
    " ",
  ),
  ..."tostring trimspace upper urlencode yamlencode".split(" "),
]);

/**
 * What may choose another value: a condition, one side of an operator, an index, an attribute of
 * what is put together here, a loop.
 */
const CHOOSING = /\?|%\{|\|\||&&|[\w)\]}"]\[|[)\]}]\.|\bfor\b/;

/** Whether it is certain that a text with a sensitive reference in it is sensitive. */
function staysSensitive(text: string): boolean {
  return (
    !CHOOSING.test(text) &&
    [...text.matchAll(/([\w:]+)\s*\(/g)].every(([, name = ""]) => KEEPING.has(name))
  );
}

/** Terraform makes addresses of these, and prints them. */
const ADDRESSES = "the keys of for_each, which become addresses";

function closedToSensitive(
  { kind, names }: Place,
  path: readonly string[],
  text: string,
  configuration: unknown,
): string | undefined {
  if (kind === "output" && names[0] === "value" && staysSensitive(text)) {
    const output = at(configuration, path.slice(0, 2)) as
      | { readonly sensitive?: unknown }
      | undefined;
    return (output?.sensitive ?? false) === false ? "an output that is not sensitive" : undefined;
  }
  if (kind !== "for_each") return undefined;
  const isKey = path.at(-1) === text && staysSensitive(text);
  return isKey || /^\$\{toset\(\[[\w., -]+\]\)\}$/.test(text) ? ADDRESSES : undefined;
}

function at(value: unknown, path: readonly string[]): unknown {
  let inner = value;
  for (const name of path)
    inner = (inner as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  return inner;
}
