import { IamTokensError, mayManage, PRODUCT_AREAS, tokenKindsFor } from "../../tokens";
import { assertKind, kind } from "./kinds";
import type { TokenKind } from "./token";

/**
 * Areas that the service's APIs manage.
 *
 * @see docs/api/product-areas.md
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
  /** In the secrets manager. */
  SECRETS = "secrets",
  /** In the secrets manager. */
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

const AREA = kind(
  Object.keys(ProductArea)
    .map((each) => `ProductArea.${each}`)
    .join(", "),
  (value) => Object.values<unknown>(ProductArea).includes(value),
);

/**
 * Refuses a kind of token that may not manage an area.
 *
 * @returns a warning if that is unknown: then the token is neither refused nor approved
 */
export function assertArea(of: TokenKind, area: ProductArea): string | undefined {
  assertKind("The area", area, AREA);
  const answer = mayManage(of, area);
  const name = PRODUCT_AREAS[area] ?? area;
  const kinds = tokenKindsFor(area).join(", ");
  if (answer === "no")
    throw new IamTokensError(
      "ERR_KIND_UNSUITABLE",
      `A token of the kind ${of} cannot manage ${name}; these can: ${kinds}.`,
    );
  return answer === "yes"
    ? undefined
    : `The documentation does not say whether a token of the kind ${of} may manage ${name}; these may: ${kinds}.`;
}
