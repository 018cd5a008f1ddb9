import type { CatalogServiceSettings } from "../config/settings";
import { MOUNT } from "./answers";
import { idOf } from "./directory";
import type { IdentityRequest } from "./exchange";
import type { IssuedRecord } from "./token-register";

/** The service catalog of a token: without the endpoints that need a project, if it has none. */
export function toCatalog(
  services: readonly CatalogServiceSettings[],
  { owner, scope }: Pick<IssuedRecord, "owner" | "scope">,
  { origin }: Pick<IdentityRequest, "origin">,
): readonly object[] {
  const project = scope.kind === "project" ? scope.project.id : undefined;
  const ids = new Map([
    ["project_id", project],
    ["tenant_id", project],
    ["user_id", owner.id],
  ]);
  const substitute = (url: string): string | undefined => {
    const names = [...url.matchAll(SUBSTITUTION)].flatMap(([, name]) => name ?? []);
    if (names.some((name) => ids.get(name) === undefined)) return undefined;
    return url.replace(SUBSTITUTION, (_all, name?: string) => ids.get(name ?? "") ?? "%");
  };
  const own = services.some(({ type }) => type === "identity") ? [] : [identityService(origin)];
  return [...own, ...services].map(({ type, name, id, endpoints }) => ({
    endpoints: endpoints.flatMap((endpoint, index) => {
      const url = substitute(endpoint.url);
      if (url === undefined) return [];
      const { region = "RegionOne", region_id = region } = endpoint;
      return [
        {
          id: endpoint.id ?? idOf("endpoint", type, name, String(index)),
          interface: endpoint.interface,
          region_id,
          url,
          region: region_id,
        },
      ];
    }),
    id: id ?? idOf("service", type, name),
    type,
    name,
  }));
}

const SUBSTITUTION = /%(?:%|\((\w+)\)s)/g;

/** At the address that the client uses. */
function identityService(origin: string): CatalogServiceSettings {
  // A Host header is the client's own: what looks like a substitution in it is none.
  const url = `${origin.replaceAll("%", "%%")}${MOUNT}/v3`;
  const endpoints = (["public", "internal", "admin"] as const).map((name) => ({
    interface: name,
    url,
  }));
  return { type: "identity", name: "keystone", endpoints };
}
