import { parseAuthUrl } from "../../tokens";
import type { Scene } from "./scene";
import type { Service } from "./services";

/** An identity service to be reached, and a provider block that names it. */
export interface Address {
  readonly url: string;
  readonly service: Service;
}

/** Each address once. One of the command line stands for all others. */
export async function addressesOf(scene: Scene): Promise<readonly Address[]> {
  const services = await scene.services();
  const { authUrl } = scene.options;
  if (authUrl !== undefined) {
    const given = parseAuthUrl(authUrl);
    const known = services.find((service) => service.authUrl?.v3 === given.v3);
    return [{ url: given.v3, service: known ?? scene.serviceAt(given) }];
  }
  const found = new Map<string, Service>();
  for (const service of services) {
    const url = service.authUrl?.v3;
    // One with a description may have files for TLS.
    if (url !== undefined && (!found.has(url) || found.get(url)?.description === undefined))
      found.set(url, service);
  }
  return [...found].map(([url, service]) => ({ url, service }));
}
