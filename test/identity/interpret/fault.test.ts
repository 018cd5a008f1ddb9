import { type Fault, type FaultKind, limitsOf } from "../../../lib/identity";
import { faultError } from "../../../lib/identity/interpret/fault";
import { ERROR_CODES, type ErrorCode } from "../../../lib/tokens/error-codes";
import { fault } from "../support/scripted-transport";

const of = (kind: FaultKind, over: Partial<Fault> = {}) =>
  faultError(fault(kind, over), "https://k.example:5000/v3/auth/tokens", limitsOf(), " (tries)");

test.each<{ kind: FaultKind; over?: Partial<Fault>; problem: string }>([
  { kind: "connect_timeout", problem: "No connection to k.example:5000 within 5 s (tries)." },
  {
    kind: "connect_timeout",
    over: { proxy: "p:1" },
    problem: "No connection to k.example:5000 through the proxy p:1 within 5 s (tries).",
  },
  {
    kind: "connection",
    problem: "The connection to k.example:5000 was closed before the answer was complete (tries).",
  },
  {
    kind: "connection",
    over: { code: "ECONNRESET" },
    problem: "The connection to k.example:5000 failed (ECONNRESET) (tries).",
  },
  { kind: "no_answer", problem: "k.example:5000 did not answer within 10 s (tries)." },
  {
    kind: "tls",
    over: { code: "SELF_SIGNED_CERT_IN_CHAIN", note: "A note." },
    problem:
      "No trusted TLS connection to k.example:5000 (SELF_SIGNED_CERT_IN_CHAIN) (tries). A note.",
  },
  { kind: "tls", problem: "No trusted TLS connection to k.example:5000 (tries)." },
  {
    kind: "proxy_status",
    over: { status: 407, proxy: "p:1" },
    problem: "The proxy p:1 answered 407 to the request to connect to k.example:5000 (tries).",
  },
  {
    kind: "header_unprintable",
    problem: "k.example:5000 answered with a header that has invalid characters (tries).",
  },
  {
    kind: "headers_too_large",
    problem: "k.example:5000 answered with headers that are too large (tries).",
  },
  {
    kind: "malformed",
    over: { code: "HPE_INVALID" },
    problem:
      "k.example:5000 answered with something other than HTTP, or with an unexpected interim status (100, 101) (HPE_INVALID) (tries).",
  },
  {
    kind: "no_memory",
    problem: "Node.js cannot allocate memory for a connection to k.example:5000 (tries).",
  },
  { kind: "cancelled", problem: "The request was cancelled." },
])("reports $kind $over as it is", ({ kind, over, problem }) => {
  expect(of(kind, over).problem).toBe(problem);
});

test.each<[FaultKind, ErrorCode]>([
  ["connect_timeout", "ERR_CONNECTION_FAILED"],
  ["connection", "ERR_CONNECTION_FAILED"],
  ["no_answer", "ERR_NO_ANSWER"],
  ["tls", "ERR_TLS_FAILED"],
  ["proxy_status", "ERR_PROXY_REFUSED"],
  ["malformed", "ERR_ANSWER_UNEXPECTED"],
  ["header_unprintable", "ERR_TOKEN_HEADER_UNPRINTABLE"],
  ["headers_too_large", "ERR_TOKEN_HEADER_TOO_LARGE"],
  ["no_memory", "ERR_CONNECTION_FAILED"],
  ["cancelled", "ERR_CANCELLED"],
])("%s is %s", (kind, code) => {
  expect(of(kind).code).toBe(code);
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
