import type { IdentitySettings } from "../config/settings";
import type { ServedAnswer } from "../intercept";
import type { EmbeddedIdentityOptions } from "../options";
import { createDirectory } from "./directory";
import { createFederation } from "./federation";
import { errorAnswer, type IdentityRequest, keystoneAnswer, REQUEST_ID, Refusal } from "./http";
import { FEDERATED, GITHUB_ACTIONS, giveIdToken, signInByIdentityToken } from "./identity-token";
import { createJournal, type Noted } from "./journal";
import { ECHO, echo, revokeToken, validateToken } from "./presented";
import { signIn } from "./sign-in";
import type { Handler, State } from "./state";
import { createTokens } from "./tokens";

/** The version, as Keystone's own documents have it: clients follow its link. */
const versionOf = ({ headers: { host } }: Parameters<Handler>[0]) => ({
  id: "v3.14",
  status: "stable",
  links: [{ rel: "self", href: `http://${host}/identity/v3/` }],
});

const showVersion: Handler = (request) => keystoneAnswer(200, { version: versionOf(request) });

/** What there is at an address without a version. */
const listVersions: Handler = (request) =>
  keystoneAnswer(300, { versions: { values: [versionOf(request)] } });

const ROUTES: Readonly<Record<string, Handler>> = {
  "GET /": listVersions,
  "GET /identity": listVersions,
  "GET /identity/": listVersions,
  "GET /identity/v3": showVersion,
  "GET /identity/v3/": showVersion,
  "POST /identity/v3/auth/tokens": signIn,
  "GET /identity/v3/auth/tokens": validateToken,
  "HEAD /identity/v3/auth/tokens": validateToken,
  "DELETE /identity/v3/auth/tokens": revokeToken,
  [`GET ${GITHUB_ACTIONS}`]: giveIdToken,
};

const notFound: Handler = () => errorAnswer(404);

/** A Keystone without a network: what it knows, and its answer to each request. */
export function createKeystone(
  settings: IdentitySettings,
  { now = Date.now, onRequest, echo: hasEcho = false }: EmbeddedIdentityOptions,
) {
  const directory = createDirectory(settings, now);
  const state: State = {
    directory,
    tokens: createTokens(settings.tokenLifetimeSeconds, now),
    federation: createFederation(settings, now),
    catalog: settings.catalog,
    now,
  };
  const journal = createJournal(directory.secrets, onRequest);

  function handlerOf(method: string, path: string): Handler {
    if (hasEcho && `${path}/`.startsWith(`${ECHO}/`)) return echo;
    if (method === "POST" && FEDERATED.test(path)) return signInByIdentityToken;
    const key = `${method} ${path}`;
    return (Object.hasOwn(ROUTES, key) ? ROUTES[key] : undefined) ?? notFound;
  }

  function serve(request: IdentityRequest): ServedAnswer {
    const { method, path } = request;
    let noted: Noted = {};
    let answer: ServedAnswer;
    try {
      answer = handlerOf(method, path)(request, state, (next) => {
        noted = next;
      });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      noted = { ...noted, reason: error.reason };
      answer = errorAnswer(error.status, error.said);
    }
    const { status, headers, body } = answer;
    const at = new Date(now());
    const [, requestId = null] = headers.find(([name]) => name === REQUEST_ID) ?? [];
    journal.record({ at: at.toISOString(), method, path, status, requestId }, noted);
    return { status, headers: [["Date", at.toUTCString()], ...headers], body };
  }

  return { ...state, journal, serve };
}
