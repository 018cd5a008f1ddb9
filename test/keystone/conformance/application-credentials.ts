import { randomUUID } from "node:crypto";
import { PROJECTS } from "../identity-under-test";
import type { ConformanceCase, ConformanceGroup } from "./case";
import { UNAUTHORIZED } from "./exchanges";
import { messageOf, type ServiceHands, TOKENS } from "./service-hands";
import { assertShape, NAMED, SCOPED } from "./tokens";

/** A user has each name once. */
const newName = () => `made-${randomUUID()}`;

export interface Credential {
  readonly id: string;
  readonly name: string;
  readonly secret: string;
}

/** A user with a token for its project, and the credentials that it makes with that. */
export class Owner {
  private constructor(
    readonly service: ServiceHands,
    readonly token: string,
    readonly userId: string,
  ) {}

  static async of(service: ServiceHands, user = "svc", scope: unknown = service.projectScope()) {
    const { token, tokenBody } = await service.issue(user, scope);
    return new Owner(service, token, tokenBody.user.id);
  }

  get path(): string {
    return `/identity/v3/users/${this.userId}/application_credentials`;
  }

  ask(method: string, below = "", token: string | undefined = this.token, credential?: object) {
    return this.service.send(`${this.path}${below}`, {
      method,
      headers: {
        "Content-Type": "application/json",
        ...(token === undefined ? {} : { "X-Auth-Token": token }),
      },
      ...(credential === undefined
        ? {}
        : { body: JSON.stringify({ application_credential: credential }) }),
    });
  }

  async make(wanted: object = {}): Promise<Credential> {
    const answer = await this.ask("POST", "", this.token, { name: newName(), ...wanted });
    if (answer.status !== 201) throw new Error(`no credential was made: ${answer.status}`);
    return JSON.parse(answer.body).application_credential;
  }
}

const signIn = (service: ServiceHands, credential: object, scope?: unknown) =>
  service.post({
    auth: {
      identity: { methods: ["application_credential"], application_credential: credential },
      ...(scope === undefined ? {} : { scope }),
    },
  });
const byId = ({ id, secret }: Credential) => ({ id, secret });
const inSeconds = (seconds: number) =>
  new Date(Date.now() + seconds * 1000).toISOString().replace(/\.\d+Z$/, ".000000Z");

/** A case with a credential of the user that may be issued tokens. */
const withCredential = (
  name: string,
  run: (service: ServiceHands, credential: Credential, owner: Owner) => Promise<void>,
): ConformanceCase => ({
  name,
  needs: ["users"],
  run: async (service) => {
    const owner = await Owner.of(service);
    await run(service, await owner.make(), owner);
  },
});

const issued: readonly ConformanceCase[] = [
  withCredential("by id, for its project", async (service, credential) => {
    const { token, tokenBody } = service.take(await signIn(service, byId(credential)));
    assertShape(service, tokenBody, {
      ...SCOPED,
      project: { domain: NAMED, ...NAMED },
      is_domain: "boolean",
      application_credential: { ...NAMED, restricted: "boolean" },
    });
    expect(tokenBody).toMatchObject({
      methods: ["application_credential"],
      user: { name: "svc" },
      project: { name: PROJECTS.permitted },
      application_credential: { id: credential.id, name: credential.name, restricted: true },
      audit_ids: [expect.any(String)],
    });
    expect(token).toHaveLength(204);
    expect(await service.accepts(token)).toBe(true);
    const { body } = await service.send(TOKENS, {
      headers: { "X-Auth-Token": token, "X-Subject-Token": token },
    });
    expect(JSON.parse(body)).toEqual({ token: tokenBody });
  }),
  withCredential("by name and user", async (service, { name, secret }, { userId }) => {
    const { id: domain } = service.take(
      await signIn(service, { name, secret, user: { name: "svc", domain: service.account } }),
    ).tokenBody.user.domain;
    for (const user of [{ id: userId }, { name: "svc", domain: { id: domain } }]) {
      const { tokenBody } = service.take(await signIn(service, { name, secret, user }));
      expect(tokenBody.project?.name).toBe(PROJECTS.permitted);
    }
  }),
  withCredential("by id, which goes before a name and a user", async (service, credential) => {
    const user = { name: "no-such", domain: service.account };
    const wanted = { ...byId(credential), name: "no-such", user };
    expect((await signIn(service, wanted)).status).toBe(201);
  }),
  {
    name: "with an end before the token's: without a zone, and as usual when it is validated",
    needs: ["users"],
    run: async (service) => {
      const owner = await Owner.of(service);
      const end = inSeconds(600);
      const credential = await owner.make({ expires_at: end });
      const { token, tokenBody } = service.take(await signIn(service, byId(credential)));
      expect(tokenBody.expires_at).toBe(end.replace(".000000Z", ""));
      const { body } = await service.send(TOKENS, {
        headers: { "X-Auth-Token": token, "X-Subject-Token": token },
      });
      expect(JSON.parse(body).token.expires_at).toBe(end);
    },
  },
  {
    name: "with an end after the token's: the token's own",
    needs: ["users"],
    run: async (service) => {
      const owner = await Owner.of(service);
      const credential = await owner.make({ expires_at: inSeconds(200_000) });
      const { tokenBody } = service.take(await signIn(service, byId(credential)));
      expect(tokenBody.expires_at).toMatch(/\.000000Z$/);
    },
  },
  ...["account", "unscoped"].map(
    (scope): ConformanceCase => ({
      name: `made with a token for the ${scope}: unscoped`,
      needs: ["users"],
      run: async (service) => {
        const wanted = scope === "account" ? service.accountScope : scope;
        const credential = await (await Owner.of(service, "svc", wanted)).make();
        const { tokenBody } = service.take(await signIn(service, byId(credential)));
        expect(["project" in tokenBody, "domain" in tokenBody]).toEqual([false, false]);
      },
    }),
  ),
];

const NO_SCOPE =
  "Error authenticating with application credential: Application credentials cannot request a scope.";

const refused: readonly ConformanceCase[] = (
  [
    ["its own project as a scope", (c) => [c, "project"], 401, NO_SCOPE],
    ["the account as a scope", (c) => [c, "account"], 401, NO_SCOPE],
    ["unscoped as a scope", (c) => [c, "unscoped"], 401, NO_SCOPE],
    ["an unknown scope", (c) => [c, { domain: { name: "no-such" } }], 401, NO_SCOPE],
    ["a scope, with a wrong secret", ({ id }) => [{ id, secret: "x" }, "project"], 401, NO_SCOPE],
    ["a wrong secret", ({ id }) => [{ id, secret: "wrong" }], 401, UNAUTHORIZED],
    ["no secret", ({ id }) => [{ id }], 401, UNAUTHORIZED],
    [
      "an unknown id",
      ({ secret }) => [{ id: "no-such", secret }],
      404,
      "Could not find Application Credential: no-such.",
    ],
    [
      "an unknown name",
      ({ secret }) => [{ name: "no-such", secret, user: "svc" }],
      401,
      UNAUTHORIZED,
    ],
    [
      "an unknown user",
      ({ name, secret }) => [{ name, secret, user: "no-such" }],
      404,
      "Could not find user: no-such.",
    ],
    [
      "an unknown user id",
      ({ name, secret }) => [{ name, secret, user: { id: "no-such" } }],
      401,
      UNAUTHORIZED,
    ],
    [
      "an unknown account",
      ({ name, secret }) => [{ name, secret, user: { name: "svc", domain: { name: "no-such" } } }],
      401,
      UNAUTHORIZED,
    ],
    [
      "another user's name",
      (c) => [{ ...c, id: "", user: "svc-projects-only" }],
      401,
      UNAUTHORIZED,
    ],
    ["nothing", () => [{}], 400],
    ["an empty id", ({ secret }) => [{ id: "", secret }], 400],
    ["a name without a user", ({ name, secret }) => [{ name, secret }], 400],
    [
      "a user without account",
      ({ name, secret }) => [{ name, secret, user: { name: "svc" } }],
      400,
    ],
    ["a secret that is a number", ({ id }) => [{ id, secret: 1 }], 400],
  ] as readonly (readonly [
    string,
    (credential: Credential) => readonly [Readonly<Record<string, unknown>>, unknown?],
    number,
    string?,
  ])[]
).map(([name, change, status, message]) =>
  withCredential(name, async (service, { id, name: credentialName, secret }) => {
    const [part, asked] = change({ id, name: credentialName, secret });
    const { user } = part;
    const wanted =
      typeof user === "string" ? { ...part, user: { name: user, domain: service.account } } : part;
    const scope =
      asked === "project"
        ? service.projectScope()
        : asked === "account"
          ? service.accountScope
          : asked;
    const { headers, ...answer } = await signIn(service, wanted, scope);
    expect(answer.status).toBe(status);
    if (message !== undefined)
      expect(service.expected([status, messageOf(answer.body)])).toEqual(
        service.expected([status, message]),
      );
    if (message === NO_SCOPE) expect(JSON.parse(answer.body).error.identity).toEqual({});
    expect("www-authenticate" in headers).toBe(status === 401);
    expect(headers["x-openstack-request-id"]).toMatch(/^req-/);
  }),
);

const ended: readonly ConformanceCase[] = [
  {
    name: "its end",
    needs: ["users"],
    waits: true,
    run: async (service) => {
      const owner = await Owner.of(service);
      // Real time on purpose: a real service has no other, and may be slow.
      const end = inSeconds(15);
      const credential = await owner.make({ expires_at: end });
      const { token } = service.take(await signIn(service, byId(credential)));
      await new Promise((resolve) => setTimeout(resolve, Date.parse(end) + 200 - Date.now()));
      const answer = await signIn(service, byId(credential));
      expect([answer.status, messageOf(answer.body)]).toEqual([401, UNAUTHORIZED]);
      expect(await service.accepts(token)).toBe(false);
    },
  },
  withCredential("its deletion, which ends its tokens", async (service, credential, owner) => {
    const { token } = service.take(await signIn(service, byId(credential)));
    expect((await owner.ask("DELETE", `/${credential.id}`)).status).toBe(204);
    const [status] = await service.about("GET", owner.token, token);
    expect(status).toBe(404);
    const answer = await signIn(service, byId(credential));
    const message = `Could not find Application Credential: ${credential.id}.`;
    expect([answer.status, messageOf(answer.body)]).toEqual([404, message]);
  }),
  {
    name: "not its user's new password, which ends its tokens alone; but that the user is disabled",
    needs: ["users", "administrator"],
    waits: true,
    run: async (service) => {
      const user = "svc-with-credential";
      const owner = await Owner.of(service, user);
      const credential = await owner.make();
      const { token } = service.take(await signIn(service, byId(credential)));
      const password = "canary-another-password";
      await service.service.administrator?.changePassword(user, password);
      expect(await service.accepts(token)).toBe(false);
      // Tokens of the same second are dead as well.
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      const later = service.take(await signIn(service, byId(credential)));
      expect(await service.accepts(later.token)).toBe(true);
      await service.service.administrator?.disable(user);
      const answer = await signIn(service, byId(credential));
      expect([answer.status, messageOf(answer.body)]).toEqual([401, UNAUTHORIZED]);
      expect(await service.accepts(later.token)).toBe(false);
    },
  },
];

const DELEGATED =
  "You are not authorized to perform the requested action: Using a delegated token to create another token is not allowed..";
const RESTRICTED =
  "You are not authorized to perform the requested action: Using method 'application_credential' is not allowed for managing additional application credentials..";

const restricted: readonly ConformanceCase[] = [
  ...[undefined, true].flatMap((unrestricted) =>
    ["project", "account", "unscoped", "nothing"].map(
      (to): ConformanceCase => ({
        name: `no other token, ${to}, of ${unrestricted ? "an unrestricted" : "a"} credential`,
        needs: ["users"],
        run: async (service) => {
          const credential = await (await Owner.of(service)).make({ unrestricted });
          const { token } = service.take(await signIn(service, byId(credential)));
          const scopes: Record<string, unknown> = {
            project: service.projectScope(),
            account: service.accountScope,
            unscoped: "unscoped",
          };
          const answer = await service.exchange(token, scopes[to]);
          expect([answer.status, messageOf(answer.body)]).toEqual([403, DELEGATED]);
        },
      }),
    ),
  ),
  withCredential("no credential is made or deleted", async (service, credential, owner) => {
    const { token } = service.take(await signIn(service, byId(credential)));
    for (const answer of [
      await owner.ask("POST", "", token, { name: newName() }),
      await owner.ask("DELETE", `/${credential.id}`, token),
    ])
      expect([answer.status, messageOf(answer.body)]).toEqual([403, RESTRICTED]);
    expect((await owner.ask("GET", "", token)).status).toBe(200);
    expect((await owner.ask("GET", `/${credential.id}`, token)).status).toBe(200);
  }),
  {
    name: "an unrestricted one makes and deletes credentials",
    needs: ["users"],
    run: async (service) => {
      const owner = await Owner.of(service);
      const credential = await owner.make({ unrestricted: true });
      const { token, tokenBody } = service.take(await signIn(service, byId(credential)));
      expect(tokenBody.application_credential).toMatchObject({ restricted: false });
      const answer = await owner.ask("POST", "", token, { name: newName() });
      const { id } = JSON.parse(answer.body).application_credential;
      expect((await owner.ask("DELETE", `/${id}`, token)).status).toBe(204);
    },
  },
];

const managed: readonly ConformanceCase[] = [
  withCredential("has members, and its secret only once", async (service, credential, owner) => {
    const { secret, ...rest } = credential;
    expect(secret).toMatch(/^[\w-]{86}$/);
    const role = {
      id: expect.any(String),
      name: expect.any(String),
      domain_id: null,
      description: null,
      options: { immutable: true },
    };
    expect(rest).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      name: credential.name,
      description: null,
      user_id: owner.userId,
      project_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      system: null,
      expires_at: null,
      unrestricted: null,
      roles: expect.arrayContaining([role]),
      links: {
        self: `${service.service.authUrl}/identity/v3/application_credentials/${credential.id}`,
      },
    });
    const one = JSON.parse((await owner.ask("GET", `/${credential.id}`)).body);
    const list = JSON.parse((await owner.ask("GET", `?name=${credential.name}`)).body);
    // In any order.
    const same = { ...rest, roles: expect.any(Array) };
    expect(one.application_credential).toMatchObject(same);
    expect(list.application_credentials).toMatchObject([same]);
    expect(JSON.stringify([one, list])).not.toContain(secret);
  }),
  {
    name: "takes a secret, a description and an end",
    needs: ["users"],
    run: async (service) => {
      const given = { secret: "canary-secret", description: "d", unrestricted: false };
      const end = inSeconds(600);
      const credential = await (await Owner.of(service)).make({ ...given, expires_at: end });
      expect(credential).toMatchObject({ ...given, expires_at: end.replace("Z", "") });
      expect((await signIn(service, byId(credential))).status).toBe(201);
    },
  },
  ...(
    [
      ["a name that the user has already", (name) => ({ name }), 409],
      ["no name", () => ({}), 400],
      ["a name that is a number", () => ({ name: 1 }), 400],
      ["an end that is past", () => ({ name: newName(), expires_at: "2020-01-01T00:00:00Z" }), 400],
      ["an end that is no time", () => ({ name: newName(), expires_at: "soon" }), 400],
    ] as readonly (readonly [string, (name: string) => object, number])[]
  ).map(([name, wanted, status]) =>
    withCredential(`refuses ${name}`, async (_service, credential, owner) => {
      const answer = await owner.ask("POST", "", owner.token, wanted(credential.name));
      expect(answer.status).toBe(status);
    }),
  ),
  withCredential("is its user's alone", async (service, { id }, owner) => {
    const other = await Owner.of(service, "svc-projects-only");
    for (const [method, below, action] of [
      ["POST", "", "create_application_credential"],
      ["GET", "", "list_application_credentials"],
      ["GET", `/${id}`, "get_application_credential"],
      ["DELETE", `/${id}`, "delete_application_credential"],
    ] as const) {
      const wanted = method === "POST" ? { name: newName() } : undefined;
      const answer = await owner.ask(method, below, other.token, wanted);
      const message = `You are not authorized to perform the requested action: identity:${action}.`;
      expect([answer.status, messageOf(answer.body)]).toEqual([403, message]);
      expect((await owner.ask(method, below, "made-up", wanted)).status).toBe(401);
    }
    expect((await owner.ask("DELETE", "/no-such")).status).toBe(404);
    const options = await owner.ask("OPTIONS", `/${id}`);
    expect(options.headers.allow?.toString().split(", ").sort()).toEqual([
      "DELETE",
      "GET",
      "HEAD",
      "OPTIONS",
    ]);
  }),
];

/** Signing in without the password, by a secret for one project. */
export const APPLICATION_CREDENTIALS: readonly ConformanceGroup[] = [
  { name: "a token by an application credential", cases: issued },
  { name: "an application credential is refused with", cases: refused },
  { name: "an application credential ends with", cases: ended },
  { name: "a token by an application credential gives", cases: restricted },
  { name: "an application credential", cases: managed },
];
