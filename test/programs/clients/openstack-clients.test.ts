import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { EmbeddedIdentityService } from "../../../lib/testing";
import { iamTokens } from "../../scenarios/run-support";
import { startCommand } from "../../support/command";
import { goClient } from "../../support/go-clients";
import { makeScratch, type Scratch } from "../../support/scratch";
import { testIf } from "../../support/skips";
import { issue, projectScope } from "../../testing/identity-client-of-a-test";

const PASSWORD = "canary-password";
const SERVICE_PASSWORD = "canary-service-password";
const SECRET = "canary-application-credential-secret";
const COMPUTE = "http://127.0.0.1:8774/v2.1";

let identity: EmbeddedIdentityService;
let scratch: Scratch;

beforeAll(async () => {
  identity = await EmbeddedIdentityService.start({
    accountId: "123456",
    serviceUsers: [
      { name: "deployer", password: PASSWORD, permission: { account: true, projects: ["web"] } },
      {
        name: "nova",
        password: SERVICE_PASSWORD,
        permission: { projects: ["services"] },
        mayValidate: true,
      },
    ],
    applicationCredentials: [
      { id: "ac01", name: "ci", user: "deployer", project: "web", secret: SECRET },
    ],
    identityProviders: [{ id: "ci", permission: { projects: ["web"] } }],
    catalog: [
      { type: "compute", endpoints: [{ interface: "public", url: COMPUTE }] },
      {
        type: "object-store",
        endpoints: [{ interface: "public", url: "http://127.0.0.1:8080/v1/AUTH_%(project_id)s" }],
      },
    ],
  });
  scratch = makeScratch();
});
afterAll(async () => {
  await identity.stop();
  scratch.remove();
});
beforeEach(() => identity.clearJournal());

/** OS_… as the command of the identity server prints them. */
const variables = (user = "deployer", password = PASSWORD, project = "web") => ({
  OS_AUTH_URL: identity.keystoneUrl,
  OS_USERNAME: user,
  OS_PASSWORD: password,
  OS_USER_DOMAIN_NAME: "123456",
  OS_PROJECT_NAME: project,
  OS_PROJECT_DOMAIN_NAME: "123456",
});

/** gophercloud reads one variable for both domains. */
const forGophercloud = (...user: Parameters<typeof variables>) => ({
  ...variables(...user),
  OS_DOMAIN_NAME: "123456",
});

const issueToNova = () =>
  issue(identity, { user: "nova", password: SERVICE_PASSWORD, scope: projectScope("services") });

async function run(program: string, args: readonly string[], env: Record<string, string>) {
  const cwd = scratch.folder;
  const { stdout, stderr, exitCode } = await startCommand(program, args, {
    cwd,
    env: { ...scratch.env, PYTHONDONTWRITEBYTECODE: "1", ...env },
  }).finished;
  if (exitCode !== 0) throw new Error(`${program} ended with ${exitCode}: ${stderr.slice(-2_000)}`);
  return JSON.parse(stdout);
}

/** Debian's own, whatever other Python comes first in PATH. */
const PYTHON = "/usr/bin/python3";
const hasModules = (...names: readonly string[]) =>
  spawnSync(PYTHON, ["-c", `import ${names.join(", ")}`]).status === 0;

testIf(
  hasModules("keystoneauth1", "keystonemiddleware.auth_token", "webob"),
  "python3-keystonemiddleware is not installed",
)("keystoneauth signs in, and keystonemiddleware validates with a service user", async () => {
  const program = join(__dirname, "openstack-clients.py");
  const env = { PASSWORD, SERVICE_PASSWORD };
  expect(await run(PYTHON, [program, identity.keystoneUrl], env)).toEqual({
    wrong: "Unauthorized",
    compute: COMPUTE,
    // An account token has no endpoint that needs a project.
    "object-store": "EndpointNotFound",
    projects: ["web", "services"],
    called: {
      "User-Name": "deployer",
      "Project-Name": "web",
      "Project-Domain-Name": "123456",
      Roles: "reader,member",
      "Identity-Status": "Confirmed",
    },
    garbage: 401,
    none: 401,
    revoked: 401,
  });
});

const openstack = "/usr/bin/openstack";
const ifOpenstack = testIf(
  spawnSync(openstack, ["--version"]).status === 0,
  "python3-openstackclient is not installed",
);
describe("the command openstack", () => {
  const ask = (...words: readonly string[]) =>
    run(openstack, [...words, "-f", "json"], variables());

  ifOpenstack("token issue", async () => {
    const { id } = await ask("token", "issue");
    expect(identity.describeToken(id)).toMatchObject({ status: "valid", project: "web" });
  });

  ifOpenstack("catalog list", async () => {
    const services = (await ask("catalog", "list")) as readonly { readonly Type: string }[];
    expect(services.map(({ Type }) => Type)).toEqual(["identity", "compute", "object-store"]);
  });

  ifOpenstack("federation project list, and not project list", async () => {
    const projects = (await ask("federation", "project", "list")) as readonly { Name: string }[];
    expect(projects.map(({ Name }) => Name)).toEqual(["web", "services"]);
    await expect(ask("project", "list")).rejects.toThrow("404");
  });
});

testIf(goClient("gophercloud") !== null, "the program with gophercloud is not built here")(
  "gophercloud signs in, finds a service, lists its scopes, and validates another's token",
  async () => {
    const program = goClient("gophercloud") ?? "";
    expect(await run(program, [], forGophercloud())).toEqual({
      compute: `${COMPUTE}/`,
      projects: ["web", "services"],
      domains: ["123456"],
      catalog: ["identity", "compute", "object-store"],
      valid: true,
    });
    expect(identity.isValid(identity.issuedTokens().at(-1) ?? "")).toBe(false);
    const subject = await issue(identity, { password: PASSWORD, scope: projectScope("web") });
    const env = { ...forGophercloud("nova", SERVICE_PASSWORD, "services"), SUBJECT_TOKEN: subject };
    expect(await run(program, [], env)).toEqual({ user: "deployer", project: "web" });
    const notPermitted = { ...forGophercloud(), SUBJECT_TOKEN: await issueToNova() };
    await expect(run(program, [], notPermitted)).rejects.toThrow("403");
  },
);

/** Files and variables of OpenStack's clients, by the way of signing in, and the user of each. */
const WAYS: Readonly<
  Record<string, { type: string; auth: () => Record<string, string>; user: string }>
> = {
  "an application credential by id": {
    type: "v3applicationcredential",
    auth: () => ({ application_credential_id: "ac01", application_credential_secret: SECRET }),
    user: "deployer",
  },
  "an application credential by name": {
    type: "v3applicationcredential",
    auth: () => ({
      application_credential_name: "ci",
      application_credential_secret: SECRET,
      username: "deployer",
      user_domain_name: "123456",
    }),
    user: "deployer",
  },
  "an identity token": {
    type: "v3oidcaccesstoken",
    auth: () => ({
      identity_provider: "ci",
      protocol: "openid",
      access_token: identity.oidcToken({ sub: "repo:example/shop" }),
      project_name: "web",
      project_domain_name: "123456",
    }),
    user: "repo:example/shop",
  },
};

/** As `openstack` writes them: an openrc's exports, and a cloud. */
const FORMS: Readonly<
  Record<string, (type: string, auth: Record<string, string>) => Record<string, string>>
> = {
  openrc: (type, auth) => ({
    OS_AUTH_TYPE: type,
    OS_IDENTITY_API_VERSION: "3",
    OS_REGION_NAME: "RegionOne",
    OS_INTERFACE: "public",
    ...Object.fromEntries(
      Object.entries(auth).map(([key, value]) => [`OS_${key.toUpperCase()}`, value]),
    ),
  }),
  "clouds.yaml": (type, auth) => {
    const file = join(scratch.folder, "clouds.yaml");
    const cloud = {
      auth_type: type,
      auth,
      region_name: "RegionOne",
      interface: "public",
      identity_api_version: 3,
    };
    writeFileSync(file, stringify({ clouds: { openstack: cloud } }));
    return { OS_CLOUD: "openstack", OS_CLIENT_CONFIG_FILE: file };
  },
};

describe.each(
  Object.keys(FORMS).flatMap((form) => Object.keys(WAYS).map((name) => ({ form, name }))),
)("the same $form for $name, unchanged", ({ form, name }) => {
  ifOpenstack("gives openstack and us the same token", async () => {
    const { type, auth, user } = WAYS[name] as (typeof WAYS)[string];
    const env = FORMS[form]?.(type, { auth_url: identity.keystoneUrl, ...auth() }) ?? {};
    const { id: theirs } = await run(openstack, ["token", "issue", "-f", "json"], env);
    const issued = await iamTokens(["issue", "--scope", "project", "--json"], { scratch, env });
    expect(issued.stderr).toBe("");
    const ours = JSON.parse(issued.stdout).token;
    expect(ours).not.toBe(theirs);
    for (const token of [theirs, ours])
      expect(identity.describeToken(token)).toMatchObject({
        status: "valid",
        user,
        project: "web",
      });
  });
});
