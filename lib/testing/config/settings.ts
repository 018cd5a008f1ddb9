import * as z from "zod";
import { IAM_TOKEN_LIFETIME_MS, IamTokensError } from "../../tokens";
import type { EmbeddedIdentityConfig } from "./identity-config";

const text = z.string().min(1, "must not be empty").max(255, "must be at most 255 characters");
const secret = z.string().min(1, "must not be empty");

const permission = z
  .strictObject({ account: z.boolean().default(false), projects: z.array(text).default([]) })
  .prefault({});
const time = z.iso
  .datetime({ offset: true, message: "must be a time as in 2030-01-31T12:00:00Z" })
  // Milliseconds since 1970.
  .transform((given) => Date.parse(given));

const identityProvider = z
  .strictObject({
    id: text,
    protocol: text.default("openid"),
    issuer: text.optional(),
    audience: text.optional(),
    permission,
  })
  .transform(({ issuer, ...given }) => ({
    ...given,
    issuer: issuer ?? `https://${encodeURIComponent(given.id)}.issuer.invalid`,
  }));

const account = z.strictObject({
  accountId: text,
  serviceUsers: z.array(
    z.strictObject({
      name: text,
      password: secret,
      permission,
      enabled: z.boolean().default(true),
    }),
  ),
  projects: z.array(text).default([]),
  controlPanelUsers: z.array(z.strictObject({ name: text, password: secret })).default([]),
  staticTokens: z.array(secret).default([]),
  applicationCredentials: z
    .array(
      z
        .strictObject({
          id: text.optional(),
          name: text.optional(),
          user: text,
          project: text,
          secret,
          expiresAt: time.optional(),
        })
        .refine(({ id, name }) => (id ?? name) !== undefined, "must have an id or a name"),
    )
    .default([]),
  identityProviders: z.array(identityProvider).default([]),
});

const service = account
  .extend({
    accounts: z.array(account.superRefine(checkNames)).default([]),
    tokenLifetimeSeconds: z
      .int()
      .min(1)
      .max(366 * 86_400)
      .default(IAM_TOKEN_LIFETIME_MS / 1000),
    catalog: z.array(z.unknown()).optional(),
    latencyMs: z.number().min(0).max(600_000).default(0),
    host: text.default("127.0.0.1"),
    port: z.int().min(0).max(65_535).default(0),
    tls: z
      .union([
        z.literal("throw-away"),
        z.strictObject({ certificate: secret, key: secret, ca: secret.optional() }),
      ])
      .optional(),
    clientCertificates: z
      .union([z.literal("throw-away"), z.strictObject({ ca: secret })])
      .optional(),
  })
  .superRefine(checkNames)
  .superRefine(({ accounts, ...first }, context) => {
    const all = [first, ...accounts];
    const paths = all.map((_account, place) => (place === 0 ? [] : ["accounts", place - 1]));
    const listed = (sort: "applicationCredentials" | "identityProviders") =>
      all.flatMap(({ [sort]: items }, place) =>
        items.map(({ id }, index) => [id, [...(paths[place] ?? []), sort, index, "id"]] as const),
      );
    refuseTwice(listed("applicationCredentials"), context);
    refuseTwice(listed("identityProviders"), context);
    const numbers = all.map(
      ({ accountId }, place) => [accountId, [...(paths[place] ?? []), "accountId"]] as const,
    );
    refuseTwice(numbers, context);
  })
  .superRefine(({ tls, clientCertificates }, context) => {
    const path = ["clientCertificates"];
    if (clientCertificates === undefined) return;
    if (tls === undefined) refuse(context, "needs tls", path);
    else if (clientCertificates === "throw-away" && tls !== "throw-away")
      refuse(context, 'can be "throw-away" with tls: "throw-away" only', path);
  })
  // In a configuration, the first account is at the top level.
  .transform(({ accounts, ...given }) => ({ ...given, accounts: [given, ...accounts] }));

// Users read the types in identity-config.ts; this keeps the two consistent.
service satisfies z.ZodType<unknown, EmbeddedIdentityConfig>;

/** An account of a checked configuration, with all defaults. */
export type AccountSettings = z.infer<typeof account>;
/** A permission of it. */
export type PermissionSettings = z.infer<typeof permission>;
/** An identity provider of it. */
export type IdentityProviderSettings = z.infer<typeof identityProvider>;
/** A checked configuration, with the accounts in one list. */
export type IdentitySettings = z.infer<typeof service>;

/**
 * Checks a configuration strictly: unknown members are refused instead of ignored.
 *
 * @throws ERR_TESTING_CONFIG_INVALID with the path of each mistake; values are not repeated,
 * because any of them may be a password
 */
export function parseSettings(config: unknown): IdentitySettings {
  const parsed = service.safeParse(config);
  if (parsed.success) return parsed.data;
  const mistakes = parsed.error.issues.flatMap(toMistakes);
  throw new IamTokensError(
    "ERR_TESTING_CONFIG_INVALID",
    `The configuration of the embedded identity service is wrong. ${mistakes.join("; ")}.`,
  );
}

/** In a union, the object form is the one worth explaining. */
function toMistakes(issue: z.core.$ZodIssue): readonly string[] {
  if (issue.code !== "invalid_union") return [`${showPath(issue.path)}: ${issue.message}`];
  const inner = issue.errors.at(-1) ?? [];
  return inner.flatMap((mistake) =>
    toMistakes({ ...mistake, path: [...issue.path, ...mistake.path] }),
  );
}

function showPath(path: readonly PropertyKey[]): string {
  const segments = path.map((part) =>
    typeof part === "number" ? `[${part}]` : `.${String(part)}`,
  );
  return segments.join("").replace(/^\./, "") || "(the whole)";
}

function refuse(context: z.RefinementCtx, message: string, path: readonly PropertyKey[]): void {
  context.addIssue({ code: "custom", path: [...path], message });
}

function refuseTwice(
  items: readonly (readonly [name: string | undefined, path: readonly PropertyKey[]])[],
  context: z.RefinementCtx,
): void {
  const names = items.map(([name]) => name);
  for (const [index, [name, path]] of items.entries())
    if (name !== undefined && names.indexOf(name) < index) refuse(context, "is there twice", path);
}

/** Finds repeated names of users, and what application credentials name that does not exist. */
function checkNames(given: AccountSettings, context: z.RefinementCtx): void {
  const { serviceUsers, identityProviders, applicationCredentials } = given;
  const users = (["serviceUsers", "controlPanelUsers"] as const).flatMap((sort) =>
    given[sort].map(({ name }, index) => [name, [sort, index, "name"]] as const),
  );
  refuseTwice(users, context);
  const permitted = [...serviceUsers, ...identityProviders].flatMap(
    ({ permission: { projects } }) => projects,
  );
  const known = new Set([...given.projects, ...permitted]);
  for (const [index, { user, project }] of applicationCredentials.entries()) {
    const path = ["applicationCredentials", index];
    if (!serviceUsers.some(({ name }) => name === user))
      refuse(context, "is not a service user of the account", [...path, "user"]);
    if (!known.has(project))
      refuse(context, "is not a project of the account", [...path, "project"]);
  }
}
