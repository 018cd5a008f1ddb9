import type { EmbeddedIdentityService } from "../../../lib/testing";

export const ACCOUNT = "123456";
const SECRET = "canary-secret-of-the-credential";

/** A service for {@link signInFiles}. */
export const SIGN_IN_SERVICE = {
  accountId: ACCOUNT,
  serviceUsers: [
    { name: "deployer", password: "canary-password", permission: { projects: ["web"] } },
  ],
  applicationCredentials: [
    { id: "web-credential", name: "pipeline", user: "deployer", project: "web", secret: SECRET },
  ],
  identityProviders: [{ id: "ci", permission: { account: true, projects: ["web"] } }],
};

/** A way of signing in, as OpenStack's clients have it: the same files are for our provider. */
export interface SignInFiles {
  /** A clouds.yaml with the cloud `pipeline`. */
  readonly cloudsYaml: string;
  /** For a shell: `. openrc`. */
  readonly openrc: string;
  /** The user of its tokens. */
  readonly user: string;
  /** What no output may have. */
  readonly secrets: readonly string[];
}

/** The files of each way, for the project `web`. */
export function signInFiles(identity: EmbeddedIdentityService): Record<string, SignInFiles> {
  const { keystoneUrl } = identity;
  const accessToken = identity.oidcToken({ sub: "repo:example/shop" });
  const project = { project_name: "web", project_domain_name: ACCOUNT };
  const credential = "v3applicationcredential";
  return {
    "application credential by id": toFiles(credential, "deployer", [SECRET], {
      auth_url: keystoneUrl,
      application_credential_id: "web-credential",
      application_credential_secret: SECRET,
    }),
    "application credential by name": toFiles(credential, "deployer", [SECRET], {
      auth_url: keystoneUrl,
      application_credential_name: "pipeline",
      application_credential_secret: SECRET,
      username: "deployer",
      user_domain_name: ACCOUNT,
    }),
    "identity token": toFiles("v3oidcaccesstoken", "repo:example/shop", [accessToken], {
      auth_url: keystoneUrl,
      identity_provider: "ci",
      protocol: "openid",
      access_token: accessToken,
      ...project,
    }),
  };
}

function toFiles(
  authType: string,
  user: string,
  secrets: readonly string[],
  auth: Readonly<Record<string, string>>,
): SignInFiles {
  const inAuth = Object.entries(auth).map(([key, value]) => `      ${key}: "${value}"`);
  const variables = Object.entries({ auth_type: authType, ...auth }).map(
    ([key, value]) => `export OS_${key.toUpperCase()}='${value}'`,
  );
  return {
    cloudsYaml: `${[
      "clouds:",
      "  pipeline:",
      `    auth_type: ${authType}`,
      "    identity_api_version: 3",
      "    auth:",
      ...inAuth,
    ].join("\n")}\n`,
    openrc: `${["export OS_IDENTITY_API_VERSION=3", ...variables].join("\n")}\n`,
    user,
    secrets,
  };
}
