import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { EmbeddedIdentityService } from "../../../lib/testing";
import { startCommand } from "../../support/command";
import { goClient } from "../../support/go-clients";
import { makeScratch, type Scratch } from "../../support/scratch";
import { testIf } from "../../support/skips";
import { issue, projectScope } from "../../testing/identity-client-of-a-test";

const PASSWORD = "canary-password";
const SERVICE_PASSWORD = "canary-service-password";
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
describe("the command openstack", () => {
  const ifInstalled = testIf(
    spawnSync(openstack, ["--version"]).status === 0,
    "python3-openstackclient is not installed",
  );
  const ask = (...words: readonly string[]) =>
    run(openstack, [...words, "-f", "json"], variables());

  ifInstalled("token issue", async () => {
    const { id } = await ask("token", "issue");
    expect(identity.describeToken(id)).toMatchObject({ status: "valid", project: "web" });
  });

  ifInstalled("catalog list", async () => {
    const services = (await ask("catalog", "list")) as readonly { readonly Type: string }[];
    expect(services.map(({ Type }) => Type)).toEqual(["identity", "compute", "object-store"]);
  });

  ifInstalled("federation project list, and not project list", async () => {
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
