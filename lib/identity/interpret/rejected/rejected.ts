import { likely } from "../../../tokens/candidates";
import type { Proof, Scope } from "../../credential";
import type { Answer } from "../../transport/transport";
import { headerValues } from "../headers";
import type { IssueContext } from "../issued-body";
import { isKeystones } from "../keystone-error";
import { statusText } from "../refusal";
import { factorsOf } from "./second-factor";

/** What other answers of this process prove about a refused request. */
export interface Evidence {
  /** How long ago the same credential got an account token, in milliseconds. */
  readonly accountTokenMs?: number | undefined;
  /** The same for a token of another project. */
  readonly projectTokenMs?: number | undefined;
  /** The same credential was refused what it had got before. */
  readonly lost?: boolean;
  /** The same user got a token with another password. */
  readonly otherPassword?: boolean;
  /** Somebody got a token for this account. */
  readonly accountKnown?: boolean;
}

/** Whether the same credential has got any token: its parts were right. */
export const hasToken = ({ accountTokenMs, projectTokenMs }: Evidence): boolean =>
  (accountTokenMs ?? projectTokenMs) !== undefined;

/** A proof without its secret. */
export type Described<Any extends Proof = Proof> = Any extends Proof ? Omit<Any, "secret"> : never;

/** A refusal of a credential, without its secret. */
export interface Rejected {
  readonly credential: Described;
  readonly scope: Scope;
  /** The status, with a safe request id. */
  readonly status: string;
  /** The service knows no such application credential or user. */
  readonly isUnknown: boolean;
  readonly attempts: string;
  readonly padding: readonly string[];
  /** The methods that the service requires together, if it requires a second factor. */
  readonly factors: string | undefined;
}

/** Whether an answer refuses the credential, not the address or the number of requests. */
export function isRejection(answer: Answer, { way }: Proof): boolean {
  if (answer.status === 401) return true;
  return answer.status === 404 && way === "application credential" && isKeystones(answer);
}

/** The parts of a refusal that are needed to explain it. */
export function toRejected(
  answer: Answer,
  { credential, scope, attempts }: Omit<IssueContext, "limits">,
): Rejected {
  const { secret, ...described } = credential;
  return {
    credential: described,
    scope,
    status: statusText(answer, secret),
    isUnknown: answer.status === 404,
    attempts,
    padding: credential.way === "identity token" ? [] : paddingOf(credential.way, secret.reveal()),
    factors:
      headerValues(answer, "openstack-auth-receipt").length > 0 ? factorsOf(answer) : undefined,
  };
}

/** A secret that was stored with additional characters, as editors, Windows and copying add. */
function paddingOf(way: Proof["way"], text: string): readonly string[] {
  if (text.trim() === text) return [];
  const what = text.endsWith("\r")
    ? "ends with a carriage return (\\r), like a Windows line"
    : "starts or ends with white space";
  const name = way === "password" ? "password" : "secret";
  return [likely(`the ${name} that was sent ${what}. Store it without that.`)];
}

/** The name of a project in messages, with its place if that is elsewhere. */
export function nameOf({ origin }: Extract<Scope, { kind: "project" }>): string {
  return origin === undefined ? "project's name" : `project's name (from ${origin})`;
}
