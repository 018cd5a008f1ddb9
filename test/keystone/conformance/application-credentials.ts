import { type Credential, type CredentialName, PROJECTS } from "../identity-under-test";
import type { ConformanceCase, ConformanceGroup } from "./case";
import { UNAUTHORIZED } from "./exchanges";
import { messageOf, type ServiceHands, TOKENS } from "./service-hands";
import { assertShape, NAMED, SCOPED } from "./tokens";

const signIn = (service: ServiceHands, credential: object, scope?: unknown) =>
  service.post({
    auth: {
      identity: { methods: ["application_credential"], application_credential: credential },
      ...(scope === undefined ? {} : { scope }),
    },
  });
const byId = ({ id, secret }: Credential) => ({ id, secret });

const withCredential = (
  name: string,
  run: (service: ServiceHands, credential: Credential) => Promise<void>,
  which: CredentialName = "usual",
): ConformanceCase => ({
  name,
  needs: ["users"],
  run: async (service) => run(service, await service.credential(which)),
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
  withCredential("by name and user", async (service, { name, secret }) => {
    const { id, domain } = service.take(
      await signIn(service, { name, secret, user: { name: "svc", domain: service.account } }),
    ).tokenBody.user;
    for (const user of [{ id }, { name: "svc", domain: { id: domain.id } }]) {
      const { tokenBody } = service.take(await signIn(service, { name, secret, user }));
      expect(tokenBody.project?.name).toBe(PROJECTS.permitted);
    }
  }),
  withCredential("by id, which goes before a name and a user", async (service, credential) => {
    const user = { name: "no-such", domain: service.account };
    const wanted = { ...byId(credential), name: "no-such", user };
    expect((await signIn(service, wanted)).status).toBe(201);
  }),
  withCredential(
    "with an end before the token's: without a zone, and as usual when it is validated",
    async (service, credential) => {
      const { token, tokenBody } = service.take(await signIn(service, byId(credential)));
      expect(tokenBody.expires_at).toBe(credential.end?.replace(".000000Z", ""));
      const { body } = await service.send(TOKENS, {
        headers: { "X-Auth-Token": token, "X-Subject-Token": token },
      });
      expect(JSON.parse(body).token.expires_at).toBe(credential.end);
    },
    "ending",
  ),
  withCredential(
    "with an end after the token's: the token's own",
    async (service, credential) => {
      const { tokenBody } = service.take(await signIn(service, byId(credential)));
      expect(tokenBody.expires_at).toMatch(/\.000000Z$/);
    },
    "ending late",
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
    ...withCredential(
      "its end",
      async (service, credential) => {
        const { token } = service.take(await signIn(service, byId(credential)));
        // Real time on purpose: a real service has no other.
        const end = Date.parse(credential.end ?? "");
        await new Promise((resolve) => setTimeout(resolve, end + 200 - Date.now()));
        const answer = await signIn(service, byId(credential));
        expect([answer.status, messageOf(answer.body)]).toEqual([401, UNAUTHORIZED]);
        expect(await service.accepts(token)).toBe(false);
      },
      "ending soon",
    ),
    waits: true,
  },
  {
    name: "not its user's new password, which ends its tokens alone; but that the user is disabled",
    needs: ["users", "administrator"],
    waits: true,
    run: async (service) => {
      const user = "svc-with-credential";
      const credential = await service.credential("of a changing user");
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

const restricted: readonly ConformanceCase[] = (["usual", "unrestricted"] as const).flatMap(
  (which) => [
    ...["project", "account", "unscoped", "nothing"].map((to) =>
      withCredential(
        `no other token, ${to}, of the ${which} credential`,
        async (service, credential) => {
          const { token } = service.take(await signIn(service, byId(credential)));
          const scopes: Record<string, unknown> = {
            project: service.projectScope(),
            account: service.accountScope,
            unscoped: "unscoped",
          };
          const answer = await service.exchange(token, scopes[to]);
          expect([answer.status, messageOf(answer.body)]).toEqual([403, DELEGATED]);
        },
        which,
      ),
    ),
    withCredential(
      `whether it is restricted, of the ${which} credential`,
      async (service, credential) => {
        const { tokenBody } = service.take(await signIn(service, byId(credential)));
        expect(tokenBody.application_credential).toMatchObject({ restricted: which === "usual" });
      },
      which,
    ),
  ],
);

/** Signing in without the password, by a secret for one project. */
export const APPLICATION_CREDENTIALS: readonly ConformanceGroup[] = [
  { name: "a token by an application credential", cases: issued },
  { name: "an application credential is refused with", cases: refused },
  { name: "an application credential ends with", cases: ended },
  { name: "a token by an application credential gives", cases: restricted },
];
