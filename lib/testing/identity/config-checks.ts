/** Takes note of a mistake. */
interface Context {
  addIssue(issue: { code: "custom"; path: PropertyKey[]; message: string }): void;
}

/** Names that are there twice, and names of what is not there. */
export function checkNames(
  value: {
    serviceUsers: readonly {
      readonly name: string;
      readonly permission: { readonly projects: readonly string[] };
      readonly defaultProject?: string | undefined;
    }[];
    projects: readonly string[];
    controlPanelUsers: readonly { name: string }[];
  },
  context: Context,
): void {
  const refuse = (path: PropertyKey[], message: string) =>
    context.addIssue({ code: "custom", path, message });
  const refuseTwice = (items: readonly (readonly [readonly PropertyKey[], string])[]) => {
    const seen = new Set<string>();
    for (const [path, name] of items) {
      if (seen.has(name)) refuse([...path], "is there twice");
      seen.add(name);
    }
  };
  const { serviceUsers, controlPanelUsers, projects } = value;
  refuseTwice([
    ...serviceUsers.map(({ name }, index) => [["serviceUsers", index, "name"], name] as const),
    ...controlPanelUsers.map(
      ({ name }, index) => [["controlPanelUsers", index, "name"], name] as const,
    ),
  ]);
  refuseTwice(projects.map((name, index) => [["projects", index], name] as const));
  const known = new Set([
    ...projects,
    ...serviceUsers.flatMap(({ permission }) => permission.projects),
  ]);
  for (const [index, { permission, defaultProject }] of serviceUsers.entries()) {
    refuseTwice(
      permission.projects.map(
        (name, at) => [["serviceUsers", index, "permission", "projects", at], name] as const,
      ),
    );
    if (defaultProject !== undefined && !known.has(defaultProject)) {
      refuse(["serviceUsers", index, "defaultProject"], "is no project of the account");
    }
  }
}

/** Accounts that are there twice. */
export function refuseSameAccounts(
  value: {
    readonly accountId: string;
    readonly accounts: readonly { readonly accountId: string }[];
  },
  context: Context,
): void {
  const seen = new Set([value.accountId]);
  for (const [index, { accountId }] of value.accounts.entries()) {
    if (seen.has(accountId))
      context.addIssue({
        code: "custom",
        path: ["accounts", index, "accountId"],
        message: "is there twice",
      });
    seen.add(accountId);
  }
}
