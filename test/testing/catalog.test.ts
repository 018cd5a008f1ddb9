import { InProcessIdentityService } from "../../lib/testing";
import { authBody, projectScope } from "./identity-client-of-a-test";

const PASSWORD = "canary-password";
const endpoint = { interface: "public", region_id: "RegionOne" } as const;
const catalog = [
  {
    type: "compute",
    name: "nova",
    id: "nova-id",
    endpoints: [
      { ...endpoint, id: "nova-public", url: "http://127.0.0.1:8774/v2.1", region: "RegionOne" },
      { ...endpoint, interface: "internal", url: "http://h/%(tenant_id)s/$(user_id)s/%%41" },
    ],
  },
  { type: "object-store", endpoints: [{ ...endpoint, url: "http://h/AUTH_$(project_id)s" }] },
] as const;

interface Entry {
  readonly type: string;
  readonly id: string;
  readonly endpoints: readonly { readonly id: string; readonly url: string }[];
}

async function tokenOf(scope: object, changed: object = {}, query = "") {
  const identity = InProcessIdentityService.create({
    accountId: "123456",
    serviceUsers: [
      { name: "deployer", password: PASSWORD, permission: { account: true, projects: ["web"] } },
    ],
    catalog,
    ...changed,
  });
  const { body, headers } = await identity.handle({
    method: "POST",
    url: `/identity/v3/auth/tokens${query}`,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(authBody({ password: PASSWORD, scope })),
  });
  const { token } = JSON.parse(body) as {
    readonly token: { readonly catalog?: readonly Entry[] } & Record<string, { id: string }>;
  };
  return { identity, token, header: headers["x-subject-token"] ?? "" };
}

const urlsOf = (entries: readonly Entry[] | undefined) =>
  Object.fromEntries(
    (entries ?? []).map((entry) => [entry.type, entry.endpoints.map((e) => e.url)]),
  );

test("a project token has the catalog, with ids in the place of substitutions", async () => {
  const { token } = await tokenOf(projectScope("web"));
  const [project, user] = [token.project?.id, token.user?.id];
  expect(urlsOf(token.catalog)).toEqual({
    identity: Array(3).fill("https://identity.invalid/identity/v3"),
    compute: ["http://127.0.0.1:8774/v2.1", `http://h/${project}/${user}/%41`],
    "object-store": [`http://h/AUTH_${project}`],
  });
  expect(token.catalog?.[1]).toMatchObject({
    id: "nova-id",
    name: "nova",
    endpoints: [
      { id: "nova-public", region: "RegionOne" },
      { id: expect.stringMatching(/^\w{32}$/) },
    ],
  });
});

test("an account token has no endpoint that needs a project", async () => {
  const { token } = await tokenOf({ domain: { name: "123456" } });
  expect(urlsOf(token.catalog)).toEqual({
    identity: expect.anything(),
    compute: ["http://127.0.0.1:8774/v2.1"],
    "object-store": [],
  });
});

test("?nocatalog leaves it out, and /auth/catalog has it", async () => {
  const { identity, token, header } = await tokenOf(projectScope("web"), {}, "?nocatalog");
  expect(token).not.toHaveProperty("catalog");
  const headers = { "X-Auth-Token": header };
  const { body } = await identity.handle({ url: "/identity/v3/auth/catalog", headers });
  const full = await tokenOf(projectScope("web"));
  expect(JSON.parse(body).catalog).toEqual(full.token.catalog);
});

test("an identity service of the configuration replaces the own one", async () => {
  const own = [{ type: "identity", endpoints: [{ ...endpoint, url: "http://proxy:5000/v3" }] }];
  const { token } = await tokenOf(projectScope("web"), { catalog: own });
  expect(urlsOf(token.catalog)).toEqual({ identity: ["http://proxy:5000/v3"] });
});

test("a region can be null, and ids are the same at each start", async () => {
  const [first, again] = await Promise.all(
    [0, 1].map(() =>
      tokenOf(projectScope("web"), {
        catalog: [
          { type: "x", endpoints: [{ interface: "admin", url: "http://h", region: null }] },
        ],
      }),
    ),
  );
  expect(first?.token.catalog).toEqual(again?.token.catalog);
  expect(first?.token.catalog?.[1]?.endpoints).toMatchObject([{ region: null, region_id: null }]);
});
