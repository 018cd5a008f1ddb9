/** Optional members as `exactOptionalPropertyTypes` wants them: there, or left out. */
type Defined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/**
 * The members that have a value: an option that was not given is left out, and not handed on as
 * undefined, which would stand in the place of a default.
 */
export function defined<T extends object>(members: T): Defined<T> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as Defined<T>;
}
