import type { Secret } from "../../tokens";
import type { Answer } from "../transport/transport";

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
  const [date, ...more] = headerValues(answer, "date");
  return date === undefined || more.length > 0 ? undefined : parseHttpDate(date);
}

/** The forms that services use: Keystone adds the prefix `req-`, others do not. */
const REQUEST_ID = /^(?:req-)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Digits of an id that are equal to some of a secret by chance in less than one of a million. */
const PIECE = 8;

/** Whether digits contain a text, or any piece of it. */
function holdsPiece(digits: string, text: string): boolean {
  for (let from = 0; from === 0 || from + PIECE <= text.length; from += 1)
    if (digits.includes(text.slice(from, from + PIECE))) return true;
  return false;
}

/**
 * The request id, if it is valid. Apart from the status, it is the only part of an answer that gets
 * into a message, and a service may echo anything anywhere, even in hex. An id that repeats a
 * secret of the exchange, or a piece of it, is ignored.
 *
 * @param secret the secret in the request
 */
export function requestIdOf(answer: Answer, secret: Secret): string | undefined {
  const secrets = [secret.reveal(), ...headerValues(answer, "x-subject-token")].filter(
    (text) => text !== "",
  );
  for (const name of ["x-openstack-request-id", "x-request-id"]) {
    const value = headerValues(answer, name)[0];
    if (value === undefined || !REQUEST_ID.test(value)) continue;
    const digits = value.replace(/^req-|-/g, "").toLowerCase();
    const repeats = (text: string): boolean =>
      value.includes(text) ||
      holdsPiece(digits, text.toLowerCase()) ||
      holdsPiece(digits, Buffer.from(text).toString("hex"));
    if (!secrets.some(repeats)) return value;
  }
  return undefined;
}
