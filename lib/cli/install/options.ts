/** The options of `iam-tokens install`, as commander gives them: there are none. */
export type InstallOptions = Readonly<Record<string, never>>;
