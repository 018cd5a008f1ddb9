import * as z from "zod";
import { IAM_TOKEN_LIFETIME_MS, IamTokensError, Secret } from "../../tokens";
import type { FaultsConfig } from "../faults/fault";
import { hasTlsFaults } from "../faults/fault-plan";
import { faultsSchema } from "../faults/fault-schema";

/**
 * The access areas of a service user's permission, which decide the tokens that it can be issued.
 *
 * @see spec, "Issue an IAM token", rules 1 and 2
 */
export interface PermissionConfig {
  /** Access area Account: account tokens, and tokens of every project of the account. Default: not selected. */
  readonly account?: boolean | undefined;
  /** Access area Projects, with these projects chosen. Each of them exists by being named. Default: none. */
  readonly projects?: readonly string[] | undefined;
}

/** A service user. */
export interface ServiceUserConfig {
  readonly name: string;
  readonly password: string;
  /** Default: none, so that every request of this user is answered with 401. */
  readonly permission?: PermissionConfig | undefined;
  /** Whether the user may sign in. Default: true. */
  readonly enabled?: boolean | undefined;
}

/** A user with access to the control panel. It is never issued a token. @see spec, "Issue an IAM token", rule 3 */
export interface ControlPanelUserConfig {
  readonly name: string;
  readonly password: string;
}

/** An account: to Keystone, a domain. */
export interface AccountConfig {
  /** The account number, as a text. */
  readonly accountId: string;
  readonly serviceUsers: readonly ServiceUserConfig[];
  /** Projects that exist beside those that a permission names. Default: none. */
  readonly projects?: readonly string[] | undefined;
  /** Users that exist, but are no service users. Default: none. */
  readonly controlPanelUsers?: readonly ControlPanelUserConfig[] | undefined;
}

/** Certificate and key of a server, as PEM texts. */
export interface ServerCertificateConfig {
  readonly certificate: string;
  readonly key: string;
  /** What a client has to trust. Default: the certificate itself. */
  readonly ca?: string | undefined;
}

/** What an {@link EmbeddedIdentityService} is started with. */
export interface EmbeddedIdentityConfig extends AccountConfig {
  /** More accounts. Default: none. */
  readonly accounts?: readonly AccountConfig[] | undefined;
  /** The address that is listened on. Default: 127.0.0.1, so that only this machine reaches it. */
  readonly host?: string | undefined;
  /** Default: 0, any free port. */
  readonly port?: number | undefined;
  /** How long issued tokens live, in seconds. Default: 86400, the spec's 24 hours. */
  readonly tokenLifetimeSeconds?: number | undefined;
  /** How long each answer is held back, in milliseconds. Default: 0. */
  readonly latencyMs?: number | undefined;
  /** https, with this certificate or with one made for this start (the server's `ca` is to be trusted). Default: http. */
  readonly tls?: ServerCertificateConfig | "throw-away" | undefined;
  /** What goes wrong with which request. Default: nothing. Faults of TLS need `tls: "throw-away"`. */
  readonly faults?: FaultsConfig | undefined;
}

const text = z.string().min(1, "must not be empty").max(255, "must be at most 255 characters");
const pem = z.string().min(1, "must not be empty");
const secret = z.string().min(1, "must not be empty").transform(Secret.of);

const serviceUser = z.strictObject({
  name: text,
  password: secret,
  permission: z
    .strictObject({ account: z.boolean().default(false), projects: z.array(text).default([]) })
    .default({ account: false, projects: [] }),
  enabled: z.boolean().default(true),
});

const accountShape = {
  accountId: text,
  serviceUsers: z.array(serviceUser),
  projects: z.array(text).default([]),
  controlPanelUsers: z.array(z.strictObject({ name: text, password: secret })).default([]),
};
const account = z.strictObject(accountShape).superRefine(refuseSameNames);

const settings = z
  .strictObject({
    ...accountShape,
    accounts: z.array(account).default([]),
    host: text.default("127.0.0.1"),
    port: z.int().min(0).max(65_535).default(0),
    tokenLifetimeSeconds: z
      .int()
      .min(1)
      .max(366 * 86_400)
      .default(IAM_TOKEN_LIFETIME_MS / 1000),
    latencyMs: z.number().min(0).max(600_000).default(0),
    tls: z.union([z.literal("throw-away"), z.strictObject({ certificate: pem, key: secret, ca: pem.optional() })]).optional(),
    faults: faultsSchema.default([]),
  })
  .superRefine(refuseSameNames)
  .superRefine((value, context) => {
    const seen = new Set([value.accountId]);
    for (const [index, { accountId }] of value.accounts.entries()) {
      if (seen.has(accountId)) {
        context.addIssue({ code: "custom", path: ["accounts", index, "accountId"], message: "is there twice" });
      }
      seen.add(accountId);
    }
    if (hasTlsFaults(value.faults) && value.tls !== "throw-away") {
      context.addIssue({ code: "custom", path: ["faults"], message: 'has faults of TLS, which need tls: "throw-away"' });
    }
  })
  .transform(({ accountId, serviceUsers, projects, controlPanelUsers, accounts, ...server }) => ({
    ...server,
    accounts: [{ accountId, serviceUsers, projects, controlPanelUsers }, ...accounts],
  }));

/** A checked configuration: every default filled in, the accounts in one list, the secrets wrapped. */
export interface IdentitySettings {
  readonly accounts: readonly AccountSettings[];
  readonly host: string;
  readonly port: number;
  readonly tokenLifetimeSeconds: number;
  readonly latencyMs: number;
  readonly tls?:
    | "throw-away"
    | { readonly certificate: string; readonly key: Secret; readonly ca?: string | undefined }
    | undefined;
  readonly faults: FaultsConfig;
}

/** One account of {@link IdentitySettings}. Written out, and not inferred: a declaration that names zod would ask users for it. */
export interface AccountSettings {
  readonly accountId: string;
  readonly serviceUsers: readonly ServiceUserSettings[];
  readonly projects: readonly string[];
  readonly controlPanelUsers: readonly { readonly name: string; readonly password: Secret }[];
}

/** One service user of {@link AccountSettings}. */
export interface ServiceUserSettings {
  readonly name: string;
  readonly password: Secret;
  readonly permission: { readonly account: boolean; readonly projects: readonly string[] };
  readonly enabled: boolean;
}

/**
 * Checks a configuration strictly: what is not known is refused, not ignored.
 *
 * @throws ERR_TESTING_CONFIG_INVALID with the path of each mistake; values are not repeated, for any of them may be a password
 */
export function parseSettings(config: unknown): IdentitySettings {
  const parsed = settings.safeParse(config);
  if (parsed.success) return parsed.data;
  const mistakes = parsed.error.issues.flatMap(toMistakes);
  throw new IamTokensError(
    "ERR_TESTING_CONFIG_INVALID",
    `The configuration of the embedded identity service is wrong. ${mistakes.join("; ")}.`,
  );
}

/** Of a union, the object form is the one worth explaining. */
function toMistakes(issue: z.core.$ZodIssue): readonly string[] {
  if (issue.code !== "invalid_union") return [`${showPath(issue.path)}: ${issue.message}`];
  const inner = issue.errors.at(-1) ?? [];
  return inner.flatMap((mistake) => toMistakes({ ...mistake, path: [...issue.path, ...mistake.path] }));
}

function showPath(path: readonly PropertyKey[]): string {
  const shown = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("");
  return shown === "" ? "(the whole)" : shown.replace(/^\./, "");
}

function refuseSameNames(
  value: { serviceUsers: readonly { name: string }[]; controlPanelUsers: readonly { name: string }[] },
  context: { addIssue(issue: { code: "custom"; path: PropertyKey[]; message: string }): void },
): void {
  const seen = new Set<string>();
  for (const list of ["serviceUsers", "controlPanelUsers"] as const) {
    for (const [index, { name }] of value[list].entries()) {
      if (seen.has(name)) context.addIssue({ code: "custom", path: [list, index, "name"], message: "is there twice" });
      seen.add(name);
    }
  }
}
