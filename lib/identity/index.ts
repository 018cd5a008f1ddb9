export type {
  ApplicationCredential,
  Credential,
  FederatedCredential,
  IssueRequest,
  PasswordCredential,
  RevokeRequest,
  Scope,
  Subject,
  TlsMaterial,
} from "./credential";
export type { IdentityTokenRequest } from "./github-actions";
export { IdentityClient, type IdentityClientOptions } from "./identity-client";
export type { Revocation } from "./interpret/revoke-answer";
export type { Validation } from "./interpret/validate-answer";
export type { IssuedToken } from "./issued-token";
export { type Limits, limitsOf } from "./limits";
export { type ProbeOptions, probe, type Reached } from "./probe";
export type { Described, Domain, Expected, Naming, Project, User } from "./references";
export { rehearseIssue } from "./rehearsal";
export type { Sleep } from "./retry/exchange";
export { tlsContext } from "./transport/tls-context";
export type {
  Answer,
  BodyEnd,
  Fault,
  FaultKind,
  Outcome,
  SendOptions,
  Transport,
} from "./transport/transport";
export { type CredentialUsage, type Usage, UsageJournal } from "./usage-journal";
