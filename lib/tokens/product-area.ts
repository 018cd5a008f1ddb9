import { TOKEN_KINDS, type TokenKindId } from "./token-kind";

/**
 * Areas of the service's APIs, with their names in its list of product APIs; null for those that
 * only the table of token kinds contains.
 *
 * @see docs/product-areas.md
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

/** A row of the table: its wording, and its areas. */
interface Grant {
  readonly wording: string;
  readonly areas: readonly ProductAreaId[];
  /** Areas that the wording may or may not include. */
  readonly unclear?: readonly ProductAreaId[];
}

/** A row of the table of areas that each kind of token manages. */
interface Row {
  readonly grants: readonly Grant[];
  readonly remark: string;
}

/**
 * The rows of the IAM tokens, in the words of the service's specification: the grants joined by
 * semicolons, and the remark.
 *
 * @see docs/product-areas.md
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

/** The row of the static token: all areas except some. */
export const STATIC_TOKEN_ROW = {
  wording:
    "all products except OpenStack API objects, with full access at the level of login and password in the control panel. It is the only " +
    "usable token for any API that accepts neither kind of IAM token.",
  except: ["openstack_api_objects"],
} as const satisfies { readonly wording: string; readonly except: readonly ProductAreaId[] };

/** The specification's answer; "unknown" is neither yes nor no. */
type Answer = "yes" | "no" | "unknown";

/**
 * Whether a token of this kind may manage an area. "yes" if the service's table says so; "no" if it
 * names the area only for an IAM token of the other kind (or excludes it, for the static token);
 * "unknown" if it does not name the area, because it does not list the kinds that each API accepts.
 *
 * @example mayManage("iam_token_project_scoped", "cloud_databases") // "yes"
 * @see docs/product-areas.md
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

/** The kinds of token that may manage an area, by the service's specification. */
export function tokenKindsFor(area: ProductAreaId): readonly TokenKindId[] {
  return TOKEN_KINDS.filter((kind) => mayManage(kind, area) === "yes");
}

/** Whether a value is one of the areas: a JavaScript program may pass anything. */
export function isProductArea(value: unknown): value is ProductAreaId {
  return typeof value === "string" && Object.hasOwn(PRODUCT_AREAS, value);
}
