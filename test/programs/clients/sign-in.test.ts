import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { ACCOUNT, type Scenario, scenarios } from "../../scenarios/world";
import { startCommand } from "../../support/command";
import { testIf } from "../../support/skips";

const openstack = "/usr/bin/openstack";
const needsOpenstack = testIf(
  spawnSync(openstack, ["--version"]).status === 0,
  "python3-openstackclient is not installed",
);

const SECRET = "canary-secret-of-the-credential";
const project = { project_name: "web", project_domain_name: ACCOUNT };
const user = { username: "deployer", user_domain_name: ACCOUNT };
const credential = { application_credential_secret: SECRET };

type Way = (stage: Scenario) => readonly [authType: string, auth: Readonly<Record<string, string>>];

const WAYS: Readonly<Record<string, Way>> = {
  password: ({ password }) => ["v3password", { ...user, password, ...project }],
  "application credential by id": () => [
    "v3applicationcredential",
    { application_credential_id: "web-credential", ...credential },
  ],
  "application credential by name": () => [
    "v3applicationcredential",
    { application_credential_name: "pipeline", ...user, ...credential },
  ],
  "identity token": ({ identity }) => [
    "v3oidcaccesstoken",
    {
      ...{ identity_provider: "ci", protocol: "openid", ...project },
      access_token: identity.oidcToken({ sub: "repo:example/shop" }),
    },
  ],
};

scenarios(
  "the command openstack signs in to the embedded service",
  (stage) => {
    for (const [way, partsOf] of Object.entries(WAYS))
      needsOpenstack(`${way}: by clouds.yaml, and by variables`, async () => {
        const { identity, scratch } = stage();
        const [auth_type, parts] = partsOf(stage());
        const auth = { auth_url: identity.keystoneUrl, ...parts };
        writeFileSync(
          join(scratch.folder, "clouds.yaml"),
          stringify({ clouds: { pipeline: { auth_type, identity_api_version: 3, auth } } }),
        );
        const variables = Object.entries({ auth_type, identity_api_version: "3", ...auth });
        for (const env of [
          { OS_CLOUD: "pipeline" },
          Object.fromEntries(variables.map(([name, value]) => [`OS_${name.toUpperCase()}`, value])),
        ]) {
          const { stdout, stderr } = await startCommand(
            openstack,
            ["token", "issue", "-f", "json"],
            { cwd: scratch.folder, env: { ...scratch.env, PYTHONDONTWRITEBYTECODE: "1", ...env } },
          ).finished;
          expect(identity.describeToken(JSON.parse(stdout || `"${stderr}"`).id)).toMatchObject({
            status: "valid",
            user: way === "identity token" ? "repo:example/shop" : "deployer",
            accountId: ACCOUNT,
            project: "web",
          });
        }
        expect(new Set(identity.journal.map(({ status }) => status))).toEqual(new Set([201]));
      });
  },
  {
    config: {
      applicationCredentials: [
        {
          id: "web-credential",
          name: "pipeline",
          user: "deployer",
          project: "web",
          secret: SECRET,
        },
      ],
      identityProviders: [{ id: "ci", permission: { account: true, projects: ["web"] } }],
    },
  },
);
