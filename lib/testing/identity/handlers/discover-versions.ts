import type { IdentityAnswer, IdentityRequest } from "../exchange";
import { jsonAnswer, MOUNT } from "../keystone-answers";

/** GET …/identity: 300 with a Location that no client should follow with credentials. */
export function listVersions(request: IdentityRequest): IdentityAnswer {
  const location = `${request.origin}${MOUNT}/v3/`;
  return jsonAnswer(
    300,
    { versions: { values: [toVersion(location)] } },
    { headers: { Location: location } },
  );
}

/** GET …/identity/v3. */
export function showVersion(request: IdentityRequest): IdentityAnswer {
  return jsonAnswer(200, { version: toVersion(`${request.origin}${MOUNT}/v3/`) });
}

function toVersion(href: string): object {
  return {
    id: "v3.14",
    status: "stable",
    updated: "2020-04-07T00:00:00Z",
    links: [{ rel: "self", href }],
    "media-types": [
      { base: "application/json", type: "application/vnd.openstack.identity-v3+json" },
    ],
  };
}
