import { isProductArea, tokenKindsFor as kindsFor, mayManage, PRODUCT_AREAS } from "../../tokens";
import type { Mistakes } from "../props/mistakes";
import { shown } from "../props/shown";
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

/** Whether a token may manage an area, as far as the spec says. */
export enum MayManage {
  YES = "yes",
  NO = "no",
  /** The spec does not show it. */
  UNKNOWN = "unknown",
}

const ANSWERS = { yes: MayManage.YES, no: MayManage.NO, unknown: MayManage.UNKNOWN } as const;

/** Whether a token may manage an area. Something that is no area is a mistake, and unknown. */
export function mayManageArea(kind: TokenKind, area: unknown, mistakes: Mistakes): MayManage {
  if (isProductArea(area)) return ANSWERS[mayManage(kind, area)];
  mistakes.add("ERR_PROP_INVALID", `The area is ${shown(area)}.`, { allowed: "a ProductArea" });
  return MayManage.UNKNOWN;
}

/**
 * Refuses a kind of token that may not manage an area.
 *
 * @returns a warning where that is not known: no refusal, but no consent either
 */
export function checkMayManage(
  kind: TokenKind,
  area: unknown,
  mistakes: Mistakes,
): string | undefined {
  const answer = mayManageArea(kind, area, mistakes);
  if (!isProductArea(area) || answer === MayManage.YES) return undefined;
  const kinds = kindsFor(area).join(", ");
  const name = PRODUCT_AREAS[area] ?? area.replaceAll("_", " ");
  if (answer === MayManage.UNKNOWN)
    return `Whether a token of the kind ${kind} may manage ${name} is not documented; these may: ${kinds}.`;
  mistakes.add(
    "ERR_KIND_UNSUITABLE",
    `A token of the kind ${kind} does not manage ${name}; these do: ${kinds}.`,
  );
  return undefined;
}
