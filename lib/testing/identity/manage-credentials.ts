import * as z from "zod";
import { Secret } from "../../tokens";
import { emptyAnswer, errorAnswer, forbidden, isAnswer, jsonAnswer, MOUNT } from "./answers";
import type { ApplicationCredential } from "./application-credentials";
import { parseMember } from "./auth-request";
import type { EmbeddedUser } from "./embedded-user";
import type { IdentityAnswer, IdentityRequest, IdentityState } from "./exchange";
import { describe, readCaller } from "./presented-token";
import { rolesInFull, toKeystoneTime } from "./token-body";
import type { IssuedRecord } from "./token-register";

/** Keystone's 404, which repeats the id. */
export function unknownCredential(id: string): IdentityAnswer {
  const noted = { reason: "unknown_application_credential" } as const;
  return errorAnswer(404, `Could not find Application Credential: ${id}.`, noted);
}

const newCredential = z.object({
  name: z.string().min(1).max(255),
  secret: z.string().nullish(),
  description: z.string().nullish(),
  expires_at: z.string().nullish(),
  unrestricted: z.boolean().nullish(),
});

/** A moment, in UTC unless it has a zone. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/;

/** POST …/v3/users/ID/application_credentials: for the project of the caller's token. */
export function createCredential(
  request: IdentityRequest,
  state: IdentityState,
  userId: string,
): IdentityAnswer {
  const caller = readManager(request, state, userId, "create_application_credential");
  if (isAnswer(caller)) return caller;
  const { owner, record } = caller;
  const parsed = parseMember(newCredential, request.json?.application_credential ?? {});
  if (isAnswer(parsed)) return parsed;
  const { name, description = null, expires_at: end, unrestricted = null } = parsed.member;
  const expiresAt =
    end == null ? undefined : Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(end) ? end : `${end}Z`);
  if (end != null && (!TIME.test(end) || Number.isNaN(expiresAt)))
    return malformed("Timestamp not in expected format.");
  if (expiresAt !== undefined && expiresAt < state.now())
    return malformed("The 'expires_at' must not be before now.");
  if (state.credentials.of(owner).some((known) => known.name === name))
    return errorAnswer(
      409,
      `Conflict occurred attempting to store application_credential - Duplicate entry found with name ${name}.`,
    );
  const secret = parsed.member.secret ?? state.random(64).toString("base64url");
  const credential: ApplicationCredential = {
    id: state.random(16).toString("hex"),
    name,
    description,
    owner,
    scope: record.scope.kind === "project" ? record.scope : { kind: "none" },
    secret: Secret.of(secret),
    expiresAt,
    unrestricted,
  };
  state.credentials.add(credential);
  const member = { ...toMember(credential, request), secret };
  return jsonAnswer(201, { application_credential: member }, {}, describe(record));
}

/** GET …/v3/users/ID/application_credentials. */
export function listCredentials(
  request: IdentityRequest,
  state: IdentityState,
  userId: string,
): IdentityAnswer {
  const caller = readManager(request, state, userId, "list_application_credentials");
  if (isAnswer(caller)) return caller;
  const name = new URLSearchParams(request.query).get("name");
  const found = state.credentials
    .of(caller.owner)
    .filter((credential) => name === null || credential.name === name)
    .map((credential) => toMember(credential, request));
  const self = `${request.origin}${MOUNT}/v3/users/${userId}/application_credentials`;
  const links = { next: null, self, previous: null };
  return jsonAnswer(200, { application_credentials: found, links }, {}, describe(caller.record));
}

/** GET and DELETE …/v3/users/ID/application_credentials/ID. */
export function oneCredential(
  request: IdentityRequest,
  state: IdentityState,
  userId: string,
  id: string,
): IdentityAnswer {
  const action = request.method === "DELETE" ? "delete" : "get";
  const caller = readManager(request, state, userId, `${action}_application_credential`);
  if (isAnswer(caller)) return caller;
  const credential = state.credentials.find(id);
  if (credential?.owner !== caller.owner) return unknownCredential(id);
  const noted = describe(caller.record);
  if (action === "get")
    return jsonAnswer(200, { application_credential: toMember(credential, request) }, {}, noted);
  state.credentials.delete(credential);
  return emptyAnswer(noted);
}

/** The user itself, by a token that may do so. */
function readManager(
  request: IdentityRequest,
  state: IdentityState,
  userId: string,
  action: string,
): { readonly owner: EmbeddedUser; readonly record: IssuedRecord } | IdentityAnswer {
  const record = readCaller(request, state);
  if (isAnswer(record)) return record;
  if (record.owner.federation !== undefined && record.owner.id === userId)
    return malformed("Invalid application credential: Could not find role assignment.");
  const owner = state.directory.user({ id: userId });
  if (owner === undefined || record.owner !== owner)
    return forbidden(
      { ...describe(record), reason: "token_of_another_user" },
      `identity:${action}`,
    );
  const reads = action.startsWith("list") || action.startsWith("get");
  if (record.credential !== undefined && record.credential.unrestricted !== true && !reads)
    return forbidden(
      { ...describe(record), reason: "restricted" },
      "Using method 'application_credential' is not allowed for managing additional application credentials.",
    );
  return { owner, record };
}

function toMember(credential: ApplicationCredential, { origin }: IdentityRequest): object {
  const { id, name, description, owner, scope, expiresAt, unrestricted } = credential;
  return {
    id,
    name,
    description,
    user_id: owner.id,
    project_id: scope.kind === "project" ? scope.project.id : null,
    system: null,
    expires_at: expiresAt === undefined ? null : toKeystoneTime(expiresAt).replace(/Z$/, ""),
    unrestricted,
    roles: rolesInFull(owner),
    links: { self: `${origin}${MOUNT}/v3/application_credentials/${id}` },
  };
}

function malformed(message: string): IdentityAnswer {
  return errorAnswer(400, message, { reason: "malformed_request" });
}
