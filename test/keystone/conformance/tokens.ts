import { PROJECTS } from "../identity-under-test";
import type { ConformanceCase, ConformanceGroup } from "./case";
import { UNAUTHORIZED } from "./exchanges";
import { messageOf, type ServiceHands, TOKENS, type TokenBody } from "./service-hands";

const FERNET = "Could not recognize Fernet token";
const DEAD = "Failed to validate token";
const forbidden = (action: string) =>
  `You are not authorized to perform the requested action: identity:${action}.`;

export const NAMED = { id: "string", name: "string" };
export const UNSCOPED = {
  methods: ["string"],
  user: { domain: NAMED, ...NAMED, password_expires_at: "null" },
  audit_ids: ["string"],
  expires_at: "string",
  issued_at: "string",
};
export const SCOPED = {
  ...UNSCOPED,
  roles: [NAMED],
  catalog: [
    {
      endpoints: [
        { id: "string", interface: "string", region_id: "string", url: "string", region: "string" },
      ],
      id: "string",
      type: "string",
      name: "string",
    },
  ],
};

/** Members and types; of a list, its first item. */
function shapeOf(value: unknown): unknown {
  if (value === null) return "null";
  if (Array.isArray(value)) return [shapeOf(value[0])];
  if (typeof value !== "object") return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shapeOf(member)]));
}

/**
 * Compares members and types of a body. Another version may show more, and a service other things
 * in its catalog.
 */
export function assertShape(
  service: ServiceHands,
  tokenBody: TokenBody,
  shape: Omit<typeof UNSCOPED, "user"> & { readonly user: object } & Readonly<
      Record<string, unknown>
    >,
): void {
  if (service.service.exactTexts) {
    expect(shapeOf(tokenBody)).toEqual(shape);
    return;
  }
  const { catalog: _own, user, ...more } = shape;
  const named = Object.entries(user).filter(([member]) => member !== "password_expires_at");
  expect(shapeOf(tokenBody)).toMatchObject({ ...more, user: Object.fromEntries(named) });
}

const bodies: readonly ConformanceCase[] = [
  {
    name: "of an account token",
    run: async (service) => {
      const { tokenBody } = await service.issue();
      assertShape(service, tokenBody, { ...SCOPED, domain: NAMED });
    },
  },
  {
    name: "of a project token",
    needs: ["project"],
    run: async (service) => {
      const { tokenBody } = await service.issue(undefined, service.projectScope());
      assertShape(service, tokenBody, {
        ...SCOPED,
        project: { domain: NAMED, ...NAMED },
        is_domain: "boolean",
      });
    },
  },
  {
    name: "of an unscoped token",
    run: async (service) =>
      assertShape(service, (await service.issue(undefined, "unscoped")).tokenBody, UNSCOPED),
  },
  {
    name: "times: whole seconds with six digits, 24 hours apart",
    run: async (service) => {
      const { tokenBody } = await service.issue();
      for (const time of [tokenBody.issued_at, tokenBody.expires_at])
        expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000000Z$/);
      const lifetime = Date.parse(tokenBody.expires_at) - Date.parse(tokenBody.issued_at);
      // Keystone reads its clock twice, and a second may begin in between.
      expect([0, 1_000]).toContain(86_400_000 - lifetime);
    },
  },
  {
    name: "the end of a password, without a zone",
    needs: ["users"],
    run: async (service) => {
      const { tokenBody } = await service.issue("svc-expiring");
      expect(tokenBody.user.password_expires_at).toBe("2037-12-31T12:34:56.000000");
    },
  },
  {
    name: "lengths of tokens",
    needs: ["users"],
    run: async (service) => {
      const lengths: number[] = [];
      for (const scope of ["unscoped", service.accountScope, service.projectScope()]) {
        const { token } = await service.issue(undefined, scope);
        lengths.push(token.length, service.take(await service.exchange(token, scope)).token.length);
      }
      expect(lengths).toEqual([162, 183, 183, 204, 183, 204]);
    },
  },
  {
    name: "of a name of any script",
    needs: ["users"],
    run: async (service) => {
      const { tokenBody } = await service.issue("svc-ünïcode-用户");
      expect(tokenBody.user.name).toBe("svc-ünïcode-用户");
    },
  },
];

/** By ids, which the body of an issued token shows. */
const ids: readonly ConformanceCase[] = [
  {
    name: "user and account by id",
    run: async (service) => {
      const { tokenBody } = await service.issue();
      const user = {
        id: tokenBody.user.id,
        password: service.service.passwordOf(service.service.user),
      };
      const scope = { domain: { id: tokenBody.domain?.id } };
      const again = service.take(
        await service.post({
          auth: { identity: { methods: ["password"], password: { user } }, scope },
        }),
      );
      expect([again.tokenBody.user, again.tokenBody.domain]).toEqual([
        tokenBody.user,
        tokenBody.domain,
      ]);
    },
  },
  {
    name: "the user's account by id",
    run: async (service) => {
      const { tokenBody } = await service.issue();
      const user = { ...service.userMember(), domain: { id: tokenBody.user.domain.id } };
      const scope = service.accountScope;
      const again = await service.post({
        auth: { identity: { methods: ["password"], password: { user } }, scope },
      });
      expect(service.take(again).tokenBody.user).toEqual(tokenBody.user);
    },
  },
  {
    name: "a project by id",
    needs: ["project"],
    run: async (service) => {
      const { tokenBody } = await service.issue(undefined, service.projectScope());
      const again = await service.issue(undefined, { project: { id: tokenBody.project?.id } });
      expect(again.tokenBody.project).toEqual(tokenBody.project);
    },
  },
  {
    name: "a name goes before an id",
    run: async (service) => {
      const { tokenBody } = await service.issue(undefined, {
        domain: { id: "no-such-id", ...service.account },
      });
      expect(tokenBody.domain?.name).toBe(service.service.accountId);
    },
  },
  {
    name: "ids are 32 hexadecimal digits",
    run: async (service) => {
      const { tokenBody } = await service.issue();
      for (const id of [tokenBody.user.id, tokenBody.user.domain.id])
        expect(id).toMatch(/^[0-9a-f]{32}$/);
    },
  },
];

const rescoped: readonly ConformanceCase[] = [
  ...(["unscoped", "account", "project"] as const).flatMap((from) =>
    (["unscoped", "account", "project", "nothing"] as const).map(
      (to): ConformanceCase => ({
        name: `from ${from} to ${to}`,
        needs: ["project"],
        run: async (service) => {
          const scopes = {
            unscoped: "unscoped",
            account: service.accountScope,
            project: service.projectScope(),
            nothing: undefined,
          };
          const first = await service.issue(undefined, scopes[from]);
          const { tokenBody } = service.take(await service.exchange(first.token, scopes[to]));
          expect([...tokenBody.methods].sort()).toEqual(["password", "token"]);
          expect(tokenBody.audit_ids).toEqual([
            expect.stringMatching(/^[\w-]{22}$/),
            first.tokenBody.audit_ids[0],
          ]);
          expect(tokenBody.expires_at).toBe(first.tokenBody.expires_at);
          expect(["domain" in tokenBody, "project" in tokenBody]).toEqual([
            to === "account",
            to === "project",
          ]);
        },
      }),
    ),
  ),
  {
    name: "a chain keeps the first token's audit id and end",
    run: async (service) => {
      const first = await service.issue(undefined, "unscoped");
      const second = service.take(await service.exchange(first.token, "unscoped"));
      const third = service.take(await service.exchange(second.token, service.accountScope));
      expect(third.tokenBody.audit_ids[1]).toBe(first.tokenBody.audit_ids[0]);
      expect(third.tokenBody.expires_at).toBe(first.tokenBody.expires_at);
    },
  },
  {
    name: "password and token together",
    run: async (service) => {
      const { token, tokenBody } = await service.issue();
      const { auth } = service.body();
      const identity = { ...auth.identity, methods: ["password", "token"], token: { id: token } };
      const both = service.take(await service.post({ auth: { ...auth, identity } }));
      expect([...both.tokenBody.methods].sort()).toEqual(["password", "token"]);
      expect(both.tokenBody.audit_ids[1]).toBe(tokenBody.audit_ids[0]);
    },
  },
  {
    name: "password and token of two users",
    needs: ["users"],
    run: async (service) => {
      const { token } = await service.issue("svc-projects-only", service.projectScope());
      const { auth } = service.body();
      const identity = { ...auth.identity, methods: ["password", "token"], token: { id: token } };
      expect((await service.post({ auth: { ...auth, identity } })).status).toBe(401);
    },
  },
  {
    name: "to a scope that is not permitted",
    needs: ["users"],
    run: async (service) => {
      const { token } = await service.issue("svc-projects-only", service.projectScope());
      expect((await service.exchange(token, service.accountScope)).status).toBe(401);
      expect((await service.exchange(token, service.projectScope(PROJECTS.other))).status).toBe(
        401,
      );
    },
  },
  ...(
    [
      ["a made-up token", () => "gAAAA-made-up", 404, FERNET],
      ["a token with one character less", (token: string) => token.slice(0, -1), 404, FERNET],
      ["an empty token", () => "", 404, "No token in the request"],
    ] as const
  ).map(
    ([name, change, status, message]): ConformanceCase => ({
      name,
      run: async (service) => {
        const answer = await service.exchange(
          change((await service.issue()).token),
          service.accountScope,
        );
        expect(service.expected([answer.status, messageOf(answer.body)])).toEqual(
          service.expected([status, message]),
        );
      },
    }),
  ),
  {
    name: "a revoked token",
    needs: ["revocation"],
    run: async (service) => {
      const { token } = await service.issue();
      await service.about("DELETE", token, token);
      const answer = await service.exchange(token, service.accountScope);
      expect([answer.status, messageOf(answer.body)]).toEqual([404, DEAD]);
    },
  },
  {
    name: "a token from a token survives the first one's revocation, and the other way round",
    needs: ["revocation"],
    run: async (service) => {
      const first = await service.issue();
      const [second, third] = [
        service.take(await service.exchange(first.token, service.accountScope)),
        service.take(await service.exchange(first.token, service.accountScope)),
      ];
      await service.about("DELETE", second.token, second.token);
      expect([await service.accepts(first.token), await service.accepts(third.token)]).toEqual([
        true,
        true,
      ]);
      await service.about("DELETE", first.token, first.token);
      expect(await service.accepts(third.token)).toBe(true);
    },
  },
];

/** A caller and a subject, and the answer to GET, HEAD and DELETE. */
interface Asked {
  readonly name: string;
  readonly users?: true;
  readonly tokens: (
    service: ServiceHands,
  ) => Promise<readonly [caller: string | undefined, subject: string | undefined]>;
  readonly answers: (action: string) => readonly [number, string?];
  /** The answer of DELETE, where it is another than that of the others. */
  readonly deleted?: readonly [number, string?];
}

const own = async (service: ServiceHands) => (await service.issue()).token;
const dead = async (service: ServiceHands) => {
  const token = await own(service);
  await service.about("DELETE", token, token);
  return token;
};

const ASKED: readonly (Asked & { readonly revokes?: true })[] = [
  {
    name: "by itself",
    tokens: async (s) => own(s).then((token) => [token, token]),
    answers: () => [200],
    deleted: [204],
  },
  {
    name: "by another of the same user",
    tokens: async (s) => [await own(s), await own(s)],
    answers: () => [200],
    deleted: [204],
  },
  {
    name: "by an unscoped one of the same user",
    tokens: async (s) => [(await s.issue(undefined, "unscoped")).token, await own(s)],
    answers: () => [200],
    deleted: [204],
  },
  {
    name: "by another user's",
    users: true,
    tokens: async (s) => [
      (await s.issue("svc-projects-only", s.projectScope())).token,
      await own(s),
    ],
    answers: (action) => [403, forbidden(action)],
  },
  {
    name: "by none",
    tokens: async (s) => [undefined, await own(s)],
    answers: () => [401, UNAUTHORIZED],
  },
  {
    name: "by an empty one",
    tokens: async (s) => ["", await own(s)],
    answers: () => [401, UNAUTHORIZED],
  },
  {
    name: "by a made-up one",
    tokens: async (s) => ["bad", await own(s)],
    answers: () => [401, UNAUTHORIZED],
  },
  {
    name: "that is not there",
    tokens: async (s) => [await own(s), undefined],
    answers: (action) => [403, forbidden(action)],
  },
  {
    name: "that is empty",
    tokens: async (s) => [await own(s), ""],
    answers: () => [404, "No token in the request"],
  },
  {
    name: "that is made up",
    tokens: async (s) => [await own(s), "bad"],
    answers: () => [404, FERNET],
  },
  {
    name: "that is revoked, by another",
    revokes: true,
    tokens: async (s) => [await own(s), await dead(s)],
    answers: () => [404, DEAD],
  },
  {
    name: "that is revoked, by itself",
    revokes: true,
    tokens: async (s) => dead(s).then((token) => [token, token]),
    answers: () => [401, UNAUTHORIZED],
  },
];

const asked = (method: "GET" | "HEAD" | "DELETE"): readonly ConformanceCase[] =>
  ASKED.map(({ name, users, revokes, tokens, answers, deleted }) => ({
    name,
    needs: [
      ...(users ? (["users"] as const) : []),
      ...(revokes || method === "DELETE" ? (["revocation"] as const) : []),
    ],
    run: async (service) => {
      const [caller, subject] = await tokens(service);
      const expected =
        (method === "DELETE" ? deleted : undefined) ??
        answers(method === "DELETE" ? "revoke_token" : "validate_token");
      const answer = await service.about(method, caller, subject);
      expect(answer).toEqual(method === "HEAD" ? expected.slice(0, 1) : service.expected(expected));
      if (method === "DELETE" && answer[0] === 204)
        expect(await service.accepts(String(subject))).toBe(false);
    },
  }));

/** A user that may validate every token: by which of its tokens, and the answers. */
const VALIDATING: readonly [
  scope: "account" | "project" | "unscoped",
  answers: Readonly<Record<"GET" | "HEAD" | "DELETE", readonly [number, string?]>>,
][] = [
  ...(["account", "project"] as const).map(
    (scope) =>
      [
        scope,
        { GET: [200], HEAD: [403], DELETE: [403, forbidden("revoke_token")] },
      ] as (typeof VALIDATING)[number],
  ),
  [
    "unscoped",
    {
      GET: [403, forbidden("validate_token")],
      HEAD: [403],
      DELETE: [403, forbidden("revoke_token")],
    },
  ],
];

const validating: readonly ConformanceCase[] = VALIDATING.map(([scope, answers]) => ({
  name: `for the ${scope}`,
  needs: ["users", "revocation"],
  run: async (service) => {
    const scopes = {
      account: service.accountScope,
      project: service.projectScope(),
      unscoped: "unscoped",
    };
    const { token, tokenBody } = await service.issue("svc-validating", scopes[scope]);
    const roles = (tokenBody.roles ?? []) as readonly { readonly name: string }[];
    expect(roles.some(({ name }) => name === "service")).toBe(scope !== "unscoped");
    const subject = await service.issue("svc-projects-only", service.projectScope());
    for (const [method, expected] of Object.entries(answers))
      expect(await service.about(method, token, subject.token)).toEqual(service.expected(expected));
    expect(await service.about("GET", token, "bad")).toEqual(service.expected([404, FERNET]));
    if (answers.GET[0] !== 200) return;
    const headers = { "X-Auth-Token": token, "X-Subject-Token": subject.token };
    const { body } = await service.send(TOKENS, { headers });
    expect(JSON.parse(body)).toEqual({ token: subject.tokenBody });
  },
}));

const validated: readonly ConformanceCase[] = [
  ...asked("GET"),
  {
    name: "has the same body as at its issue, and the token",
    run: async (service) => {
      const { token, tokenBody } = await service.issue();
      const { body, headers } = await service.send(TOKENS, {
        headers: { "X-Auth-Token": token, "X-Subject-Token": token },
      });
      expect(JSON.parse(body)).toEqual({ token: tokenBody });
      expect(headers["x-subject-token"]).toBe(token);
    },
  },
  {
    name: "nocatalog",
    run: async (service) => {
      const { token } = await service.issue();
      const headers = { "X-Auth-Token": token, "X-Subject-Token": token };
      expect((await service.send(`${TOKENS}?nocatalog`, { headers })).body).not.toContain(
        "catalog",
      );
    },
  },
];

/** Contents of bodies, tokens from tokens, validation and revocation. */
export const TOKEN_GROUPS: readonly ConformanceGroup[] = [
  { name: "the body of an answer", cases: bodies },
  { name: "references by id", cases: ids },
  { name: "a token from a token", cases: rescoped },
  { name: "validation of a token", cases: validated },
  { name: "another user's token, by one that may validate", cases: validating },
  { name: "HEAD of a token", cases: asked("HEAD") },
  { name: "revocation of a token", cases: asked("DELETE") },
];
