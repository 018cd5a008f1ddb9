import { type Fault, type FaultKind, limitsOf } from "../../../lib/identity";
import { faultError } from "../../../lib/identity/interpret/fault";
import { ERROR_CODES, type ErrorCode } from "../../../lib/tokens/error-codes";
import { fault } from "../support/scripted-transport";

const of = (kind: FaultKind, over: Partial<Fault> = {}) =>
  faultError(fault(kind, over), "https://k.example:5000/v3/auth/tokens", limitsOf(), " (tries)");

test.each<[kind: FaultKind, over: Partial<Fault>, code: ErrorCode, problem: string]>([
  [
    "connect_timeout",
    {},
    "ERR_CONNECTION_FAILED",
    "No connection to k.example:5000 within 5 s (tries).",
  ],
  [
    "connect_timeout",
    { proxy: "p:1" },
    "ERR_CONNECTION_FAILED",
    "No connection to k.example:5000 through the proxy p:1 within 5 s (tries).",
  ],
  [
    "connection",
    {},
    "ERR_CONNECTION_FAILED",
    "The connection to k.example:5000 was closed before the answer was complete (tries).",
  ],
  [
    "connection",
    { code: "ECONNRESET" },
    "ERR_CONNECTION_FAILED",
    "The connection to k.example:5000 failed (ECONNRESET) (tries).",
  ],
  ["no_answer", {}, "ERR_NO_ANSWER", "k.example:5000 did not answer within 10 s (tries)."],
  [
    "tls",
    { code: "SELF_SIGNED_CERT_IN_CHAIN", note: "A note." },
    "ERR_TLS_FAILED",
    "No trusted TLS connection to k.example:5000 (SELF_SIGNED_CERT_IN_CHAIN) (tries). A note.",
  ],
  ["tls", {}, "ERR_TLS_FAILED", "No trusted TLS connection to k.example:5000 (tries)."],
  [
    "proxy_status",
    { status: 407, proxy: "p:1" },
    "ERR_PROXY_REFUSED",
    "The proxy p:1 answered 407 to the request to connect to k.example:5000 (tries).",
  ],
  [
    "header_unprintable",
    {},
    "ERR_TOKEN_HEADER_UNPRINTABLE",
    "k.example:5000 answered with a header that has invalid characters (tries).",
  ],
  [
    "headers_too_large",
    {},
    "ERR_TOKEN_HEADER_TOO_LARGE",
    "k.example:5000 answered with headers that are too large (tries).",
  ],
  [
    "malformed",
    { code: "HPE_INVALID" },
    "ERR_ANSWER_UNEXPECTED",
    "k.example:5000 answered with something other than HTTP, or with an unexpected interim status (100, 101) (HPE_INVALID) (tries).",
  ],
  [
    "no_memory",
    {},
    "ERR_CONNECTION_FAILED",
    "Node.js cannot allocate memory for a connection to k.example:5000 (tries).",
  ],
  ["cancelled", {}, "ERR_CANCELLED", "The request was cancelled."],
])("%s %j is %s: %s", (kind, over, code, problem) => {
  expect(of(kind, over)).toMatchObject({ code, problem });
});

test("reports headers that are too large with the allowed size", () => {
  expect(of("headers_too_large").allowed).toBe("up to 32768 bytes");
});

const PORT = "Check the port";
const NAME = "a host name that the service's certificate contains";
const CLOCK = "Compare this machine's clock";
const CA = ERROR_CODES.ERR_TLS_FAILED.remedy;

test.each([
  { code: "EPROTO", remedy: PORT },
  { code: "ERR_SSL_WRONG_VERSION_NUMBER", remedy: PORT },
  { code: "ERR_SSL_PACKET_LENGTH_TOO_LONG", remedy: PORT },
  { code: "ERR_TLS_CERT_ALTNAME_INVALID", remedy: NAME },
  { code: "CERT_HAS_EXPIRED", remedy: CLOCK },
  { code: "CERT_NOT_YET_VALID", remedy: CLOCK },
  { code: "SELF_SIGNED_CERT_IN_CHAIN", remedy: CA },
  // Codes that only have one of the others in them.
  { code: "EPROTOTYPE", remedy: CA },
  { code: "WSAEPROTO", remedy: CA },
  { code: "CERT_HAS_EXPIRED_TWICE", remedy: CA },
  { code: "CA_CERT_HAS_EXPIRED", remedy: CA },
])("gives the remedy of $code", ({ code, remedy }) => {
  expect(of("tls", { code }).remedy).toContain(remedy);
});
