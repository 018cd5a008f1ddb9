import type { IssueRequest } from "../../../lib/identity";
import { CredentialKeys } from "../../../lib/identity/cache/credential-key";
import { isReusable, remainingAt, type UnscopedToken } from "../../../lib/identity/issued-token";
import { limitsOf } from "../../../lib/identity/limits";
import { Secret } from "../../../lib/tokens";
import {
  DOMAIN,
  HOUR,
  NOW,
  PASSWORD_CANARY,
  type PasswordCredential,
  project,
  requestAt,
} from "../support/wanted";
import { applicationCredential, federated, wish } from "../ways/wishes";

describe("the key of a credential", () => {
  const keys = new CredentialKeys();
  const base = requestAt("https://k.example");
  const of = (over: Partial<PasswordCredential>): IssueRequest => ({
    ...base,
    credential: { ...base.credential, ...over },
  });
  const key = (request: IssueRequest) => keys.of(request).key;

  test("is another one for each part that differs, and not for a lifetime", () => {
    const different: readonly IssueRequest[] = [
      base,
      requestAt("https://l.example"),
      of({ user: { name: "deployer", domain: { name: "654321" } } }),
      of({ user: { name: "deployer", domain: { id: "123456" } } }),
      of({ user: { name: "other", domain: DOMAIN } }),
      of({ user: { id: "deployer" } }),
      of({ secret: Secret.of("other") }),
      // Equal when joined.
      of({ user: { name: 'a","b', domain: { name: "c" } } }),
      of({ user: { name: "a", domain: { name: 'b","c' } } }),
      { ...base, scope: project("web") },
      { ...base, scope: project("shop") },
      { ...base, scope: { kind: "project", project: { id: "web" } } },
      { ...base, scope: { kind: "account", account: { id: "123456" } } },
      { ...base, tls: { ca: "x" } },
      { ...base, tls: { cert: "x" } },
      { ...base, tls: { key: Secret.of("x") } },
      ...[
        {},
        { secret: Secret.of("other") },
        { by: { id: "other" } },
        { by: { name: "pipeline", user: { name: "deployer", domain: DOMAIN } } },
        { by: { name: "pipeline", user: { id: "deployer" } } },
      ].map((over) => wish(applicationCredential(over))),
    ];
    expect(new Set(different.map(key)).size).toBe(different.length);
    expect(key({ ...base, minRemainingMs: 5 })).toBe(key(base));
    expect(key(wish(applicationCredential(), { scope: project("web") }))).toBe(
      key(wish(applicationCredential())),
    );
  });

  test("of a user has all but the secret and the scope; of a service, the certificates", () => {
    const user = (request: IssueRequest) => keys.of(request).user;
    expect(user(of({ secret: Secret.of("other") }))).toBe(user(base));
    expect(user({ ...base, scope: project("web"), tls: { ca: "x" } })).toBe(user(base));
    expect(user(of({ user: { id: "deployer" } }))).not.toBe(user(base));
    expect(user(requestAt("https://l.example"))).not.toBe(user(base));
    expect(user(base)).not.toBe(keys.of(base).login);
    expect(keys.ofService("a", { ca: "x" })).not.toBe(keys.ofService("a", undefined));
  });

  test("differs between processes, and contains no secret", () => {
    expect(key(base)).not.toBe(new CredentialKeys().of(base).key);
    const tls = { cert: "x", key: Secret.of("CANARY-key") };
    const place = Secret.of("CANARY-identity");
    const credential = federated({ place });
    const all = [
      keys.of({ ...base, tls }),
      keys.of(wish(credential, { tls })),
      keys.ofSignIn({ credential, tls }, place),
      keys.ofService("a", tls),
    ];
    expect(PASSWORD_CANARY).toContain("CANARY");
    expect(JSON.stringify(all)).not.toContain("CANARY");
  });

  test("has another digest for each secret, of another bundle of the package as well", () => {
    let other = Secret;
    jest.isolateModules(() => {
      other = (require("../../../lib/tokens") as { Secret: typeof Secret }).Secret;
    });
    expect(other).not.toBe(Secret);
    const secrets = [Secret.of("a"), Secret.of("b"), other.of("c"), other.of("d")];
    const distinct = (of: (secret: Secret) => unknown) => new Set(secrets.map(of)).size;
    expect(distinct((secret) => key(of({ secret })))).toBe(4);
    expect(distinct((key) => keys.ofService("a", { key }))).toBe(4);
    expect(distinct((place) => keys.of(wish(federated({ place }))).key)).toBe(4);
    expect(distinct((secret) => keys.digest(secret))).toBe(4);
    expect(keys.digest(other.of("a"))).toBe(keys.digest(Secret.of("a")));
  });
});

describe("the remaining life of a token", () => {
  const limits = limitsOf();
  const timed = (lifetimeMs: number): UnscopedToken => ({
    token: Secret.of("t"),
    // The service's clock is a day behind ours: it must not matter.
    issuedAt: new Date(NOW - 24 * HOUR),
    expiresAt: new Date(NOW - 24 * HOUR + lifetimeMs),
    remainingMs: lifetimeMs,
    receivedAt: NOW,
  });

  test("is zero if our clock was put back", () => {
    expect(remainingAt(timed(24 * HOUR), NOW - 1)).toBe(0);
  });

  test.each<[number, number | null, number, boolean]>([
    [24 * HOUR, null, 22 * HOUR, true],
    [24 * HOUR, null, 22 * HOUR + 1, false],
    [HOUR, null, HOUR / 2, true],
    [HOUR, null, HOUR / 2 + 1, false],
    [24 * HOUR, 10 * HOUR, 14 * HOUR, true],
    [24 * HOUR, 10 * HOUR, 14 * HOUR + 1, false],
    [24 * HOUR, 1000, 24 * HOUR - 1000, true],
    [24 * HOUR, 1, 24 * HOUR, false],
    [24 * HOUR, null, 0, true],
    [24 * HOUR, 0, 24 * HOUR - 1, true],
    [24 * HOUR, 0, 24 * HOUR, false],
  ])(
    "a token of %d ms, requested for %j ms, is reused after %d ms: %j",
    (lifetime, min, age, reused) => {
      expect(isReusable(timed(lifetime), min ?? undefined, NOW + age, limits)).toBe(reused);
    },
  );
});
