import type { OidcTokenOptions } from "../../../lib/testing";
import { PROJECTS } from "../identity-under-test";
import type { ConformanceCase, ConformanceGroup } from "./case";
import { UNAUTHORIZED } from "./exchanges";
import { messageOf, type ServiceHands } from "./service-hands";
import { assertShape, NAMED, SCOPED, UNSCOPED } from "./tokens";

const PROJECTS_PROVIDER = { identityProvider: "ci-projects" } as const;
const FEDERATED_USER = {
  domain: NAMED,
  ...NAMED,
  "OS-FEDERATION": {
    groups: [{ id: "string" }],
    identity_provider: { id: "string" },
    protocol: { id: "string" },
  },
};

const federated = (
  name: string,
  run: (service: ServiceHands) => Promise<void>,
): ConformanceCase => ({ name, needs: ["federation"], run: (service) => run(service.federated) });

/** The first step. */
const unscoped = async (service: ServiceHands, options: OidcTokenOptions = {}) =>
  service.take(await service.signIn(service.oidcToken(options), options.identityProvider));

const issued: readonly ConformanceCase[] = [
  federated("unscoped at first", async (service) => {
    const { token, tokenBody } = await unscoped(service, { sub: "repo:example/shop:main" });
    assertShape(service, tokenBody, { ...UNSCOPED, user: FEDERATED_USER });
    expect(tokenBody).toMatchObject({
      methods: ["openid"],
      user: {
        name: "repo:example/shop:main",
        id: expect.stringMatching(/^[0-9a-f]{64}$/),
        "OS-FEDERATION": { identity_provider: { id: "ci" }, protocol: { id: "openid" } },
      },
    });
    expect(token).toHaveLength(268);
    expect(await service.accepts(token)).toBe(true);
  }),
  ...(["account", "project", "nothing"] as const).map((to) =>
    federated(`for ${to} in the second step`, async (service) => {
      const first = await unscoped(service);
      const scopes = {
        account: service.accountScope,
        project: service.projectScope(),
        nothing: undefined,
      };
      const { token, tokenBody } = service.take(await service.exchange(first.token, scopes[to]));
      const scope =
        to === "account"
          ? { domain: NAMED }
          : { project: { domain: NAMED, ...NAMED }, is_domain: "boolean" };
      const roles = [
        { ...NAMED, domain_id: "null", description: "null", options: { immutable: "boolean" } },
      ];
      assertShape(service, tokenBody, {
        ...(to === "nothing" ? UNSCOPED : { ...SCOPED, roles, ...scope }),
        user: FEDERATED_USER,
      });
      expect([...tokenBody.methods].sort()).toEqual(["openid", "token"]);
      // Unlike other tokens in exchange for one.
      expect(tokenBody.audit_ids).toHaveLength(1);
      expect(tokenBody.user).toEqual(first.tokenBody.user);
      expect(tokenBody.expires_at).toBe(first.tokenBody.expires_at);
      expect(token).toHaveLength(to === "nothing" ? 268 : 290);
      expect(await service.accepts(token)).toBe(true);
    }),
  ),
  federated("for a project, by the access area Projects", async (service) => {
    const { token } = await unscoped(service, PROJECTS_PROVIDER);
    const { tokenBody } = service.take(await service.exchange(token, service.projectScope()));
    expect(tokenBody.project?.name).toBe(PROJECTS.permitted);
  }),
  federated("to the same user for the same subject, and to others for others", async (service) => {
    const users = [
      await unscoped(service, { sub: "a" }),
      await unscoped(service, { sub: "a", expiresIn: 60 }),
      await unscoped(service, { sub: "b" }),
      await unscoped(service, { ...PROJECTS_PROVIDER, sub: "a" }),
    ].map(({ tokenBody }) => tokenBody.user);
    const [first, same, ...others] = users;
    expect(same).toEqual(first);
    expect(new Set(others.map(({ id }) => id)).add(first?.id ?? "").size).toBe(3);
    expect(others[1]?.domain).not.toEqual(first?.domain);
  }),
  ...(
    [
      ["without an end", { claims: { exp: undefined } }],
      ["that is valid later", { claims: { nbf: 4_000_000_000, iat: 4_000_000_000 } }],
      ["with a list of one audience", { ...PROJECTS_PROVIDER, aud: ["https://keystone.example"] }],
    ] as readonly (readonly [string, OidcTokenOptions])[]
  ).map(([name, options]) =>
    federated(`for an identity token ${name}`, async (service) => {
      await unscoped(service, options);
    }),
  ),
  federated("by GET as well; not by PUT", async (service) => {
    const path = "/identity/v3/OS-FEDERATION/identity_providers/ci/protocols/openid/auth";
    const headers = { Authorization: `Bearer ${service.oidcToken()}` };
    const statuses = await Promise.all(
      ["GET", "PUT"].map(async (method) => (await service.send(path, { method, headers })).status),
    );
    expect(statuses).toEqual([201, 405]);
  }),
];

/** What Apache refuses does not reach Keystone. */
const byApache: readonly ConformanceCase[] = (
  [
    ["one that has expired", (s) => s.oidcToken({ expiresIn: -60 })],
    ["one of another signer", (s) => otherSignature(s.oidcToken(), s.oidcToken({ sub: "other" }))],
    ["one that is cut", (s) => s.oidcToken().slice(0, -10)],
    ["one without a signature", (s) => s.oidcToken().replace(/[^.]*$/, "")],
    ["two of its three parts", (s) => s.oidcToken().replace(/\.[^.]*$/, "")],
    ["one without a subject", (s) => s.oidcToken({ claims: { sub: undefined } })],
    ["one whose subject is a number", (s) => s.oidcToken({ claims: { sub: 7 } })],
    ["a word", () => "word"],
    ["nothing", () => undefined],
  ] as readonly (readonly [string, (service: ServiceHands) => string | undefined])[]
).map(([name, tokenOf]) =>
  federated(name, async (service) => {
    const token = tokenOf(service);
    const { status, headers, body } = await service.signIn(token);
    expect(status).toBe(401);
    expect(headers["www-authenticate"]).toMatch(
      token === undefined ? /^Bearer error="invalid_request"/ : /^Bearer error="invalid_token"/,
    );
    expect(headers["content-type"]).toMatch(/^text\/html/);
    expect(body).toMatch(/<h1>Unauthorized<\/h1>/);
    expect(headers).not.toHaveProperty("x-openstack-request-id");
    expect(headers).not.toHaveProperty("x-subject-token");
  }),
);

function otherSignature(token: string, other: string): string {
  return token.replace(/[^.]*$/, other.replace(/^.*\./, ""));
}

const tooLong = ([8_190, 20_000] as const).map((length) =>
  federated(`400, for one of more than ${length} characters`, async (service) => {
    const answer = await service.signIn(service.oidcToken({ claims: { pad: "x".repeat(length) } }));
    expect([answer.status, answer.headers["content-type"]]).toEqual([
      400,
      expect.stringMatching(/^text\/html/),
    ]);
  }),
);

const FORBIDDEN = "You are not authorized to perform the requested action.";
const PROTOCOL = (id: string) =>
  `Could not find federated protocol ${id} for Identity Provider: ci.`;

const byKeystone: readonly ConformanceCase[] = (
  [
    ["an issuer that is not known", { iss: "https://elsewhere.example" }, [], 403, FORBIDDEN],
    ["the issuer of another identity provider", {}, ["ci-projects"], 403, FORBIDDEN],
    [
      "an unknown identity provider",
      {},
      ["no-such"],
      404,
      "Could not find Identity Provider: no-such.",
    ],
    [
      "an unknown protocol",
      {},
      ["ci", "no-such"],
      401,
      "Attempted to authenticate with an unsupported method.",
    ],
    ["a protocol that is not its own", {}, ["ci", "mapped"], 404, PROTOCOL("mapped")],
    [
      "another audience",
      { ...PROJECTS_PROVIDER, aud: "https://elsewhere.example" },
      ["ci-projects"],
      401,
      UNAUTHORIZED,
    ],
    [
      "several audiences, the right one among them",
      { ...PROJECTS_PROVIDER, aud: ["https://keystone.example", "https://elsewhere.example"] },
      ["ci-projects"],
      401,
      UNAUTHORIZED,
    ],
    ["no issuer", { claims: { iss: undefined } }, [], 401, UNAUTHORIZED],
    ["an empty subject", { sub: "" }, [], 401, UNAUTHORIZED],
  ] as readonly (readonly [
    string,
    OidcTokenOptions,
    readonly [provider?: string, protocol?: string],
    number,
    string,
  ])[]
).map(([name, options, place, status, message]) =>
  federated(name, async (service) => {
    const answer = await service.signIn(service.oidcToken(options), ...place);
    expect([answer.status, messageOf(answer.body)]).toEqual([status, message]);
    expect(answer.headers["x-openstack-request-id"]).toMatch(/^req-/);
    expect("www-authenticate" in answer.headers).toBe(status === 401);
  }),
);

const scoped: readonly ConformanceCase[] = [
  federated("no other scope than the permitted ones", async (service) => {
    const { token } = await unscoped(service, PROJECTS_PROVIDER);
    for (const scope of [
      service.accountScope,
      service.projectScope(PROJECTS.other),
      service.projectScope("no-such"),
    ]) {
      const answer = await service.exchange(token, scope);
      expect([answer.status, messageOf(answer.body)]).toEqual([401, UNAUTHORIZED]);
    }
  }),
  federated("one for another scope", async (service) => {
    const { token } = await unscoped(service);
    const first = service.take(await service.exchange(token, service.accountScope));
    const second = service.take(await service.exchange(first.token, service.projectScope()));
    expect(second.tokenBody.project?.name).toBe(PROJECTS.permitted);
  }),
  federated("the lists of its projects and accounts", async (service) => {
    const { token } = await unscoped(service, PROJECTS_PROVIDER);
    const names = async (kind: "projects" | "domains") => {
      const { body } = await service.send(`/identity/v3/auth/${kind}`, {
        headers: { "X-Auth-Token": token },
      });
      return JSON.parse(body)[kind].map(({ name }: { name: string }) => name);
    };
    expect([await names("projects"), await names("domains")]).toEqual([[PROJECTS.permitted], []]);
  }),
  federated("none after its revocation, which does not end those made of it", async (service) => {
    const { token } = await unscoped(service);
    const [one, two] = [
      service.take(await service.exchange(token, service.accountScope)),
      service.take(await service.exchange(token, service.projectScope())),
    ];
    await service.about("DELETE", one.token, one.token);
    expect([await service.accepts(one.token), await service.accepts(token)]).toEqual([false, true]);
    await service.about("DELETE", token, token);
    expect(await service.accepts(two.token)).toBe(true);
    const answer = await service.exchange(token, service.accountScope);
    expect([answer.status, messageOf(answer.body)]).toEqual([404, "Failed to validate token"]);
  }),
  federated("the validation of its own user's tokens alone", async (service) => {
    const [own, same, other] = [
      await unscoped(service, { sub: "a" }),
      await unscoped(service, { sub: "a" }),
      await unscoped(service, { sub: "b" }),
    ];
    const status = async (subject: string) => (await service.about("GET", own.token, subject))[0];
    expect([await status(same.token), await status(other.token)]).toEqual([200, 403]);
  }),
];

/** Signing in by the identity token of a CI system. */
export const FEDERATION: readonly ConformanceGroup[] = [
  { name: "a token by an identity token is issued", cases: issued },
  { name: "Apache refuses in the place of an identity token", cases: byApache },
  { name: "Apache answers", cases: tooLong },
  { name: "Keystone refuses an identity token with", cases: byKeystone },
  { name: "an unscoped token by an identity token gives", cases: scoped },
];
