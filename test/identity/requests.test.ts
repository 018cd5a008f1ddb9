import type { Scope, User } from "../../lib/identity";
import { issueRequest, revokeRequest, validateRequest } from "../../lib/identity/requests";
import { parseAuthUrl, Secret } from "../../lib/tokens";
import { ACCOUNT, credentialAt, PASSWORD_CANARY, TOKEN_CANARY } from "./support/wanted";
import { applicationCredential } from "./ways/wishes";

const credential = credentialAt("https://cloud.api.example.com");
const user = { name: "deployer", domain: { name: "123456" }, password: PASSWORD_CANARY };
const bodyOf = (text: string | undefined): unknown => JSON.parse(text ?? "null");

describe("the request that issues a token", () => {
  test("is a POST of JSON to the address of the spec, without credentials in its headers", () => {
    const request = issueRequest(credential, ACCOUNT);
    expect(request.method).toBe("POST");
    expect(request.url).toBe("https://cloud.api.example.com/identity/v3/auth/tokens");
    expect(request.headers).toEqual({
      "content-type": "application/json",
      accept: "application/json",
      "accept-encoding": "identity",
    });
  });

  test("reads the bodies that say something", () => {
    for (const by of [credential, applicationCredential()])
      expect(issueRequest(by, ACCOUNT).bodyOf).toEqual([201, 400, 401, 403, 404]);
  });

  test("has the account as its scope, and nothing that the spec does not name", () => {
    expect(bodyOf(issueRequest(credential, ACCOUNT).body)).toEqual({
      auth: {
        identity: { methods: ["password"], password: { user } },
        scope: { domain: { name: "123456" } },
      },
    });
  });

  test.each<[what: string, User, Scope, scope: object]>([
    [
      "an account's id",
      { id: "u1" },
      { kind: "account", account: { id: "d1" } },
      { domain: { id: "d1" } },
    ],
    [
      "a project's id",
      { id: "u1" },
      { kind: "project", project: { id: "p1" } },
      { project: { id: "p1" } },
    ],
    [
      "names",
      { name: "u", domain: { id: "d1" } },
      { kind: "project", project: { name: '日本 "\\\n', domain: { name: "d2" } } },
      { project: { name: '日本 "\\\n', domain: { name: "d2" } } },
    ],
  ])("is the JSON of its references: %s", (_what, user, scope, sent) => {
    expect(bodyOf(issueRequest({ ...credential, user }, scope).body)).toEqual({
      auth: {
        identity: {
          methods: ["password"],
          password: { user: { ...user, password: PASSWORD_CANARY } },
        },
        scope: sent,
      },
    });
  });
});

test.each([
  // The body says whether Keystone answers.
  ["revokes a token", revokeRequest, "DELETE", [401, 403, 404]],
  ["asks about a token", validateRequest, "HEAD", undefined],
])(
  "the request that %s carries it in both headers, and has no body",
  (_, request, method, bodyOf) => {
    const authUrl = parseAuthUrl("https://keystone.example/v3");
    expect(request({ authUrl, token: Secret.of(TOKEN_CANARY) })).toEqual({
      method,
      bodyOf,
      url: "https://keystone.example/v3/auth/tokens",
      headers: {
        accept: "application/json",
        "accept-encoding": "identity",
        "x-auth-token": TOKEN_CANARY,
        "x-subject-token": TOKEN_CANARY,
        "openstack-identity-access-rules": "1.0",
      },
      secret: expect.any(Secret),
    });
  },
);
