import { outsideAnswer, Refusal } from "./http";
import { issued } from "./sign-in";
import type { Handler } from "./state";

/** The path of a sign-in by an identity token: with the provider and the protocol. */
export const FEDERATED =
  /^\/identity\/v3\/OS-FEDERATION\/identity_providers\/([^/]+)\/protocols\/([^/]+)\/auth$/;

/** The limit of Apache for a line of a request's head, here of the value. */
const MAX_HEADER = 8190 - "Authorization: ".length;

/** The protocols of a usual Keystone, whether or not a provider has them. */
const PROTOCOLS: readonly string[] = ["mapped", "openid"];

/** POST FEDERATED: an unscoped token for an identity token, which Apache checks before Keystone. */
export const signInByIdentityToken: Handler = ({ path, headers }, state, note) => {
  const { federation } = state;
  const { authorization = "" } = headers;
  const [, token = ""] = /^Bearer (.+)$/i.exec(authorization) ?? [];
  const isLong = authorization.length > MAX_HEADER;
  const { iss, sub, aud } = (isLong ? undefined : federation.check(token)) ?? {};
  if (typeof sub !== "string" || sub === "") {
    note({ reason: "identity_token_invalid" });
    return outsideAnswer(isLong ? 400 : 401, {});
  }
  note({ user: sub });
  const [, id = "", protocol = ""] = (FEDERATED.exec(path) ?? []).map(decoded);
  const provider = federation.provider(id);
  if (provider?.protocol !== protocol) {
    // Keystone knows a protocol as a method of signing in, for all providers.
    const known = federation.providers.map((each) => each.protocol);
    const isKnown = [...PROTOCOLS, ...known].includes(protocol);
    throw new Refusal("unknown_identity_provider", isKnown ? 404 : 401);
  }
  if (iss !== provider.issuer) throw new Refusal("issuer_not_accepted", 403);
  // Apache joins several with a comma, which is then another string.
  if (provider.audience !== undefined && String(aud) !== provider.audience)
    throw new Refusal("audience_not_accepted");
  const owner = federation.user(provider, sub);
  return issued({ owner, scope: { kind: "none" }, method: protocol }, state, note);
};

/** A part of a path. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Refusal("malformed_request", 400);
  }
}

/** Where a job of GitHub Actions would ask for its identity token. */
export const GITHUB_ACTIONS = "/github-actions/id-token";

/** GET …&audience=…, with the job's bearer: as GitHub gives an identity token. */
export const giveIdToken: Handler = ({ query, headers }, { federation }, note) => {
  const job = federation.jobs.get(headers.authorization?.replace(/^Bearer /, "") ?? "");
  if (job === undefined) {
    note({ reason: "token_unknown" });
    return outsideAnswer(401, {});
  }
  const aud = new URLSearchParams(query).get("audience") ?? "https://github.com/octo-org";
  const value = federation.issue({ ...job, aud });
  return outsideAnswer(200, { count: value.length, value });
};
