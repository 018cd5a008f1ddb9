import { isProductArea, tokenKindsFor as kindsFor } from "../tokens";
import type { TokenKind } from "./token-kind";

/**
 * What the service's APIs are for.
 *
 * @see spec, "What the service does"; "What each token kind manages"
 */
export enum ProductArea {
  /** Users and roles. */
  IAM = "iam",
  FEDERATIONS = "federations",
  DEDICATED_SERVERS = "dedicated_servers",
  CLOUD_PLATFORM_PROJECTS_AND_RESOURCES = "cloud_platform_projects_and_resources",
  PROJECT_QUOTAS_AND_LIMITS = "project_quotas_and_limits",
  CLOUD_DATABASES = "cloud_databases",
  MANAGED_KUBERNETES = "managed_kubernetes",
  /** Of the secrets manager. */
  SECRETS = "secrets",
  /** Of the secrets manager. */
  CERTIFICATES = "certificates",
  SWIFT = "swift",
  OBJECT_STORAGE = "object_storage",
  DNS_HOSTING = "dns_hosting",
  IP_ADDRESS_ACCOUNTING = "ip_address_accounting",
  AUDIT_LOGS = "audit_logs",
  TICKETS = "tickets",
  /** Cloud servers, network disks and others. */
  OPENSTACK_API_OBJECTS = "openstack_api_objects",
  BALANCE_AND_CONSUMPTION_STATISTICS = "balance_and_consumption_statistics",
  GLOBAL_ROUTER = "global_router",
}

/**
 * The kinds of token of which the spec says that they may manage an area; none for what is no area.
 *
 * @example tokenKindsFor(ProductArea.AUDIT_LOGS) // iam_token_project_scoped and static_token
 * @see spec, "What each token kind manages"
 */
export function tokenKindsFor(area: ProductArea): TokenKind[] {
  return isProductArea(area)
    ? (kindsFor(area) as readonly string[] as readonly TokenKind[]).slice()
    : [];
}

/** {@link tokenKindsFor}, for languages that have no functions outside of classes. */
export class ProductAreas {
  /** @see tokenKindsFor */
  static tokenKindsFor(area: ProductArea): TokenKind[] {
    return tokenKindsFor(area);
  }

  private constructor() {}
}
