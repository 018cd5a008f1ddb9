import { FLAG, type Kinds, PATH } from "../values/props";

/** Arguments of a block by their Terraform names; undefined ones are left out. */
export type BlockArguments = Readonly<Record<string, unknown>>;

/** The path of a file, as whoever gets the arguments will read it. */
export type FilePath = (path: string) => string;

/** Properties as the arguments that have their names in Terraform's spelling: min_remaining. */
export function argumentsIn(given: object, kinds: Kinds, file: FilePath): BlockArguments {
  const written = Object.entries(kinds).map(([name, kind]) => {
    const value: unknown = Reflect.get(given, name);
    const argument = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    if (kind === FLAG) return [argument, value || undefined];
    return [argument, kind === PATH && typeof value === "string" ? file(value) : value];
  });
  return Object.fromEntries(written) as BlockArguments;
}
