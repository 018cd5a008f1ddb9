import type { Revocation, Validation } from "../../identity";
import { toProviderBlock } from "../../provider/credentials/provider-block";
import { type Service as ServiceNow, serviceAt } from "../../provider/credentials/service";
import { sendable } from "../../provider/objects/stored-token";
import type { IdentityAccess, IdentityPort } from "../../provider/process/identity-access";
import type { ProcessContext } from "../../provider/process/process-context";
import {
  type AuthUrl,
  addressOf,
  defined,
  type ErrorCode,
  fingerprintOf,
  IamTokensError,
  isWhole,
  mayBeAt,
  parseAuthUrl,
  type Secret,
  type UnresolvedUrl,
} from "../../tokens";
import type { CallersAddresses } from "./callers-addresses";
import type { Outcome } from "./outcome";
import type { FoundToken } from "./state-tokens";

/** A request about a token, by the token itself. */
export type Question = (
  client: IdentityPort,
  ...of: Parameters<IdentityPort["revoke"]>
) => Promise<Revocation | Validation>;

const STATIC =
  "A static token never expires, and no request revokes it. Delete it in the control panel: Account menu, Access, tab API keys.";
const NOT_SENDABLE = "The state holds nothing there that can be sent as a token.";
const NO_ADDRESS =
  "The state does not say which identity service issued it. Add --auth-url ADDRESS.";
const NO_OBJECT =
  "It has the form of a token, but nothing in the state says whose it is. If it is one of a service of yours, add --auth-url ADDRESS.";
const NOT_WHOLE =
  "The service refuses it. Check that the token is whole, and that this service issued it; otherwise it was revoked before, or has expired.";
const refusedBy = (v3: string) =>
  `Refused by ${v3}, which only the state names. If that is your service, say so by --auth-url ADDRESS or OS_AUTH_URL.`;
const refusedUntil = (end: string | null) =>
  `It can live again only if its project was disabled or its user has lost a role, and that is undone, until ${end ?? "it expires"}.`;

/** No answer of the service: for each further token there, it would be the same. */
const UNREACHABLE: readonly ErrorCode[] = [
  "ERR_CONNECTION_FAILED",
  "ERR_NO_ANSWER",
  "ERR_PROXY_REFUSED",
  "ERR_TLS_FAILED",
];

/** An identity service, and the first request to it. */
interface Service extends ServiceNow {
  /** Why it cannot be reached; nothing if it can. */
  failure?: Promise<unknown>;
}

/** Asks identity services about tokens; one that cannot be reached is tried once. */
export function createAsking(
  question: Question,
  callers: CallersAddresses,
  identity: IdentityAccess,
  context: ProcessContext,
) {
  const services = new Map<string, Promise<Service>>();
  /** As it names its address itself. */
  const reached = (given: AuthUrl | UnresolvedUrl): Promise<Service> => {
    const reach = () => serviceAt(given, toProviderBlock({}), identity, context);
    const key = JSON.stringify(given);
    const service = services.get(key) ?? reach();
    services.set(key, service);
    return service;
  };
  const ask = async (service: Service, token: Secret) => {
    const failure = service.failure && (await service.failure);
    if (failure) throw failure;
    const client = identity.client(() => {});
    const answer = question(client, { ...service, token }, new AbortController().signal);
    service.failure ??= answer.then(
      () => {},
      (error) => IamTokensError.is(error) && UNREACHABLE.includes(error.code) && error,
    );
    return answer;
  };
  const isConfirmed = async (v3: string) => {
    const own = callers.all.filter((each) => mayBeAt(each, v3));
    const named = own.map((each) => reached(each).catch((error) => void ofUser(error)));
    return (await Promise.all(named)).some((each) => each?.authUrl.v3 === v3);
  };

  /** Rejects only for a fault of this program. */
  return async ({ places, isStatic, attributes }: FoundToken): Promise<Outcome> => {
    const token = sendable(attributes.token);
    const { auth_url: address, expires_at, fingerprint } = attributes;
    const isIam = isStatic === false;
    const end = isIam && typeof expires_at === "string" ? expires_at : null;
    let outcome: Outcome["outcome"] = isStatic ? "may_still_live" : "unknown";
    let reason: string | undefined;
    let authUrl: AuthUrl | UnresolvedUrl | undefined;
    let address_confirmed = false;
    try {
      authUrl = typeof address === "string" ? parseAuthUrl(address) : callers.elsewhere;
      if (isStatic) reason = STATIC;
      else if (token === undefined) reason = NOT_SENDABLE;
      else if (authUrl === undefined) reason = isIam ? NO_ADDRESS : NO_OBJECT;
      else {
        const service = await reached(authUrl);
        const { v3 } = service.authUrl;
        authUrl = service.authUrl;
        address_confirmed = await isConfirmed(v3);
        outcome = await ask(service, token);
        if (outcome === "refused") {
          // An altered text, or another service, gives the same answer.
          const isKnown = address && isWhole(token, fingerprint);
          if (isKnown && address_confirmed) reason = refusedUntil(end);
          else [outcome, reason] = ["not_known_here", isKnown ? refusedBy(v3) : NOT_WHOLE];
        }
      }
    } catch (error) {
      const failure = ofUser(error);
      if (failure.code === "ERR_TOKEN_HIDDEN") outcome = "may_still_live";
      reason = failure.message.replaceAll(/\s+/g, " ");
    }
    const isIssued = isIam || outcome === "revoked" || outcome === "alive";
    return {
      outcome,
      fingerprint: token !== undefined && isIssued ? fingerprintOf(token) : null,
      places,
      auth_url: isStatic ? null : ((authUrl && addressOf(authUrl)) ?? null),
      address_confirmed,
      expires_at: end,
      ...defined({ reason }),
    };
  };
}

/** An error with words for the user. Any other is a fault of this program. */
function ofUser(error: unknown): IamTokensError {
  if (!IamTokensError.is(error)) throw error;
  return error;
}
