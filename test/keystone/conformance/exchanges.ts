import { PROJECTS } from "../identity-under-test";
import type { PlainAnswer } from "../plain-request";
import type { ConformanceCase, ConformanceGroup, Need } from "./case";
import { messageOf, type ServiceHands, TOKENS } from "./service-hands";

const COMPLIES =
  "The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.";
export const UNAUTHORIZED = "The request you have made requires authentication.";

/** One request, and what is seen of its answer. */
interface Exchange {
  readonly name: string;
  readonly needs?: readonly Need[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
  /** Default: the right body for the account. */
  readonly body?: (service: ServiceHands) => string | Buffer | object;
  readonly chunked?: true;
  readonly status: number;
  /** The message of the error, as a whole. */
  readonly message?: string;
  /** The beginning of the error's message. */
  readonly begins?: string;
  /** Whether a successful answer has a catalog. Default: it has. */
  readonly catalog?: false;
}

const expecting = (what: string) => `Expecting to find ${what}. ${COMPLIES}`;
const nameMissing = (field: string) =>
  `Invalid input for field ${field}: id or name must be present.`;
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
  { name: "a made-up token beside it", headers: { "X-Auth-Token": "bad" }, status: 201 },
  { name: "a request in chunks", chunked: true, status: 201 },
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

const MALFORMED: readonly Exchange[] = [
  {
    name: "an empty body",
    body: () => "",
    status: 400,
    message: expecting("auth in request body"),
  },
  {
    name: "a blank body",
    body: () => " ",
    status: 400,
    message: expecting("valid JSON in request body"),
  },
  {
    name: "JSON that is cut off",
    body: () => '{"auth": {',
    status: 400,
    message: expecting("valid JSON in request body"),
  },
  {
    name: "more behind the JSON",
    body: () => "{}}",
    status: 400,
    message: expecting("valid JSON in request body"),
  },
  {
    name: "an array",
    body: () => "[]",
    status: 400,
    message: expecting("valid JSON in request body"),
  },
  {
    name: "null",
    body: () => "null",
    status: 400,
    message: expecting("valid JSON in request body"),
  },
  {
    name: "a text",
    body: () => '"auth"',
    status: 400,
    message: expecting("valid JSON in request body"),
  },
  {
    name: "bytes that are not UTF-8",
    body: () => Buffer.from('{"auth": {"identity": {"methods": ["pä"]}}}', "latin1"),
    status: 400,
    message: expecting("valid JSON in request body"),
  },
  {
    name: "text/plain",
    headers: { "Content-Type": "text/plain" },
    status: 400,
    message: expecting("application/json in Content-Type header"),
  },
  {
    name: "a form",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    status: 400,
    message: expecting("application/json in Content-Type header"),
  },
  {
    name: "text/plain to an unknown path",
    path: "/identity/v3/no-such",
    headers: { "Content-Type": "text/plain" },
    status: 400,
    message: expecting("application/json in Content-Type header"),
  },
  {
    name: "text/plain and an empty body",
    headers: { "Content-Type": "text/plain" },
    body: () => "",
    status: 400,
    message: expecting("auth in request body"),
  },
  { name: "no auth", body: () => "{}", status: 400, message: expecting("auth in request body") },
  {
    name: "auth that is null",
    body: withAuth(null),
    status: 400,
    message: expecting("auth in request body"),
  },
  {
    name: "auth that is a list",
    body: withAuth([]),
    status: 400,
    begins:
      "[] is not of type 'object'\n\nFailed validating 'type' in schema:\n    {'properties': {'identity': {'properties': {",
  },
  {
    name: "no identity",
    body: withAuth({}),
    status: 400,
    begins:
      "'identity' is a required property\n\nFailed validating 'required' in schema:\n    {'properties': {'identity': {",
  },
  {
    name: "identity that is null",
    body: withIdentity(null),
    status: 400,
    begins:
      "Invalid input for field 'identity': None is not of type 'object'\n\nFailed validating 'type' in schema['properties']",
  },
  {
    name: "no methods",
    body: withIdentity({}),
    status: 400,
    begins: "Invalid input for field 'identity': 'methods' is a required property",
  },
  {
    name: "methods that are a text",
    body: withIdentity({ methods: "password" }),
    status: 400,
    message:
      "Invalid input for field 'identity/methods': 'password' is not of type 'array'\n\nFailed validating 'type' in schema['properties']['identity']['properties']['methods']:\n    {'items': {'type': 'string'}, 'type': 'array'}\n\nOn instance['identity']['methods']:\n    'password'",
  },
  {
    name: "a method that is a number",
    body: withIdentity({ methods: ["password", 1] }),
    status: 400,
    message:
      "Invalid input for field 'identity/methods/1': 1 is not of type 'string'\n\nFailed validating 'type' in schema['properties']['identity']['properties']['methods']['items']:\n    {'type': 'string'}\n\nOn instance['identity']['methods'][1]:\n    1",
  },
  {
    name: "password without its part",
    body: withIdentity({ methods: ["password"] }),
    status: 400,
    message: expecting("password in identity"),
  },
  {
    name: "token without its part",
    body: withIdentity({ methods: ["token"] }),
    status: 400,
    message: expecting("token in identity"),
  },
  {
    name: "token without its id",
    body: withIdentity({ methods: ["token"], token: {} }),
    status: 400,
    message:
      "Invalid input for field 'identity/token': 'id' is a required property\n\nFailed validating 'required' in schema['properties']['identity']['properties']['token']:\n    {'properties': {'id': {'type': 'string'}},\n     'required': ['id'],\n     'type': 'object'}\n\nOn instance['identity']['token']:\n    {}",
  },
  {
    name: "password without a user",
    body: withIdentity({ methods: ["password"], password: {} }),
    status: 400,
    message: expecting("user in None"),
  },
  {
    name: "a user without name",
    body: withUser({ name: undefined }),
    status: 400,
    message: nameMissing("identity/password/user"),
  },
  {
    name: "a user with an empty name",
    body: withUser({ name: "" }),
    status: 400,
    message: expecting("id or name in user"),
  },
  {
    name: "a user without account",
    body: withUser({ domain: undefined }),
    status: 400,
    message: expecting("domain in user"),
  },
  {
    name: "a user whose account has no name",
    body: withUser({ domain: {} }),
    status: 400,
    message: nameMissing("identity/password/user/domain"),
  },
  {
    name: "a user whose account has an empty name",
    body: withUser({ domain: { name: "" } }),
    status: 400,
    message: expecting("id or name in domain"),
  },
  {
    name: "a name that is a number",
    body: withUser({ name: 1 }),
    status: 400,
    begins: "Invalid input for field 'identity/password/user/name': 1 is not of type 'string'",
  },
  ...(
    [
      ["null", null, "None"],
      ["true", true, "True"],
      ["a fraction", 0.00001, "1e-05"],
      ["a large number", 1e16, "10000000000000000"],
      ["a very large number", 1.5e300, "1.5e+300"],
      ["an empty object", {}, "{}"],
      ["a list with quotes", ["it's", '"', "'\""], `["it's", '"', '\\'"']`],
      [
        "a text that is no ASCII, in an object",
        { b: "\u00fc\u200b\ud83d\udd11\n", a: 1 },
        "{'a': 1, 'b': '\u00fc\\u200b\ud83d\udd11\\n'}",
      ],
    ] as const
  ).map(
    ([what, password, python]): Exchange => ({
      name: `a password that is ${what}`,
      body: withUser({ password }),
      status: 400,
      message: passwordMistake(
        what.endsWith("in an object") ? "{'b': '\u00fc\\u200b\ud83d\udd11\\n', 'a': 1}" : python,
        python,
      ),
    }),
  ),
  {
    name: "a password that is a long list",
    body: withUser({
      password: ["x".repeat(60), "words and ".repeat(10), { a: ["y".repeat(70)] }],
    }),
    status: 400,
    message: passwordMistake(
      `['${"x".repeat(60)}', '${"words and ".repeat(10)}', {'a': ['${"y".repeat(70)}']}]`,
      [
        `['${"x".repeat(60)}',`,
        "     'words and words and words and words and words and words and words '",
        "     'and words and words and words and ',",
        `     {'a': ['${"y".repeat(70)}']}]`,
      ].join("\n"),
    ),
  },
  {
    name: "an account that is a number",
    body: withScope({ domain: { name: 123456 } }),
    status: 400,
    begins: "Invalid input for field 'scope/domain/name': 123456 is not of type 'string'",
  },
  {
    name: "a scope that is null",
    body: withScope(null),
    status: 400,
    begins: "Invalid input for field 'scope': None is not of type 'object', 'string'",
  },
  ...(
    [
      ["both", { domain: { name: "1" }, project: { name: "p", domain: { name: "1" } } }],
      ["nothing", {}],
      ["something unknown", { nope: 1 }],
    ] as const
  ).map(
    ([what, scope]): Exchange => ({
      name: `a scope with ${what}`,
      body: withScope(scope),
      status: 400,
      message: expecting("system, project, domain, OS-TRUST:trust or unscoped in scope"),
    }),
  ),
  {
    name: "a scope that is the text project",
    body: withScope("project"),
    status: 400,
    message: "string indices must be integers, not 'str'",
  },
  {
    name: "a project without account",
    body: withScope({ project: { name: "p" } }),
    status: 400,
    message: expecting("domain in project"),
  },
  {
    name: "a project whose account has no name",
    body: withScope({ project: { name: "p", domain: {} } }),
    status: 400,
    message: nameMissing("scope/project/domain"),
  },
  {
    name: "a project without name",
    body: withScope({ project: { domain: { name: "1" } } }),
    status: 400,
    message: nameMissing("scope/project"),
  },
  {
    name: "an account without name",
    body: withScope({ domain: {} }),
    status: 400,
    message: nameMissing("scope/domain"),
  },
  {
    name: "a trust without id",
    body: withScope({ "OS-TRUST:trust": {} }),
    status: 400,
    message: expecting("trust_id in trust"),
  },
  {
    name: "the whole system, by a text",
    body: withScope({ system: { all: "yes" } }),
    status: 400,
    begins: "Invalid input for field 'scope/system/all': 'yes' is not of type 'boolean'",
  },
];

/** One line keeps the order of an object's members; the lines below are laid out, and sorted. */
function passwordMistake(line: string, laidOut: string): string {
  return [
    `Invalid input for field 'identity/password/user/password': ${line} is not of type 'string'`,
    "Failed validating 'type' in schema['properties']['identity']['properties']['password']['properties']['user']['properties']['password']:\n    {'type': 'string'}",
    `On instance['identity']['password']['user']['password']:\n    ${laidOut}`,
  ].join("\n\n");
}

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
  if (service.exactTexts && exchange.begins !== undefined) {
    expect(messageOf(body).slice(0, exchange.begins.length)).toBe(exchange.begins);
  }
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
      title: status === 401 ? "Unauthorized" : "Bad Request",
    });
}

/**
 * Single token requests: those that are answered with a token, that cannot be read, and that are
 * refused.
 */
export const EXCHANGES: readonly ConformanceGroup[] = [
  groupOf("a token is issued for", ISSUED),
  groupOf("400 is the answer to", MALFORMED),
  groupOf("401 is the answer to", REFUSED),
];
