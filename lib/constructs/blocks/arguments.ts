/** Arguments of a block by their Terraform names; undefined ones are left out. */
export type BlockArguments = Readonly<Record<string, unknown>>;

/** The path of a file, as whoever gets the arguments will read it. */
export type FilePath = (path: string) => string;
