import type { AuthUrl, Secret } from "../../tokens";
import type { WireRequest } from "./wire-request";

/**
 * The request by which a token revokes itself. The spec does not show it; it is Keystone's, so it
 * is sent on demand only (`revoke_on_close`).
 */
export function revokeRequest(authUrl: AuthUrl, token: Secret): WireRequest {
  const value = token.reveal();
  return {
    method: "DELETE",
    url: authUrl.tokens,
    headers: { accept: "application/json", "x-auth-token": value, "x-subject-token": value },
  };
}
