import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { TokenScope } from "../../lib";
import { Secret } from "../../lib/tokens";
import { iamTokens } from "../scenarios/world";
import { startCommand } from "../support/command";
import { cachedProvider } from "../support/go-providers";
import { makeScratch } from "../support/scratch";
import { describeIf, testIf } from "../support/skips";
import { hasTerraform } from "../support/terraform";
import { contractSuite } from "./contract";
import { type IdentityUnderTest, PROJECTS } from "./identity-under-test";
import { appliedWithOpenstack } from "./openstack-provider";
import { accepts, statusOf } from "./plain-request";
import { startRealKeystone, whyNoApache, whyNoKeystone } from "./real-keystone";
import { RotatedStack } from "./rotated-stack";

const missing = whyNoKeystone();
// Jest counts a file whose tests are all skipped, and does not name it.
if (missing !== undefined) process.stderr.write(`Skipped: a real Keystone (${missing}).\n`);

const noApache = missing === undefined ? whyNoApache() : undefined;
if (noApache !== undefined)
  process.stderr.write(`Skipped: identity tokens at a real Keystone (${noApache}).\n`);

const revoke = async (keystone: IdentityUnderTest, token: string): Promise<void> =>
  expect(await statusOf(keystone, token, "DELETE")).toBe(204);

const OPENSTACK = "/usr/bin/openstack";
const ifOpenstack = testIf(
  missing === undefined && spawnSync(OPENSTACK, ["--version"]).status === 0,
  "python3-openstackclient is not installed",
);

// One Keystone for all: it takes longer to start than all that it is asked.
describeIf(missing === undefined, missing ?? "")("a real Keystone", () => {
  let keystone: IdentityUnderTest;

  // The same rows as for the embedded service, none left out: embedded.test.ts.
  const start = async () => {
    keystone = await startRealKeystone();
    return keystone;
  };
  contractSuite(start, { federation: noApache === undefined });

  testIf(hasTerraform(), "there is no Terraform here")(
    "a rotation by Terraform: the new token is valid, and the old one until it expires",
    async () => {
      const stack = await RotatedStack.open(keystone);
      try {
        const first = await stack.apply("1");
        expect(first).toMatchObject({ rotations: [1, 1], isAccepted: true });
        expect(await stack.apply("1")).toEqual(first);
        const second = await stack.apply("2");
        expect(second).toMatchObject({ rotations: [2, 2], isAccepted: true });
        expect(second.token).not.toBe(first.token);
        expect(await accepts(keystone, Secret.of(first.token))).toBe(true);
      } finally {
        await stack.close();
      }
    },
    120_000,
  );

  const withOpenstack = testIf(
    hasTerraform() && cachedProvider("openstack") !== null,
    "there is no Terraform here, or the OpenStack provider is not built",
  );
  withOpenstack(
    "the OpenStack provider uses our token where OS_CLOUD is withheld, otherwise its own",
    async () => {
      const withheld = await appliedWithOpenstack(keystone, ["--withhold", "OS_CLOUD"]);
      expect(withheld).toEqual({ used: expect.any(String), ours: withheld.used, requests: 1 });
      const withName = { OS_PROJECT_NAME: PROJECTS.permitted };
      for (const [options, variables] of [
        [[], {}],
        [["--withhold", "OS_CLOUD"], { ...withName, OS_PROJECT_DOMAIN_NAME: keystone.accountId }],
        [["--withhold", "OS_CLOUD"], { OS_DOMAIN_NAME: keystone.accountId }],
      ] as const) {
        const { used, ours } = await appliedWithOpenstack(keystone, options, variables);
        expect(ours).not.toBe(used);
      }
    },
    120_000,
  );

  testIf(hasTerraform(), "there is no Terraform here")(
    "tokens in a state and in a store that were revoked, or ended by another password, are rotated by the next apply",
    async () => {
      const stack = await RotatedStack.open(keystone);
      const password = keystone.passwordOf("svc");
      try {
        let { kept, token, rotations } = await stack.apply("1");
        for (const end of [
          () => Promise.all([kept, token].map((each) => revoke(keystone, each))),
          () => stack.changePassword(kept, "another-password-of-svc"),
          () => stack.changePassword(kept, password),
        ]) {
          expect((await stack.plan("1")).exitCode).toBe(0);
          await end();
          const { exitCode, text } = await stack.plan("1");
          expect(exitCode).toBe(2);
          expect(text).toContain("The service refuses a stored token");
          expect(text).toContain("The service refuses the token that the store holds");
          const before = rotations;
          ({ kept, token, rotations } = await stack.apply("1"));
          expect(rotations).toEqual(before.map((each) => Number(each) + 1));
          for (const each of [kept, token])
            expect(await accepts(keystone, Secret.of(each))).toBe(true);
        }
        expect((await stack.plan("1")).exitCode).toBe(0);
      } finally {
        await stack.close();
      }
    },
    120_000,
  );

  testIf(hasTerraform(), "there is no Terraform here")(
    "while the user lacks the role, runs fail and change nothing; afterwards the same tokens live",
    async () => {
      const scope = () => TokenScope.project(PROJECTS.other);
      const stack = await RotatedStack.open(keystone, { user: "svc-changing", scope });
      try {
        const { token, kept } = await stack.apply("1");
        await keystone.admin.permit(false);
        const lost = await stack.plan("1").finally(() => keystone.admin.permit(true));
        expect(lost.exitCode).toBe(1);
        expect(lost.text).toContain("ERR_CREDENTIALS_REJECTED");
        const after = await stack.apply("1");
        expect(after.isAccepted).toBe(true);
        expect(after).toMatchObject({ token, kept });
      } finally {
        await stack.close();
      }
    },
    120_000,
  );

  const WAYS = {
    password: async () => ({
      type: "v3password",
      auth: {
        username: "svc",
        password: keystone.passwordOf("svc"),
        user_domain_name: keystone.accountId,
        project_name: PROJECTS.permitted,
        project_domain_name: keystone.accountId,
      },
    }),
    "an application credential": async () => {
      const { id, secret } = await keystone.credential("usual");
      const auth = { application_credential_id: id, application_credential_secret: secret };
      return { type: "v3applicationcredential", auth };
    },
  };

  /** As `openstack` writes them: an openrc's exports, and a cloud. */
  const FORMS = {
    openrc: (_folder: string, cacert: string, type: string, auth: object) => ({
      OS_AUTH_TYPE: type,
      OS_IDENTITY_API_VERSION: "3",
      OS_REGION_NAME: "RegionOne",
      OS_INTERFACE: "public",
      OS_CACERT: cacert,
      ...Object.fromEntries(
        Object.entries(auth).map(([key, value]) => [`OS_${key.toUpperCase()}`, value]),
      ),
    }),
    "clouds.yaml": (folder: string, cacert: string, type: string, auth: object) => {
      const file = join(folder, "clouds.yaml");
      const rest = { region_name: "RegionOne", interface: "public", identity_api_version: 3 };
      const clouds = { openstack: { auth_type: type, auth, cacert, ...rest } };
      writeFileSync(file, stringify({ clouds }));
      return { OS_CLOUD: "openstack", OS_CLIENT_CONFIG_FILE: file };
    },
  };

  for (const [form, write] of Object.entries(FORMS))
    for (const [name, way] of Object.entries(WAYS))
      ifOpenstack(
        `the same ${form} for ${name} gives OpenStack's own client and us a token`,
        async () => {
          const scratch = makeScratch();
          try {
            const { type, auth } = await way();
            const ca = join(scratch.folder, "ca.pem");
            writeFileSync(ca, keystone.ca ?? "");
            const url = { auth_url: `${keystone.authUrl}/identity/v3` };
            const env = write(scratch.folder, ca, type, { ...url, ...auth });
            const theirs = await startCommand(OPENSTACK, ["token", "issue", "-f", "json"], {
              cwd: scratch.folder,
              env: { ...scratch.env, PYTHONDONTWRITEBYTECODE: "1", ...env },
            }).finished;
            const ours = await iamTokens(["issue", "--scope", "project", "--json"], {
              scratch,
              env,
            });
            expect([theirs.exitCode, ours.exitCode, ours.stderr]).toEqual([0, 0, ""]);
            const tokens = [JSON.parse(theirs.stdout).id, JSON.parse(ours.stdout).token];
            expect(tokens[0]).not.toBe(tokens[1]);
            for (const token of tokens)
              expect(await accepts(keystone, Secret.of(token))).toBe(true);
          } finally {
            scratch.remove();
          }
        },
        60_000,
      );
});
