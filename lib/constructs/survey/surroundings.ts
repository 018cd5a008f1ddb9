import type { Leaf } from "./leaves";
import type { Place } from "./place";

/** What of a place its path does not tell, but what stands around it. */
export function inSurroundings(place: Place, { path, text }: Leaf, configuration: unknown): Place {
  if (isAtDestroy(path, configuration)) return { ...place, kind: "destroy-provisioner" };
  const closed = closedToSensitive(place, path, text, configuration);
  return closed === undefined ? place : { ...place, closedToSensitive: closed };
}

/** In a provisioner that runs when its resource is destroyed, or in the connection that it shares with others. */
function isAtDestroy(path: readonly string[], configuration: unknown): boolean {
  const [top, , , block] = path;
  if (top !== "resource") return false;
  if (block === "connection") return runsAtDestroy(at(configuration, [...path.slice(0, 3), "provisioner"]));
  return block === "provisioner" && path.slice(4).some((_, depth) => saysDestroy(at(configuration, path.slice(0, 4 + depth))));
}

/** Provisioners as cdktf writes them, `[{ "local-exec": { … } }]`, and as Terraform takes them from an override. */
function runsAtDestroy(provisioners: unknown): boolean {
  if (typeof provisioners !== "object" || provisioners === null) return false;
  return saysDestroy(provisioners) || Object.values(provisioners).some(runsAtDestroy);
}

function saysDestroy(value: unknown): boolean {
  return typeof value === "object" && value !== null && (value as { readonly when?: unknown }).when === "destroy";
}

/** A reference and nothing else: only of that it is certain, without knowing Terraform's functions, that it stays sensitive. */
const ALONE = /^\$\{[\w.-]+\}$/;

/** Terraform makes addresses of these, and prints them. */
const ADDRESSES = "the keys of for_each, which become addresses";

function closedToSensitive(
  { kind, names }: Place,
  path: readonly string[],
  text: string,
  configuration: unknown,
): string | undefined {
  if (kind === "output" && names[0] === "value" && ALONE.test(text)) {
    const output = at(configuration, path.slice(0, 2)) as { readonly sensitive?: unknown } | undefined;
    return (output?.sensitive ?? false) === false ? "an output that is not sensitive" : undefined;
  }
  if (kind !== "for_each") return undefined;
  const isKey = path.at(-1) === text && ALONE.test(text);
  return isKey || /^\$\{toset\(\[[\w., -]+\]\)\}$/.test(text) ? ADDRESSES : undefined;
}

function at(value: unknown, path: readonly string[]): unknown {
  let inner = value;
  for (const name of path) inner = (inner as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  return inner;
}
