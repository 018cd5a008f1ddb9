import type { Secret } from "../../tokens";
import type { Answer } from "../transport/transport";

/** All values of a header, in order; doubled ones show. */
export function headerValues(answer: Answer, name: string): string[] {
  const wanted = name.toLowerCase();
  return answer.headers
    .filter(([given]) => given.toLowerCase() === wanted)
    .map(([, value]) => value);
}

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Milliseconds of an HTTP date of the one form that is still sent; undefined for anything else. */
export function parseHttpDate(text: string): number | undefined {
  if (!HTTP_DATE.test(text)) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

/**
 * The service's clock when it answered, by the Date header; undefined when there is none, or more
 * than one.
 */
export function serviceTime(answer: Answer): number | undefined {
  const [date, ...more] = headerValues(answer, "date");
  return date === undefined || more.length > 0 ? undefined : parseHttpDate(date);
}

/**
 * The request id, when it is of a form that cannot do harm in a terminal or a log: beside the
 * status it is the only thing of an answer that enters a message. One that repeats a secret of the
 * exchange is none: a service may echo anything anywhere.
 *
 * @param secret what was sent
 */
export function requestIdOf(answer: Answer, secret: Secret): string | undefined {
  const secrets = [secret.reveal(), ...headerValues(answer, "x-subject-token")].filter(
    (text) => text !== "",
  );
  for (const name of ["x-openstack-request-id", "x-request-id"]) {
    const value = headerValues(answer, name)[0];
    if (value === undefined || !/^[A-Za-z0-9._-]{1,128}$/.test(value)) continue;
    if (!secrets.some((text) => value.includes(text))) return value;
  }
  return undefined;
}
