import { PROJECTS } from "../identity-under-test";
import { meaningOf } from "../meaning";
import type { PlainAnswer } from "../plain-request";
import type { ConformanceCase, ConformanceGroup, Need } from "./case";
import { messageOf, type ServiceHands, TOKENS } from "./service-hands";

export const UNAUTHORIZED = "The request you have made requires authentication.";

/** One request, with the expected answer. */
interface Exchange {
  readonly name: string;
  readonly needs?: readonly Need[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
  /** Default: the right body for the account. */
  readonly body?: (service: ServiceHands) => string | Buffer | object;
  readonly chunked?: true;
  readonly status: number;
  /** The message of the error, as a whole. Of a 400 it is not compared. */
  readonly message?: string;
  /** Whether a successful answer has a catalog. Default: it has. */
  readonly catalog?: false;
}

const withUser = (changed: object) => (service: ServiceHands) =>
  withIdentityOf(service, { user: { ...service.userMember(), ...changed } });
const withIdentityOf = (service: ServiceHands, password: object) => ({
  auth: { ...service.body().auth, identity: { methods: ["password"], password } },
});
const withScope = (scope: unknown) => (service: ServiceHands) => service.body(undefined, scope);
const withIdentity = (identity: unknown) => (service: ServiceHands) => ({
  auth: { ...service.body().auth, identity },
});
const withAuth = (auth: unknown) => () => ({ auth });
const padded = (bytes: number) => (service: ServiceHands) => {
  const start = JSON.stringify({ ...service.body(), pad: "" }).slice(0, -2);
  return `${start}${"x".repeat(bytes - Buffer.byteLength(start) - 2)}"}`;
};

const ISSUED: readonly Exchange[] = [
  { name: "the right request", status: 201 },
  {
    name: "a charset in the content type",
    headers: { "Content-Type": "application/json;charset=UTF-8" },
    status: 201,
  },
  {
    name: "a content type in capitals",
    headers: { "Content-Type": "APPLICATION/JSON" },
    status: 201,
  },
  {
    name: "a content type that is made of JSON",
    headers: { "Content-Type": "application/vnd.api+json" },
    status: 201,
  },
  { name: "no content type", headers: { "Content-Type": "" }, status: 201 },
  { name: "a wish for XML", headers: { Accept: "application/xml" }, status: 201 },
  { name: "a wish for compression", headers: { "Accept-Encoding": "gzip, br" }, status: 201 },
  { name: "a made-up token in addition", headers: { "X-Auth-Token": "bad" }, status: 201 },
  { name: "a request in chunks", chunked: true, status: 201 },
  {
    name: "a request id of its own",
    headers: { "X-Openstack-Request-Id": "req-11111111-2222-3333-4444-555555555555" },
    status: 201,
  },
  {
    name: "JSON with escapes in the place of UTF-8",
    body: (service) =>
      JSON.stringify(service.body()).replace(
        /[^ -~]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
      ),
    status: 201,
  },
  {
    name: "a member that is not known",
    body: (service) => ({ ...service.body(), more: 1 }),
    status: 201,
  },
  {
    name: "an unknown member of auth",
    body: (service) => ({ auth: { ...service.body().auth, more: 1 } }),
    status: 201,
  },
  {
    name: "a byte order mark",
    body: (service) => `\ufeff${JSON.stringify(service.body())}`,
    status: 201,
  },
  { name: "doubled and trailing slashes", path: "/identity//v3/auth/tokens/", status: 201 },
  { name: "nocatalog", path: `${TOKENS}?nocatalog`, status: 201, catalog: false },
  { name: "nocatalog with a value", path: `${TOKENS}?nocatalog=0`, status: 201, catalog: false },
  {
    name: "no scope",
    body: (service) => ({ auth: { identity: service.body().auth.identity } }),
    status: 201,
    catalog: false,
  },
  {
    name: "a scope that is the text unscoped",
    body: withScope("unscoped"),
    status: 201,
    catalog: false,
  },
  {
    name: "a scope that contains unscoped",
    body: withScope({ unscoped: {} }),
    status: 201,
    catalog: false,
  },
  {
    name: "the method twice",
    body: (service) => withMethods(service, ["password", "password"]),
    status: 201,
  },
  {
    name: "a body as large as it may be",
    needs: ["deployment"],
    body: padded(114_688),
    status: 201,
  },
];

const withMethods = (service: ServiceHands, methods: readonly string[]) => {
  const { auth } = service.body();
  return { auth: { ...auth, identity: { ...auth.identity, methods } } };
};

const MALFORMED: readonly Omit<Exchange, "status">[] = [
  { name: "an empty body", body: () => "" },
  { name: "a blank body", body: () => " " },
  { name: "JSON that is cut off", body: () => '{"auth": {' },
  { name: "more behind the JSON", body: () => "{}}" },
  { name: "an array", body: () => "[]" },
  { name: "null", body: () => "null" },
  { name: "a string", body: () => '"auth"' },
  {
    name: "bytes that are not UTF-8",
    body: () => Buffer.from('{"auth": {"identity": {"methods": ["pä"]}}}', "latin1"),
  },
  { name: "text/plain", headers: { "Content-Type": "text/plain" } },
  { name: "a form", headers: { "Content-Type": "application/x-www-form-urlencoded" } },
  {
    name: "text/plain to an unknown path",
    path: "/identity/v3/no-such",
    headers: { "Content-Type": "text/plain" },
  },
  {
    name: "text/plain and an empty body",
    headers: { "Content-Type": "text/plain" },
    body: () => "",
  },
  { name: "no auth", body: () => "{}" },
  { name: "auth that is null", body: withAuth(null) },
  { name: "auth that is a list", body: withAuth([]) },
  { name: "no identity", body: withAuth({}) },
  { name: "identity that is null", body: withIdentity(null) },
  { name: "no methods", body: withIdentity({}) },
  { name: "methods that are a string", body: withIdentity({ methods: "password" }) },
  { name: "a method that is a number", body: withIdentity({ methods: ["password", 1] }) },
  { name: "password without its part", body: withIdentity({ methods: ["password"] }) },
  { name: "token without its part", body: withIdentity({ methods: ["token"] }) },
  { name: "token without its id", body: withIdentity({ methods: ["token"], token: {} }) },
  { name: "password without a user", body: withIdentity({ methods: ["password"], password: {} }) },
  { name: "a user without name", body: withUser({ name: undefined }) },
  { name: "a user with an empty name", body: withUser({ name: "" }) },
  { name: "a user without account", body: withUser({ domain: undefined }) },
  { name: "a user whose account has no name", body: withUser({ domain: {} }) },
  { name: "a user whose account has an empty name", body: withUser({ domain: { name: "" } }) },
  { name: "a name that is a number", body: withUser({ name: 1 }) },
  ...(
    [
      ["null", null],
      ["true", true],
      ["a fraction", 0.00001],
      ["a large number", 1e16],
      ["a very large number", 1.5e300],
      ["an empty object", {}],
      ["a list with quotes", ["it's", '"', "'\""]],
      ["a string that is not ASCII, in an object", { b: "\u00fc\u200b\ud83d\udd11\n", a: 1 }],
      ["a long list", ["x".repeat(60), "words and ".repeat(10), { a: ["y".repeat(70)] }]],
    ] as const
  ).map(([what, password]) => ({
    name: `a password that is ${what}`,
    body: withUser({ password }),
  })),
  { name: "an account that is a number", body: withScope({ domain: { name: 123456 } }) },
  { name: "a scope that is null", body: withScope(null) },
  ...(
    [
      ["both", { domain: { name: "1" }, project: { name: "p", domain: { name: "1" } } }],
      ["nothing", {}],
      ["something unknown", { nope: 1 }],
    ] as const
  ).map(([what, scope]) => ({ name: `a scope with ${what}`, body: withScope(scope) })),
  { name: "a scope that is the text project", body: withScope("project") },
  { name: "a project without account", body: withScope({ project: { name: "p" } }) },
  {
    name: "a project whose account has no name",
    body: withScope({ project: { name: "p", domain: {} } }),
  },
  { name: "a project without name", body: withScope({ project: { domain: { name: "1" } } }) },
  { name: "an account without name", body: withScope({ domain: {} }) },
  { name: "a trust without id", body: withScope({ "OS-TRUST:trust": {} }) },
  { name: "the whole system, by a string", body: withScope({ system: { all: "yes" } }) },
];

const REFUSED: readonly Exchange[] = [
  {
    name: "no method at all",
    body: withIdentity({ methods: [] }),
    status: 401,
    message: UNAUTHORIZED,
  },
  {
    name: "the method external",
    body: withIdentity({ methods: ["external"], external: {} }),
    status: 401,
    message: UNAUTHORIZED,
  },
  {
    name: "an unknown method",
    body: withIdentity({ methods: ["nope"], nope: {} }),
    status: 401,
    message: "Attempted to authenticate with an unsupported method.",
  },
  {
    name: "no password",
    needs: ["failed_login"],
    body: withUser({ password: undefined }),
    status: 401,
    message: UNAUTHORIZED,
  },
  {
    name: "an empty password",
    needs: ["failed_login"],
    body: withUser({ password: "" }),
    status: 401,
    message: UNAUTHORIZED,
  },
  {
    name: "a password of 5,000 characters",
    needs: ["failed_login"],
    body: withUser({ password: "x".repeat(5_000) }),
    status: 401,
    message: UNAUTHORIZED,
  },
  {
    name: "an unknown user",
    body: withUser({ name: "no-such-user" }),
    status: 401,
    message: UNAUTHORIZED,
  },
  {
    name: "an unknown user, with a wish for German",
    headers: { "Accept-Language": "de" },
    body: withUser({ name: "no-such-user" }),
    status: 401,
    message: UNAUTHORIZED,
  },
  {
    name: "a name of 300 characters",
    body: withUser({ name: "n".repeat(300) }),
    status: 401,
    message: UNAUTHORIZED,
  },
  {
    name: "a name with a blank behind it",
    needs: ["users"],
    body: withUser({ name: "svc " }),
    status: 401,
    message: UNAUTHORIZED,
  },
  {
    name: "an unknown user id",
    body: () => byId("no-such-id"),
    status: 401,
    message: UNAUTHORIZED,
  },
  {
    name: "an unknown account",
    body: withUser({ domain: { name: "no-such-account" } }),
    status: 401,
    message: UNAUTHORIZED,
  },
  {
    name: "an unknown account's scope",
    body: withScope({ domain: { name: "no-such-account" } }),
    status: 401,
    message: UNAUTHORIZED,
  },
  {
    name: "an unknown account id's scope",
    body: withScope({ domain: { id: "no-such-id" } }),
    status: 401,
    message: UNAUTHORIZED,
  },
  {
    name: "a scope with an empty name",
    body: withScope({ domain: { name: "" } }),
    status: 401,
    message: UNAUTHORIZED,
  },
  {
    name: "an unknown project",
    body: (service) => service.body(undefined, service.projectScope("no-such-project")),
    status: 401,
    message: UNAUTHORIZED,
  },
  {
    name: "an unknown project id",
    body: withScope({ project: { id: "no-such-id" } }),
    status: 401,
    message: UNAUTHORIZED,
  },
  {
    name: "another account's scope",
    needs: ["users"],
    body: withScope({ domain: { name: "Default" } }),
    status: 401,
    message: UNAUTHORIZED,
  },
  {
    name: "the whole system",
    needs: ["users"],
    body: withScope({ system: { all: true } }),
    status: 401,
    message: UNAUTHORIZED,
  },
  {
    name: "an unknown scope, before the user is looked at",
    body: () => ({
      auth: {
        identity: { methods: ["password"], password: { user: { name: "u" } } },
        scope: { domain: { name: "no-such" } },
      },
    }),
    status: 401,
    message: UNAUTHORIZED,
  },
  {
    name: "a project that is not chosen",
    needs: ["users"],
    body: (service) => service.body("svc-projects-only", service.projectScope(PROJECTS.other)),
    status: 401,
    message: UNAUTHORIZED,
  },
];

const byId = (id: string) => ({
  auth: { identity: { methods: ["password"], password: { user: { id, password: "x" } } } },
});

const groupOf = (name: string, exchanges: readonly Exchange[]): ConformanceGroup => ({
  name,
  cases: exchanges.map(
    (exchange): ConformanceCase => ({
      name: exchange.name,
      ...(exchange.needs === undefined ? {} : { needs: exchange.needs }),
      run: async (service) => {
        const body = exchange.body?.(service) ?? service.body();
        const answer = await service.send(exchange.path ?? TOKENS, {
          method: "POST",
          headers: withoutEmpty({ "Content-Type": "application/json", ...exchange.headers }),
          body: typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body),
          chunked: exchange.chunked,
        });
        assertAnswer(answer, exchange, service);
      },
    }),
  ),
});

const withoutEmpty = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ""));

function assertAnswer(answer: PlainAnswer, exchange: Exchange, { service }: ServiceHands): void {
  const { status, headers, body } = answer;
  expect(status).toBe(exchange.status);
  if (service.exactTexts && exchange.message !== undefined)
    expect(messageOf(body)).toBe(exchange.message);
  expect("x-subject-token" in headers).toBe(status === 201);
  expect("www-authenticate" in headers).toBe(status === 401);
  expect(Number(headers["content-length"])).toBe(Buffer.byteLength(body));
  if (status === 401 && service.exactTexts)
    expect(headers["www-authenticate"]).toBe(`Keystone uri="${service.authUrl}/identity/v3"`);
  expect(headers).toMatchObject({
    vary: "X-Auth-Token",
    "x-openstack-request-id": expect.stringMatching(/^req-/),
  });
  expect(headers["content-type"]).toBe("application/json");
  const { token, error } = JSON.parse(body) as {
    token?: object;
    error?: { code: number; title: string };
  };
  if (token !== undefined) expect("catalog" in token).toBe(exchange.catalog !== false);
  else
    expect(error).toMatchObject({
      code: status,
      message: expect.any(String),
      title: status === 401 ? "Unauthorized" : "Bad Request",
    });
  const seen = { status, headers: answer.headerLines, body };
  if (status === 400)
    expect(meaningOf({ method: "POST", body: "" }, seen)).toBe("ERR_REQUEST_REFUSED");
}

/**
 * Single token requests: those that are answered with a token, that cannot be read, and that are
 * refused.
 */
export const EXCHANGES: readonly ConformanceGroup[] = [
  groupOf("a token is issued for", ISSUED),
  groupOf(
    "400 is the answer to",
    MALFORMED.map((each) => ({ ...each, status: 400 })),
  ),
  groupOf("401 is the answer to", REFUSED),
];
