export type {
  Credential,
  IssueRequest,
  RevokeRequest,
  Scope,
  Subject,
  Terms,
  TlsMaterial,
} from "./credential";
export { type IdentityTokenRequest, requestFromGitHub } from "./github-actions";
export { IdentityClient, type IdentityClientOptions } from "./identity-client";
export type { Revocation, Validation } from "./interpret/token-answer";
export type { IssuedToken } from "./issued-token";
export type { Described, Domain, Naming, User } from "./references";
export { rehearseIssue } from "./rehearsal";
export { tlsContext } from "./transport/tls-context";
export type { Usage } from "./usage";
