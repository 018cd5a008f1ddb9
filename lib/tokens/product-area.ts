import { TOKEN_KINDS, type TokenKindId } from "./token-kind";

/**
 * What the service's APIs are for, and how its list of product APIs calls each; null for what only
 * the table of token kinds has.
 *
 * @see spec, "What the service does"
 */
export const PRODUCT_AREAS = {
  iam: "IAM",
  federations: "federations",
  dedicated_servers: "dedicated servers",
  cloud_platform_projects_and_resources: "cloud platform projects and resources",
  project_quotas_and_limits: "project quotas and limits",
  cloud_databases: "cloud databases",
  managed_kubernetes: "managed Kubernetes",
  secrets: "secrets",
  certificates: "certificates",
  swift: "Swift",
  object_storage: "Object Storage",
  dns_hosting: "DNS hosting",
  ip_address_accounting: "an IP address accounting service",
  audit_logs: "audit logs",
  tickets: "tickets",
  openstack_api_objects: "OpenStack API objects",
  balance_and_consumption_statistics: null,
  global_router: null,
} as const satisfies Record<string, string | null>;

/** One of {@link PRODUCT_AREAS}. */
export type ProductAreaId = keyof typeof PRODUCT_AREAS;

/** What a row of the table says, in its own words, and which areas that is. */
interface Grant {
  readonly wording: string;
  readonly areas: readonly ProductAreaId[];
  /** Areas of which the wording does not say whether they are meant. */
  readonly unclear?: readonly ProductAreaId[];
}

/** A row of the table of what each kind of token manages. */
interface Row {
  readonly grants: readonly Grant[];
  readonly remark: string;
}

/**
 * The rows of the IAM tokens, in the spec's words: the grants joined by semicolons, and the remark.
 *
 * @see spec, "What each token kind manages"
 */
export const IAM_TOKEN_ROWS: Readonly<Record<Exclude<TokenKindId, "static_token">, Row>> = {
  iam_token_account_scoped: {
    grants: [
      { wording: "users and roles (IAM)", areas: ["iam"] },
      { wording: "federations", areas: ["federations"] },
      {
        wording: "balance and consumption statistics",
        areas: ["balance_and_consumption_statistics"],
      },
      { wording: "dedicated servers", areas: ["dedicated_servers"] },
      {
        wording:
          "OpenStack API objects (cloud servers, network disks and others) through the cloud platform projects and resources API and the " +
          "project quotas and limits API",
        areas: [
          "openstack_api_objects",
          "cloud_platform_projects_and_resources",
          "project_quotas_and_limits",
        ],
      },
      { wording: "the global router", areas: ["global_router"] },
    ],
    remark: "Access is at the level of login and password in the control panel for most products.",
  },
  iam_token_project_scoped: {
    grants: [
      { wording: "dedicated servers", areas: ["dedicated_servers"] },
      {
        wording: "OpenStack API objects (as above)",
        areas: ["openstack_api_objects"],
        unclear: ["cloud_platform_projects_and_resources", "project_quotas_and_limits"],
      },
      {
        wording:
          "cloud platform products: cloud databases, managed Kubernetes, secrets manager (secrets and certificates)",
        areas: ["cloud_databases", "managed_kubernetes", "secrets", "certificates"],
      },
      { wording: "S3 (Swift API and Object Storage API)", areas: ["swift", "object_storage"] },
      { wording: "audit logs", areas: ["audit_logs"] },
    ],
    remark: "Access is at the level of login and password in the control panel for most products.",
  },
};

/** The row of the static token: everything but some areas. */
export const STATIC_TOKEN_ROW = {
  wording:
    "all products except OpenStack API objects, with full access at the level of login and password in the control panel. It is the only " +
    "usable token for any API that accepts neither kind of IAM token.",
  except: ["openstack_api_objects"],
} as const satisfies { readonly wording: string; readonly except: readonly ProductAreaId[] };

/** An answer where the spec has one; "unknown" is neither yes nor no. */
type Answer = "yes" | "no" | "unknown";

/**
 * Whether a token of this kind may manage an area. "yes" where the table of the spec says so, "no"
 * where it names the area for an IAM token of the other kind alone (or excepts it, for the static
 * token), "unknown" where it does not name the area: which kinds each single API accepts is not
 * shown.
 *
 * @example mayManage("iam_token_project_scoped", "cloud_databases") // "yes"
 * @see spec, "What each token kind manages"; "Authentication", 8
 */
export function mayManage(kind: TokenKindId, area: ProductAreaId): Answer {
  if (kind === "static_token")
    return (STATIC_TOKEN_ROW.except as readonly ProductAreaId[]).includes(area) ? "no" : "yes";
  const { grants } = IAM_TOKEN_ROWS[kind];
  if (grants.some((grant) => grant.areas.includes(area))) return "yes";
  if (grants.some((grant) => grant.unclear?.includes(area))) return "unknown";
  return Object.values(IAM_TOKEN_ROWS).some((row) =>
    row.grants.some((grant) => grant.areas.includes(area)),
  )
    ? "no"
    : "unknown";
}

/** The kinds of token of which the spec says that they may manage an area. */
export function tokenKindsFor(area: ProductAreaId): readonly TokenKindId[] {
  return TOKEN_KINDS.filter((kind) => mayManage(kind, area) === "yes");
}

/** Whether a value is one of the areas: JavaScript lets anything through. */
export function isProductArea(value: unknown): value is ProductAreaId {
  return typeof value === "string" && Object.hasOwn(PRODUCT_AREAS, value);
}
