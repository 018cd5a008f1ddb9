import type { Secret } from "../../tokens";
import type { Answer } from "../transport/transport";

/** An answer whose body was parsed. */
export interface Heard extends Answer {
  /** Undefined if the body is incomplete or not JSON. */
  readonly json: unknown;
}

/** All values of a header, in order, including repeated ones. */
export function headerValues(answer: Pick<Answer, "headers">, name: string): string[] {
  const wanted = name.toLowerCase();
  return answer.headers
    .filter(([given]) => given.toLowerCase() === wanted)
    .map(([, value]) => value);
}

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Milliseconds of an HTTP date in the only form that is still sent; undefined for anything else.
 */
export function parseHttpDate(text: string): number | undefined {
  if (!HTTP_DATE.test(text)) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

/**
 * The service's clock at the time of its answer, from the Date header; undefined without one, or
 * with several.
 */
export function serviceTime(answer: Answer): number | undefined {
  const [date = "", ...more] = headerValues(answer, "date");
  return more.length > 0 ? undefined : parseHttpDate(date);
}

/** The forms that services use: Keystone adds the prefix `req-`, others do not. */
const REQUEST_ID = /^(?:req-)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The request id, if it is valid. Apart from the status, it is the only part of an answer that gets
 * into a message, and a service may echo anything anywhere. An id that repeats a secret of the
 * exchange is ignored.
 *
 * @param secret the secret in the request
 */
export function requestIdOf(answer: Answer, secret: Secret): string | undefined {
  const secrets = [secret.reveal(), ...headerValues(answer, "x-subject-token")].filter(Boolean);
  const digitsOf = (text: string) => text.replaceAll("-", "").toLowerCase();
  const repeats = (id: string) =>
    secrets.some((text) => id.includes(text) || digitsOf(text) === digitsOf(id.slice(-36)));
  return ["x-openstack-request-id", "x-request-id"]
    .flatMap((name) => headerValues(answer, name))
    .find((id) => REQUEST_ID.test(id) && !repeats(id));
}

/**
 * Whether a refusal has the header or the body that Keystone gives it. Otherwise it is from a proxy
 * or another server at that address. The answer to HEAD has no body, but its type: of a path that it
 * does not have, Keystone sends HTML.
 */
export function isKeystones(answer: Heard): boolean {
  const has = (name: string, form: RegExp) =>
    headerValues(answer, name).some((value) => form.test(value));
  return (
    has("www-authenticate", /^Keystone(\s|$)/i) ||
    membersOf(membersOf(answer.json).error).code === answer.status ||
    (has("vary", /\bX-Auth-Token\b/i) && has("content-type", /^application\/json\b/i))
  );
}

/** Why a body that was sent cannot be read; undefined if it can, or if none was sent. */
export function unreadable(answer: Heard): string | undefined {
  const { body, end, json } = answer;
  if (end !== "complete" && end !== "unread") return `was ${end}`;
  if (json !== undefined || !/\S/.test(Buffer.from(body).toString("latin1"))) return undefined;
  return headerValues(answer, "content-encoding").length > 0
    ? "is compressed, which was not requested"
    : "is not JSON";
}

/** The body as JSON; undefined if it is incomplete or not JSON. */
export function jsonOf({ body, end }: Answer): unknown {
  if (end !== "complete") return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

/** The members of a value that an answer has; none if it has no members. */
export const membersOf = (value: unknown): Readonly<Record<string, unknown>> => Object(value);
