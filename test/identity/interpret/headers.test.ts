import { requestIdOf } from "../../../lib/identity/interpret/headers";
import { Secret } from "../../../lib/tokens";
import { answer } from "../support/scripted-transport";

/** A UUID of these digits. */
const uuid = (digits: string): string =>
  digits.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
const hex = (text: string): string => Buffer.from(text).toString("hex");

const idOf = (value: string, secret: string) =>
  requestIdOf(answer(401, { "x-openstack-request-id": value }), Secret.of(secret));

const LONG = "canary-password-of-more-than-16-bytes";
const DIGITS = "0123456789abcdef0123456789abcdef01234567";

test.each([
  { what: "the whole password in hex", secret: LONG.slice(0, 16), id: uuid(hex(LONG)) },
  { what: "its first 16 bytes", secret: LONG, id: `req-${uuid(hex(LONG))}` },
  { what: "some of its bytes", secret: LONG, id: uuid(`a${hex(LONG.slice(9, 15))}${DIGITS}`) },
  { what: "a password of digits", secret: DIGITS.slice(0, 32), id: uuid(DIGITS) },
  { what: "the beginning of one", secret: DIGITS.toUpperCase(), id: uuid(DIGITS) },
])("a request id with $what is ignored", ({ id, secret }) => {
  expect(idOf(id, secret)).toBeUndefined();
});

test("other ids are kept", () => {
  const id = "req-3f0c5d5e-8b1a-4a5e-9c57-0d8f2f6f1a01";
  expect(idOf(id, LONG)).toBe(id);
});
