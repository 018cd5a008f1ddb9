import { type IdentityUnderTest, PROJECTS, type UserName } from "./identity-under-test";
import { type PlainAnswer, request } from "./plain-request";

const COMPLIES =
  "The server could not comply with the request since it is either malformed or otherwise incorrect. The client is assumed to be in error.";
const UNAUTHORIZED = "The request you have made requires authentication.";

interface Exchange {
  readonly name: string;
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** From the right body of user svc for the account. */
  readonly body?: (right: AuthBody) => string | Buffer;
  readonly status: number;
  /** The message of the error, as a whole. */
  readonly message?: string;
  /** The beginning of the error's message. */
  readonly begins?: string;
}

interface AuthBody {
  readonly auth: {
    readonly identity: { readonly methods: readonly string[]; readonly password: { readonly user: Record<string, unknown> } };
    readonly scope: Record<string, unknown>;
  };
}

const expecting = (what: string) => `Expecting to find ${what}. ${COMPLIES}`;
const nameMissing = (field: string) => `Invalid input for field ${field}: id or name must be present.`;
const withUser = (changed: object) => (right: AuthBody) =>
  JSON.stringify({
    auth: {
      ...right.auth,
      identity: { methods: ["password"], password: { user: { ...right.auth.identity.password.user, ...changed } } },
    },
  });
const withScope = (scope: unknown) => (right: AuthBody) => JSON.stringify({ auth: { ...right.auth, scope } });
const withIdentity = (identity: unknown) => (right: AuthBody) => JSON.stringify({ auth: { ...right.auth, identity } });
const project = (name: string, domain?: object) => ({ project: { name, ...(domain === undefined ? {} : { domain }) } });

/** Requests that no well-behaved client sends, and some that one does. Names are those of what is wrong. */
const EXCHANGES: readonly Exchange[] = [
  { name: "the right request", body: (right) => JSON.stringify(right), status: 201 },
  { name: "a charset in the content type", headers: { "Content-Type": "application/json;charset=UTF-8" }, status: 201 },
  { name: "a member that is not known", body: (right) => JSON.stringify({ ...right, more: 1 }), status: 201 },
  { name: "doubled and trailing slashes", path: "/identity//v3/auth/tokens/", status: 201 },
  { name: "no scope", body: withScope(undefined), status: 201 },
  { name: "a scope that is the text unscoped", body: withScope("unscoped"), status: 201 },
  { name: "an empty body", body: () => "", status: 400, message: expecting("auth in request body") },
  { name: "JSON that is cut off", body: () => '{"auth": {', status: 400, message: expecting("valid JSON in request body") },
  {
    name: "more behind the JSON",
    body: (right) => `${JSON.stringify(right)}}`,
    status: 400,
    message: expecting("valid JSON in request body"),
  },
  { name: "an array", body: () => "[]", status: 400, message: expecting("valid JSON in request body") },
  { name: "null", body: () => "null", status: 400, message: expecting("valid JSON in request body") },
  {
    name: "bytes that are not UTF-8",
    body: (right) => Buffer.from(withUser({ password: "pä" })(right), "latin1"),
    status: 400,
    message: expecting("valid JSON in request body"),
  },
  { name: "no auth", body: () => "{}", status: 400, message: expecting("auth in request body") },
  {
    name: "no identity",
    body: () => '{"auth": {}}',
    status: 400,
    begins: "'identity' is a required property\n\nFailed validating 'required' in schema",
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
    begins: "Invalid input for field 'identity/methods': 'password' is not of type 'array'",
  },
  {
    name: "a method that is a number",
    body: withIdentity({ methods: [1] }),
    status: 400,
    begins: "Invalid input for field 'identity/methods/0': 1 is not of type 'string'",
  },
  { name: "no method at all", body: withIdentity({ methods: [] }), status: 401, message: UNAUTHORIZED },
  {
    name: "an unknown method",
    body: withIdentity({ methods: ["nope"], nope: {} }),
    status: 401,
    message: "Attempted to authenticate with an unsupported method.",
  },
  {
    name: "password without its part",
    body: withIdentity({ methods: ["password"] }),
    status: 400,
    message: expecting("password in identity"),
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
  { name: "a user without account", body: withUser({ domain: undefined }), status: 400, message: expecting("domain in user") },
  {
    name: "a user whose account has no name",
    body: withUser({ domain: {} }),
    status: 400,
    message: nameMissing("identity/password/user/domain"),
  },
  {
    name: "a name that is a number",
    body: withUser({ name: 1 }),
    status: 400,
    begins: "Invalid input for field 'identity/password/user/name': 1 is not of type 'string'",
  },
  {
    name: "a password that is null",
    body: withUser({ password: null }),
    status: 400,
    begins: "Invalid input for field 'identity/password/user/password': None is not of type 'string'",
  },
  {
    name: "a password that is a list",
    body: withUser({ password: ["it's", true] }),
    status: 400,
    begins: `Invalid input for field 'identity/password/user/password': ["it's", True] is not of type 'string'`,
  },
  { name: "no password", body: withUser({ password: undefined }), status: 401, message: UNAUTHORIZED },
  { name: "an empty password", body: withUser({ password: "" }), status: 401, message: UNAUTHORIZED },
  {
    name: "an account that is a number",
    body: withScope({ domain: { name: 123456 } }),
    status: 400,
    begins: "Invalid input for field 'scope/domain/name': 123456 is not of type 'string'",
  },
  {
    name: "a scope with both",
    body: withScope({ domain: { name: "123456" }, ...project(PROJECTS.permitted, { name: "123456" }) }),
    status: 400,
    message: expecting("system, project, domain, OS-TRUST:trust or unscoped in scope"),
  },
  {
    name: "an empty scope",
    body: withScope({}),
    status: 400,
    message: expecting("system, project, domain, OS-TRUST:trust or unscoped in scope"),
  },
  {
    name: "a project without account",
    body: withScope(project(PROJECTS.permitted)),
    status: 400,
    message: expecting("domain in project"),
  },
  {
    name: "a project whose account has no name",
    body: withScope(project(PROJECTS.permitted, {})),
    status: 400,
    message: nameMissing("scope/project/domain"),
  },
  {
    name: "a project without name",
    body: withScope({ project: { domain: { name: "123456" } } }),
    status: 400,
    message: nameMissing("scope/project"),
  },
  { name: "an account without name", body: withScope({ domain: {} }), status: 400, message: nameMissing("scope/domain") },
  { name: "the whole system", body: withScope({ system: { all: true } }), status: 401, message: UNAUTHORIZED },
  { name: "another account's scope", body: withScope({ domain: { name: "Default" } }), status: 401, message: UNAUTHORIZED },
  {
    name: "text/plain",
    headers: { "Content-Type": "text/plain" },
    status: 400,
    message: expecting("application/json in Content-Type header"),
  },
  { name: "a body of 200 kB", body: (right) => JSON.stringify({ ...right, pad: "x".repeat(200_000) }), status: 413 },
  { name: "PUT", method: "PUT", status: 405 },
  { name: "an unknown path", method: "GET", path: "/identity/v3/no-such", status: 404 },
  { name: "the path without its mount", path: "/v3/auth/tokens", status: 404 },
  { name: "the mount alone", method: "GET", path: "/identity", status: 300 },
  { name: "the version", method: "GET", path: "/identity/v3", status: 200 },
];

/**
 * Exchanges compared answer by answer: status, message, and which headers are there. The same for the real and for the embedded
 * service. To be called inside of a `describe`.
 */
export function exchangeScenarios(start: () => Promise<IdentityUnderTest>): void {
  let service: IdentityUnderTest;
  beforeAll(async () => {
    service = await start();
  }, 360_000);
  afterAll(() => service?.stop(), 60_000);

  const bodyOf = (user: UserName): AuthBody => ({
    auth: {
      identity: {
        methods: ["password"],
        password: { user: { name: user, domain: { name: service.accountId }, password: service.passwordOf(user) } },
      },
      scope: { domain: { name: service.accountId } },
    },
  });
  const send = (exchange: Pick<Exchange, "method" | "path" | "headers" | "body">): Promise<PlainAnswer> => {
    const method = exchange.method ?? "POST";
    const body = exchange.body ?? (method === "GET" ? () => "" : (right: AuthBody) => JSON.stringify(right));
    return request(`${service.authUrl}${exchange.path ?? "/identity/v3/auth/tokens"}`, {
      method,
      body: body(bodyOf("svc")),
      headers: method === "GET" ? {} : { "Content-Type": "application/json", ...exchange.headers },
    });
  };
  const tokenOf = async (user: UserName, scope?: object): Promise<string> => {
    const right = bodyOf(user);
    const answer = await send({ body: () => JSON.stringify(scope === undefined ? right : { auth: { ...right.auth, scope } }) });
    return String(answer.headers["x-subject-token"]);
  };
  const about = async (method: string, caller: string | undefined, subject: string | undefined) => {
    const headers = {
      ...(caller === undefined ? {} : { "X-Auth-Token": caller }),
      ...(subject === undefined ? {} : { "X-Subject-Token": subject }),
    };
    const { status, body } = await request(`${service.authUrl}/identity/v3/auth/tokens`, { method, headers });
    return [status, status >= 400 && method !== "HEAD" ? messageOf(body) : undefined];
  };

  test.each(EXCHANGES.map((exchange) => [exchange.name, exchange] as const))("%s", async (_name, exchange) => {
    const { status, headers, body } = await send(exchange);
    expect(status).toBe(exchange.status);
    if (exchange.message !== undefined) expect(messageOf(body)).toBe(exchange.message);
    if (exchange.begins !== undefined) expect(messageOf(body).slice(0, exchange.begins.length)).toBe(exchange.begins);
    expect("x-subject-token" in headers).toBe(status === 201);
    expect("www-authenticate" in headers).toBe(status === 401);
    expect(Number(headers["content-length"])).toBe(Buffer.byteLength(body));
    if (status === 401) expect(headers["www-authenticate"]).toBe(`Keystone uri="${service.authUrl}/identity/v3"`);
    if ([200, 201, 300, 400, 401, 405].includes(status)) {
      expect(headers).toMatchObject({ vary: "X-Auth-Token", "x-openstack-request-id": expect.stringMatching(/^req-/) });
      expect(headers["content-type"]).toBe("application/json");
    }
  });

  test("the body of an account token and of a project token has the same members in both", async () => {
    const shapes: unknown[] = [];
    for (const scope of [undefined, project(PROJECTS.permitted, { name: "123456" })]) {
      const right = bodyOf("svc");
      const answer = await send({ body: () => JSON.stringify(scope === undefined ? right : { auth: { ...right.auth, scope } }) });
      shapes.push(shapeOf(JSON.parse(answer.body)));
    }
    expect(shapes).toEqual([SHAPES.account, SHAPES.project]);
  });

  test("a 401 has the same bytes, whatever the cause", async () => {
    const answers = await Promise.all([
      send({ body: withUser({ password: "canary-wrong" }) }),
      send({ body: withUser({ name: "no-such" }) }),
      send({ body: withScope(project("no-such", { name: "123456" })) }),
      send({ body: () => JSON.stringify(bodyOf("svc-projects-only")) }),
      send({ body: () => JSON.stringify(bodyOf("svc-disabled")) }),
    ]);
    const body = '{"error":{"code":401,"message":"The request you have made requires authentication.","title":"Unauthorized"}}';
    expect(answers.map((answer) => [answer.status, answer.body.trimEnd()])).toEqual(answers.map(() => [401, body]));
  });

  test("validation: itself, by another of the same user, by another user, without and with made-up tokens", async () => {
    const [own, other] = [await tokenOf("svc"), await tokenOf("svc")];
    const foreign = await tokenOf("svc-projects-only", project(PROJECTS.permitted, { name: "123456" }));
    expect(await about("GET", own, own)).toEqual([200, undefined]);
    expect(await about("HEAD", own, own)).toEqual([200, undefined]);
    expect(await about("GET", other, own)).toEqual([200, undefined]);
    const forbidden = "You are not authorized to perform the requested action: identity:validate_token.";
    expect(await about("GET", foreign, own)).toEqual([403, forbidden]);
    expect(await about("GET", own, undefined)).toEqual([403, forbidden]);
    expect(await about("GET", own, "bad")).toEqual([404, "Could not recognize Fernet token"]);
    expect(await about("GET", undefined, own)).toEqual([401, UNAUTHORIZED]);
    expect(await about("GET", "bad", own)).toEqual([401, UNAUTHORIZED]);
  });

  test("revocation: by itself, by another of the same user, by another user, and what is left afterwards", async () => {
    const [first, second, third] = [await tokenOf("svc"), await tokenOf("svc"), await tokenOf("svc")];
    const foreign = await tokenOf("svc-projects-only", project(PROJECTS.permitted, { name: "123456" }));
    const forbidden = "You are not authorized to perform the requested action: identity:revoke_token.";
    expect(await about("DELETE", foreign, first)).toEqual([403, forbidden]);
    expect(await about("DELETE", first, undefined)).toEqual([403, forbidden]);
    expect(await about("DELETE", undefined, first)).toEqual([401, UNAUTHORIZED]);
    expect(await about("DELETE", first, first)).toEqual([204, undefined]);
    expect(await about("DELETE", first, first)).toEqual([401, UNAUTHORIZED]);
    expect(await about("GET", second, first)).toEqual([404, "Failed to validate token"]);
    expect(await about("DELETE", second, first)).toEqual([404, "Failed to validate token"]);
    expect(await about("DELETE", second, third)).toEqual([204, undefined]);
    expect(await about("HEAD", third, third)).toEqual([401, undefined]);
    expect(await about("HEAD", second, second)).toEqual([200, undefined]);
  });
}

function messageOf(body: string): string {
  return (JSON.parse(body) as { error: { message: string } }).error.message;
}

const NAMED = { id: "string", name: "string" };
const TOKEN = {
  methods: ["string"],
  user: { domain: NAMED, ...NAMED, password_expires_at: "null" },
  audit_ids: ["string"],
  expires_at: "string",
  issued_at: "string",
  roles: [NAMED],
  catalog: [
    {
      endpoints: [{ id: "string", interface: "string", region_id: "string", url: "string", region: "string" }],
      id: "string",
      type: "string",
      name: "string",
    },
  ],
};
const SHAPES = {
  account: { token: { ...TOKEN, domain: NAMED } },
  project: { token: { ...TOKEN, project: { domain: NAMED, ...NAMED }, is_domain: "boolean" } },
};

/** Members and types; of a list, its first item. */
function shapeOf(value: unknown): unknown {
  if (value === null) return "null";
  if (Array.isArray(value)) return [shapeOf(value[0])];
  if (typeof value !== "object") return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shapeOf(member)]));
}
