import * as z from "zod";
import { IAM_TOKEN_LIFETIME_MS, IamTokensError, Secret } from "../../tokens";
import type { EmbeddedIdentityConfig, InProcessIdentityConfig } from "./identity-config";

const text = z.string().min(1, "must not be empty").max(255, "must be at most 255 characters");
const pem = z.string().min(1, "must not be empty");
const secret = z.string().min(1, "must not be empty").transform(Secret.of);
const projects = z.array(text).superRefine((names, context) => {
  for (const [index, name] of names.entries())
    if (names.indexOf(name) < index) refuse(context, "is there twice", index);
});

const permission = z
  .strictObject({ account: z.boolean().default(false), projects: projects.default([]) })
  .prefault({});
const time = z.iso
  .datetime({ offset: true, message: "must be a time as in 2030-01-31T12:00:00Z" })
  // Milliseconds since 1970.
  .transform((given) => Date.parse(given));

const serviceUser = z.strictObject({
  name: text,
  password: secret,
  permission,
  enabled: z.boolean().default(true),
  neverLocked: z.boolean().default(false),
  passwordExpiresAt: time.optional(),
  mayValidate: z.boolean().default(false),
  secondFactor: z.boolean().default(false),
});

const applicationCredential = z
  .strictObject({
    id: text.optional(),
    name: text.optional(),
    user: text,
    project: text,
    secret,
    expiresAt: time.optional(),
    unrestricted: z.boolean().default(false),
  })
  .refine(({ id, name }) => id !== undefined || name !== undefined, "must have an id or a name");

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
  serviceUsers: z.array(serviceUser),
  projects: projects.default([]),
  controlPanelUsers: z.array(z.strictObject({ name: text, password: secret })).default([]),
  staticTokens: z.array(secret).default([]),
  applicationCredentials: z.array(applicationCredential).default([]),
  identityProviders: z.array(identityProvider).default([]),
});

const SUBSTITUTED = /^https?:\/\/([^\s%]|%%|%\((project_id|tenant_id|user_id)\)s)+$/;
const region = text.nullish();

const catalogService = z.strictObject({
  type: text,
  name: z.string().max(255, "must be at most 255 characters").default(""),
  id: text.optional(),
  endpoints: z.array(
    z
      .strictObject({
        interface: z.enum(["public", "internal", "admin"]),
        url: z
          .string()
          .max(2048, "must be at most 2048 characters")
          .transform((url) => url.replaceAll("$(", "%("))
          .refine(
            (url) => SUBSTITUTED.test(url),
            "must be an http or https address; allowed substitutions: %(project_id)s, %(tenant_id)s, %(user_id)s, and %% for a percent sign",
          ),
        region_id: region,
        region,
        id: text.optional(),
      })
      .refine(
        ({ region: short, region_id: id }) =>
          short === undefined || id === undefined || short === id,
        { path: ["region"], message: "must be the same as region_id" },
      ),
  ),
});

const MAX_SECONDS = 366 * 86_400;

const service = account.extend({
  accounts: z.array(account.superRefine(checkNames)).default([]),
  tokenLifetimeSeconds: z
    .int()
    .min(1)
    .max(MAX_SECONDS)
    .default(IAM_TOKEN_LIFETIME_MS / 1000),
  catalog: z.array(catalogService).default([]),
  latencyMs: z.number().min(0).max(600_000).default(0),
  lockout: z
    .strictObject({
      failures: z.int().min(1).max(1000),
      seconds: z.int().min(0).max(MAX_SECONDS).default(1800),
    })
    .optional(),
});

// Users read the types in identity-config.ts; `satisfies` keeps the two consistent.
const inProcessService = service
  .superRefine(checkNames)
  .superRefine(checkAccounts)
  .transform(gatherAccounts) satisfies z.ZodType<unknown, InProcessIdentityConfig>;

const listeningService = service
  .extend({
    host: text.default("127.0.0.1"),
    port: z.int().min(0).max(65_535).default(0),
    tls: z
      .union([
        z.literal("throw-away"),
        z.strictObject({ certificate: pem, key: secret, ca: pem.optional() }),
      ])
      .optional(),
    clientCertificates: z.union([z.literal("throw-away"), z.strictObject({ ca: pem })]).optional(),
  })
  .superRefine(checkNames)
  .superRefine(checkAccounts)
  .superRefine(({ tls, clientCertificates }, context) => {
    if (clientCertificates === undefined) return;
    if (tls === undefined) refuse(context, "needs tls", "clientCertificates");
    else if (clientCertificates === "throw-away" && tls !== "throw-away")
      refuse(context, 'can be "throw-away" with tls: "throw-away" only', "clientCertificates");
  })
  .transform(gatherAccounts) satisfies z.ZodType<unknown, EmbeddedIdentityConfig>;

/** An account of a checked configuration: with all defaults, and with wrapped secrets. */
export type AccountSettings = z.infer<typeof account>;
/** A service user of it. */
export type ServiceUserSettings = z.infer<typeof serviceUser>;
/** An identity provider of it. */
export type IdentityProviderSettings = z.infer<typeof identityProvider>;
/** A service in the catalog: its addresses with `%` alone for substitutions. */
export type CatalogServiceSettings = z.infer<typeof catalogService>;
/** A checked configuration, with the accounts in one list. */
export type ServiceSettings = z.infer<typeof inProcessService>;
/** The same, with the listening address. */
export type IdentitySettings = z.infer<typeof listeningService>;

/**
 * Checks a configuration strictly: unknown members are refused instead of ignored.
 *
 * @throws ERR_TESTING_CONFIG_INVALID with the path of each mistake; values are not repeated,
 * because any of them may be a password
 */
export function parseSettings(config: unknown): IdentitySettings {
  return parse(listeningService, config);
}

/** Like {@link parseSettings}, for a service that does not listen. */
export function parseServiceSettings(config: unknown): ServiceSettings {
  return parse(inProcessService, config);
}

function parse<Settings>(schema: z.ZodType<Settings>, config: unknown): Settings {
  const parsed = schema.safeParse(config);
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

function refuse(context: z.RefinementCtx, message: string, ...path: PropertyKey[]): void {
  context.addIssue({ code: "custom", path, message });
}

/** Finds repeated names of users, and what application credentials name that does not exist. */
function checkNames(given: AccountSettings, context: z.RefinementCtx): void {
  const names = new Set<string>();
  for (const sort of ["serviceUsers", "controlPanelUsers"] as const) {
    for (const [index, { name }] of given[sort].entries()) {
      if (names.has(name)) refuse(context, "is there twice", sort, index, "name");
      names.add(name);
    }
  }
  const { serviceUsers, identityProviders } = given;
  const permitted = [...serviceUsers, ...identityProviders].flatMap(
    ({ permission: { projects: chosen } }) => chosen,
  );
  const known = new Set([...given.projects, ...permitted]);
  for (const [index, { user, project }] of given.applicationCredentials.entries()) {
    const path = ["applicationCredentials", index] as const;
    if (!serviceUsers.some(({ name }) => name === user))
      refuse(context, "is not a service user of the account", ...path, "user");
    if (!known.has(project)) refuse(context, "is not a project of the account", ...path, "project");
  }
}

/** Finds what must be there once in the whole service. */
function checkAccounts(given: z.infer<typeof service>, context: z.RefinementCtx): void {
  for (const sort of ["applicationCredentials", "identityProviders"] as const) {
    const ids = new Set<string>();
    for (const [place, { [sort]: items }] of [given, ...given.accounts].entries()) {
      const path = place === 0 ? [sort] : ["accounts", place - 1, sort];
      for (const [index, { id }] of items.entries()) {
        if (id === undefined) continue;
        if (ids.has(id)) refuse(context, "is there twice", ...path, index, "id");
        ids.add(id);
      }
    }
  }
  const seen = new Set([given.accountId]);
  for (const [index, { accountId }] of given.accounts.entries()) {
    if (seen.has(accountId)) refuse(context, "is there twice", "accounts", index, "accountId");
    seen.add(accountId);
  }
}

/**
 * In a configuration, the first account is at the top level; in the settings, it is among the
 * others.
 */
function gatherAccounts<Given extends z.infer<typeof service>>(given: Given) {
  const { accounts, ...rest } = given;
  return { ...rest, accounts: [rest, ...accounts] };
}
