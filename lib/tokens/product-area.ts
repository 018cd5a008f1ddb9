import { TOKEN_KINDS, type TokenKindId } from "./token-kind";

/**
 * Areas of the service's APIs, with their names in its list of product APIs; null for those that
 * only the table of token kinds contains.
 *
 * @see docs/api/product-areas.md
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

/** Product areas that one kind of token manages: a row of the table. */
interface Row {
  /** The areas, by the wording that grants them. */
  readonly grants: Readonly<Record<string, readonly ProductAreaId[]>>;
  /** Areas that the wording may or may not include. */
  readonly unclear?: readonly ProductAreaId[];
}

/**
 * The rows of the IAM tokens, in the words of the service's specification, which joins the grants
 * by semicolons.
 *
 * @see docs/api/product-areas.md
 */
export const IAM_TOKEN_ROWS: Readonly<Record<Exclude<TokenKindId, "static_token">, Row>> = {
  iam_token_account_scoped: {
    grants: {
      "users and roles (IAM)": ["iam"],
      federations: ["federations"],
      "balance and consumption statistics": ["balance_and_consumption_statistics"],
      "dedicated servers": ["dedicated_servers"],
      "OpenStack API objects (cloud servers, network disks and others) through the cloud platform projects and resources API and the project quotas and limits API":
        [
          "openstack_api_objects",
          "cloud_platform_projects_and_resources",
          "project_quotas_and_limits",
        ],
      "the global router": ["global_router"],
    },
  },
  iam_token_project_scoped: {
    grants: {
      "dedicated servers": ["dedicated_servers"],
      "OpenStack API objects (as above)": ["openstack_api_objects"],
      "cloud platform products: cloud databases, managed Kubernetes, secrets manager (secrets and certificates)":
        ["cloud_databases", "managed_kubernetes", "secrets", "certificates"],
      "S3 (Swift API and Object Storage API)": ["swift", "object_storage"],
      "audit logs": ["audit_logs"],
    },
    unclear: ["cloud_platform_projects_and_resources", "project_quotas_and_limits"],
  },
};

/** "All products except OpenStack API objects", says the row of the static token. */
const NOT_BY_STATIC_TOKEN: ProductAreaId = "openstack_api_objects";

const grants = (row: Row, area: ProductAreaId): boolean =>
  Object.values(row.grants).flat().includes(area);

/** The specification's answer; "unknown" is neither yes nor no. */
type Answer = "yes" | "no" | "unknown";

/**
 * Whether a token of this kind may manage an area. "yes" if the service's table says so; "no" if it
 * names the area only for an IAM token of the other kind (or excludes it, for the static token);
 * "unknown" if it does not name the area, because it does not list the kinds that each API accepts.
 *
 * @example mayManage("iam_token_project_scoped", "cloud_databases") // "yes"
 * @see docs/api/product-areas.md
 */
export function mayManage(kind: TokenKindId, area: ProductAreaId): Answer {
  if (kind === "static_token") return area === NOT_BY_STATIC_TOKEN ? "no" : "yes";
  const row = IAM_TOKEN_ROWS[kind];
  if (grants(row, area)) return "yes";
  if (row.unclear?.includes(area)) return "unknown";
  return Object.values(IAM_TOKEN_ROWS).some((each) => grants(each, area)) ? "no" : "unknown";
}

/** The kinds of token that may manage an area, by the service's specification. */
export function tokenKindsFor(area: ProductAreaId): readonly TokenKindId[] {
  return TOKEN_KINDS.filter((kind) => mayManage(kind, area) === "yes");
}
