import { CATALOG, PROJECTS } from "../identity-under-test";
import type { ConformanceCase, ConformanceGroup } from "./case";
import { UNAUTHORIZED } from "./exchanges";
import { type CatalogEntry, messageOf, type ServiceHands, type TokenBody } from "./service-hands";

const NO_RULE = "You are not authorized to perform the requested action.";

/** What `/auth/…` answers to a token. */
interface List {
  readonly status: number;
  /** Of an error. */
  readonly message?: string;
  readonly links?: object;
  readonly catalog?: readonly CatalogEntry[];
  readonly projects?: readonly Item[];
  readonly domains?: readonly Item[];
}

type Item = Readonly<Record<string, unknown>>;

async function list(service: ServiceHands, name: string, token: string): Promise<List> {
  const headers = { "X-Auth-Token": token };
  const { status, body } = await service.send(`/identity/v3/auth/${name}`, { headers });
  return { status, ...(status === 200 ? JSON.parse(body) : { message: messageOf(body) }) };
}

/** Without what is made up, in an order that means nothing. */
const entriesOf = (catalog: readonly CatalogEntry[] | undefined) =>
  (catalog ?? [])
    .map(({ type, name, endpoints }) => ({
      type,
      name,
      endpoints: endpoints
        .map(({ interface: which, region_id, region, url }) => [which, region_id, region, url])
        .sort(),
    }))
    .sort((one, other) => (one.type < other.type ? -1 : 1));

interface Endpoint {
  readonly interface: string;
  readonly region_id: string | null;
  readonly url: string;
}

/** The catalog that the body of a token must have. */
function expectedEntries(service: ServiceHands, { user, project }: TokenBody) {
  const address = { region_id: "RegionOne", url: `${service.mount}/v3` };
  const own = ["public", "internal", "admin"].map((name) => ({ interface: name, ...address }));
  const substituted = (endpoints: readonly Endpoint[]) =>
    endpoints
      .filter(({ url }) => project !== undefined || !/(project|tenant)_id/.test(url))
      .map(({ url, ...endpoint }) => ({
        ...endpoint,
        region: endpoint.region_id,
        url: url
          .replace(/[%$]\((project|tenant)_id\)s/, project?.id ?? "")
          .replace("%(user_id)s", user.id)
          .replace("%%", "%"),
      }));
  return entriesOf(
    [{ type: "identity", name: "keystone", endpoints: own }, ...CATALOG].map(
      ({ endpoints, ...entry }) => ({ ...entry, endpoints: substituted(endpoints) }),
    ),
  );
}

const catalog: readonly ConformanceCase[] = [
  ...(["account", "project"] as const).map(
    (scope): ConformanceCase => ({
      name: `in the body of a token for the ${scope}`,
      needs: ["users"],
      run: async (service) => {
        const asked = scope === "account" ? service.accountScope : service.projectScope();
        const { tokenBody } = await service.issue(undefined, asked);
        expect(entriesOf(tokenBody.catalog)).toEqual(expectedEntries(service, tokenBody));
      },
    }),
  ),
  {
    name: "of its own address: the same as in the body",
    needs: ["project"],
    run: async (service) => {
      const { token, tokenBody } = await service.issue(undefined, service.projectScope());
      const { catalog: entries, ...rest } = await list(service, "catalog?nocatalog", token);
      expect(entries).toEqual(tokenBody.catalog);
      expect(rest).toEqual({ status: 200, links: { self: `${service.mount}/v3/auth/catalog` } });
    },
  },
  ...(["account", "unscoped"] as const).map(
    (scope): ConformanceCase => ({
      name: `of its own address, not for ${scope}`,
      run: async (service) => {
        const asked = scope === "account" ? service.accountScope : "unscoped";
        const { token } = await service.issue(undefined, asked);
        const { status, message } = await list(service, "catalog", token);
        expect([status, message]).toEqual([
          403,
          service.service.exactTexts ? NO_RULE : expect.anything(),
        ]);
      },
    }),
  ),
];

/** The names in a list, after a look at its items. */
async function names(service: ServiceHands, kind: "projects" | "domains", token: string) {
  const { [kind]: items = [], links } = await list(service, kind, token);
  const self = `${service.mount}/v3/auth/${kind}`;
  expect(links).toEqual({ next: null, self, previous: null });
  for (const { id, name, ...item } of items) {
    const of = { domain_id: item.domain_id, parent_id: item.domain_id, is_domain: false };
    expect([typeof id, typeof name, item]).toEqual([
      "string",
      "string",
      {
        description: "",
        enabled: true,
        tags: [],
        options: {},
        links: { self: `${service.mount}/v3/${kind}/${id}` },
        ...(kind === "projects" ? of : {}),
      },
    ]);
  }
  return items.map(({ name }) => name).sort();
}

const scopes: readonly ConformanceCase[] = [
  ...["unscoped", "account", "project"].map(
    (scope): ConformanceCase => ({
      name: `the same whatever the token's scope: ${scope}`,
      needs: ["users"],
      run: async (service) => {
        const asked = { unscoped: "unscoped", account: service.accountScope }[scope];
        const { token } = await service.issue("svc", asked ?? service.projectScope());
        expect(await names(service, "projects", token)).toEqual(Object.values(PROJECTS));
        expect(await names(service, "domains", token)).toEqual([service.service.accountId]);
      },
    }),
  ),
  {
    name: "of a user for one project",
    needs: ["users"],
    run: async (service) => {
      const { token } = await service.issue("svc-projects-only", service.projectScope());
      expect(await names(service, "projects", token)).toEqual([PROJECTS.permitted]);
      expect(await names(service, "domains", token)).toEqual([]);
    },
  },
  {
    name: "of a user without permission",
    needs: ["users"],
    run: async (service) => {
      const { token } = await service.issue("svc-no-permission", "unscoped");
      expect(await names(service, "projects", token)).toEqual([]);
      expect(await names(service, "domains", token)).toEqual([]);
    },
  },
  {
    name: "the address of the list has the query, which filters nothing",
    needs: ["users"],
    run: async (service) => {
      const { token } = await service.issue();
      const answer = await list(service, "projects?name=no-such", token);
      expect(answer).toMatchObject({
        projects: [expect.anything(), expect.anything()],
        links: { self: `${service.mount}/v3/auth/projects?name=no-such` },
      });
    },
  },
];

const callers: readonly ConformanceCase[] = ["catalog", "projects", "domains"].flatMap((name) => [
  {
    name: `${name}: only with a token that is valid`,
    run: async (service: ServiceHands) => {
      for (const token of ["", "bad"]) {
        const { status, message } = await list(service, name, token);
        expect([status, message]).toEqual([
          401,
          service.service.exactTexts ? UNAUTHORIZED : expect.anything(),
        ]);
      }
    },
  },
  {
    name: `${name}: HEAD, OPTIONS, and nothing else`,
    needs: ["revocation", "project"] as const,
    run: async (service: ServiceHands) => {
      const { token } = await service.issue(undefined, service.projectScope());
      const ask = async (method: string) => {
        const path = `/identity/v3/auth/${name}/`;
        const answer = await service.send(path, { method, headers: { "X-Auth-Token": token } });
        return [answer.status, String(answer.headers.allow).split(", ").sort().join(", ")];
      };
      const allow = "GET, HEAD, OPTIONS";
      expect(await ask("HEAD")).toEqual([200, "undefined"]);
      expect(await ask("OPTIONS")).toEqual([200, allow]);
      for (const method of ["POST", "PUT", "DELETE"])
        expect(await ask(method)).toEqual([405, allow]);
    },
  },
]);

/** What a token's owner can look up: the catalog, and the scopes of further tokens. */
export const AUTH_LISTS: readonly ConformanceGroup[] = [
  { name: "the catalog", cases: catalog },
  { name: "projects and accounts of a user", cases: scopes },
  { name: "lists", cases: callers },
];
