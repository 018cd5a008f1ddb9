/** Optional members for `exactOptionalPropertyTypes`: present or omitted. */
type Defined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/**
 * The members that have a value. A missing option is omitted instead of passed on as undefined,
 * which would replace a default.
 */
export function defined<T extends object>(members: T): Defined<T> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as Defined<T>;
}
