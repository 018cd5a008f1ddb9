import * as z from "zod";
import { IAM_TOKEN_LIFETIME_MS, IamTokensError, Secret } from "../../tokens";
import { hasTlsFaults } from "../faults/fault-plan";
import { faultsSchema } from "../faults/fault-schema";
import { checkNames, refuseSameAccounts } from "./config-checks";
import type { AccountSettings, IdentitySettings, ServiceSettings } from "./settings";

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
  neverLocked: z.boolean().default(false),
  passwordExpiresAt: z.iso
    .datetime({ offset: true, message: "must be a time as in 2030-01-31T12:00:00Z" })
    .transform((time) => Date.parse(time))
    .optional(),
  defaultProject: text.optional(),
});

const accountShape = {
  accountId: text,
  serviceUsers: z.array(serviceUser),
  projects: z.array(text).default([]),
  controlPanelUsers: z.array(z.strictObject({ name: text, password: secret })).default([]),
};
const account = z.strictObject(accountShape).superRefine(checkNames);

const MAX_SECONDS = 366 * 86_400;

const serviceShape = {
  ...accountShape,
  accounts: z.array(account).default([]),
  tokenLifetimeSeconds: z
    .int()
    .min(1)
    .max(MAX_SECONDS)
    .default(IAM_TOKEN_LIFETIME_MS / 1000),
  latencyMs: z.number().min(0).max(600_000).default(0),
  lockout: z
    .strictObject({
      failures: z.int().min(1).max(1000),
      seconds: z.int().min(0).max(MAX_SECONDS).default(1800),
    })
    .optional(),
};

const inProcess = z
  .strictObject(serviceShape)
  .superRefine(checkNames)
  .superRefine(refuseSameAccounts)
  .transform(gatherAccounts);

const settings = z
  .strictObject({
    ...serviceShape,
    host: text.default("127.0.0.1"),
    port: z.int().min(0).max(65_535).default(0),
    tls: z
      .union([
        z.literal("throw-away"),
        z.strictObject({ certificate: pem, key: secret, ca: pem.optional() }),
      ])
      .optional(),
    clientCertificates: z.union([z.literal("throw-away"), z.strictObject({ ca: pem })]).optional(),
    faults: faultsSchema.default([]),
  })
  .superRefine(checkNames)
  .superRefine(refuseSameAccounts)
  .superRefine((value, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: "custom", path: [path], message });
    if (hasTlsFaults(value.faults) && value.tls !== "throw-away") {
      refuse("faults", 'has faults of TLS, which need tls: "throw-away"');
    }
    if (value.clientCertificates === undefined) return;
    if (value.tls === undefined) refuse("clientCertificates", "needs tls");
    else if (value.clientCertificates === "throw-away" && value.tls !== "throw-away") {
      refuse("clientCertificates", 'can be "throw-away" with tls: "throw-away" only');
    }
  })
  .transform(gatherAccounts);

/**
 * Checks a configuration strictly: what is not known is refused, not ignored.
 *
 * @throws ERR_TESTING_CONFIG_INVALID with the path of each mistake; values are not repeated, for
 * any of them may be a password
 */
export function parseSettings(config: unknown): IdentitySettings {
  return parse(settings, config);
}

/** As {@link parseSettings}, for a service that listens nowhere. */
export function parseServiceSettings(config: unknown): ServiceSettings {
  return parse(inProcess, config);
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

/** Of a union, the object form is the one worth explaining. */
function toMistakes(issue: z.core.$ZodIssue): readonly string[] {
  if (issue.code !== "invalid_union") return [`${showPath(issue.path)}: ${issue.message}`];
  const inner = issue.errors.at(-1) ?? [];
  return inner.flatMap((mistake) =>
    toMistakes({ ...mistake, path: [...issue.path, ...mistake.path] }),
  );
}

function showPath(path: readonly PropertyKey[]): string {
  const shown = path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("");
  return shown === "" ? "(the whole)" : shown.replace(/^\./, "");
}

/** The first account stands at the top of a configuration, and among the others in the settings. */
function gatherAccounts<
  Given extends AccountSettings & { readonly accounts: readonly AccountSettings[] },
>({ accountId, serviceUsers, projects, controlPanelUsers, accounts, ...service }: Given) {
  return {
    ...service,
    accounts: [{ accountId, serviceUsers, projects, controlPanelUsers }, ...accounts],
  };
}
