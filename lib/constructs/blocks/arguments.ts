import type { Kinds } from "../values/props";

/** Arguments of a block by their Terraform names; undefined ones are left out. */
export type BlockArguments = Readonly<Record<string, unknown>>;

/** The path of a file, as whoever gets the arguments will read it. */
export type FilePath = (path: string) => string;

/** Properties as the arguments that they are, by their kinds; without false, as without undefined. */
export function argumentsIn(given: object, kinds: Kinds): BlockArguments {
  const written = Object.entries(kinds).flatMap(([name, { argument }]) => {
    const value: unknown = Reflect.get(given, name);
    return argument === undefined || value === undefined || value === false
      ? []
      : [[argument, value]];
  });
  return Object.fromEntries(written);
}
