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

const serviceUser = z.strictObject({
  name: text,
  password: secret,
  accountId: text.optional(),
  permission,
  enabled: z.boolean().default(true),
  passwordExpiresAt: time.optional(),
  secondFactor: z.boolean().default(false),
});

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

const applicationCredential = z
  .strictObject({
    id: text.optional(),
    name: text.optional(),
    user: text,
    project: text,
    secret,
    accessRules: z.boolean().default(false),
    expiresAt: time.optional(),
  })
  .refine(({ id, name }) => (id ?? name) !== undefined, "must have an id or a name");

const service = z
  .strictObject({
    accountId: text,
    serviceUsers: z.array(serviceUser),
    projects: z.array(text).default([]),
    staticTokens: z.array(secret).default([]),
    applicationCredentials: z.array(applicationCredential).default([]),
    identityProviders: z.array(identityProvider).default([]),
    tokenLifetimeSeconds: z
      .int()
      .min(1)
      .max(366 * 86_400)
      .default(IAM_TOKEN_LIFETIME_MS / 1000),
    catalog: z.array(z.unknown()).optional(),
    port: z.int().min(0).max(65_535).default(0),
  })
  // A project exists as soon as a permission names it.
  .transform((given) => ({
    ...given,
    projects: [
      ...given.projects,
      ...[...given.serviceUsers, ...given.identityProviders].flatMap(
        ({ permission: { projects } }) => projects,
      ),
    ],
  }));

// Users read the types in identity-config.ts; this keeps the two consistent.
service satisfies z.ZodType<unknown, EmbeddedIdentityConfig>;

/** A service user of a checked configuration, with all defaults. */
export type ServiceUserSettings = z.infer<typeof serviceUser>;
/** A permission of it. */
export type PermissionSettings = z.infer<typeof permission>;
/** An identity provider of it. */
export type IdentityProviderSettings = z.infer<typeof identityProvider>;
/** A checked configuration. */
export type IdentitySettings = z.infer<typeof service>;

/**
 * Checks a configuration strictly: unknown members are refused instead of ignored.
 *
 * @throws ERR_TESTING_CONFIG_INVALID with the path of each mistake; values are not repeated,
 * because any of them may be a password
 */
export function parseSettings(config: unknown): IdentitySettings {
  const { data, error } = service.safeParse(config);
  if (data !== undefined) return data;
  const mistakes = error.issues.map(
    ({ path, message }) => `${z.core.toDotPath(path) || "(the whole)"}: ${message}`,
  );
  throw new IamTokensError(
    "ERR_TESTING_CONFIG_INVALID",
    `The configuration of the embedded identity service is wrong. ${mistakes.join("; ")}.`,
  );
}
