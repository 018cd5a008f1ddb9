/** Arguments of a block by their Terraform names; what is undefined is left out. */
export type BlockArguments = Readonly<Record<string, unknown>>;

/** A fragment of a stack's configuration, as cdktf merges them. */
export type Fragment = Record<string, unknown>;
