import * as z from "zod/mini";
import type { IssueRequest, Proof, Scope } from "../credential";
import type { Limits } from "../limits";
import type { Expected } from "../references";
import type { Answer } from "../transport/transport";
import { jsonOf } from "./answer";

/** Expectations for an answer. */
export interface IssueContext {
  readonly credential: Proof;
  readonly scope: Scope;
  readonly expected?: Expected;
  readonly limits: Limits;
  /** The attempts so far, for messages; "" after a single one. */
  readonly attempts: string;
  /** Whether the credential got a token before. Default: no. */
  readonly wasAccepted?: boolean;
  /** Where the token will be stored. Default: in memory. */
  readonly keptIn?: IssueRequest["keptIn"];
}

// zod/mini instead of zod: the same checks in a quarter of the size.

/**
 * Unexpected values count as missing: the service's specification does not describe the body, so it
 * guarantees none of it. (By z.catch, the same would take a millisecond longer to load.)
 */
const lenient = <Schema extends z.core.$ZodType>(schema: Schema) =>
  z.optional(z.transform((value: unknown) => z.safeParse(schema, value).data));

/** A number counts as its digits: a service that omits the quotes still means that name. */
const text = z.optional(
  z.transform((value: unknown) =>
    typeof value === "string" || typeof value === "number" ? String(value) : undefined,
  ),
);

const domain = lenient(z.object({ id: text, name: text }));
const inDomain = lenient(z.object({ id: text, name: text, domain }));

/**
 * The part of a successful answer's body that is read. Each member is lenient by itself: an
 * unreadable time cannot hide a scope that names another project.
 *
 * @see spec, "Issue an IAM token", rule 5 (the body is not shown)
 */
const issuedBody = z.object({
  token: z.object({
    expires_at: text,
    issued_at: text,
    user: inDomain,
    domain,
    project: inDomain,
    system: lenient(z.object({})),
  }),
});

/** The `token` member of an answer's body. */
export type IssuedTokenBody = z.infer<typeof issuedBody>["token"];

/**
 * The `token` of the answer's body; undefined if the body is missing, incomplete or not Keystone's.
 */
export const bodyOf = (answer: Answer): IssuedTokenBody | undefined =>
  issuedBody.safeParse(jsonOf(answer)).data?.token;
