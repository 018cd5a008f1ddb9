import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { OidcTokenOptions } from "../../lib/testing";
import { signJwt } from "../../lib/testing/keystone/federation";
import { startCommand } from "../support/command";
import { freePort } from "../support/loopback-server";
import { stillRunning } from "../support/processes";
import { makeScratch } from "../support/scratch";
import {
  type Credential,
  type CredentialName,
  endOf,
  type IdentityUnderTest,
  optionsOf,
  PROJECTS,
  PROVIDERS,
} from "./identity-under-test";
import { type PlainAnswer, request } from "./plain-request";

const SERVER = join(__dirname, "server");
const PACKAGES = ["python3-keystone", "gunicorn"] as const;
/** For identity tokens. */
const FRONT_PACKAGES = ["apache2-bin", "libapache2-mod-auth-openidc"] as const;

// dpkg-query's own placeholder.
const STATUS_FORMAT = ["$", "{db:Status-Status}"].join("");

/**
 * Set to `install` (as `npm test -- keystone` does), missing packages are installed; otherwise
 * nothing is.
 */
const INSTALL_VARIABLE = "IAM_TOKENS_KEYSTONE";

/** Why a real Keystone cannot run here; undefined when it can. */
export function whyNoKeystone(): string | undefined {
  return whyNot(PACKAGES);
}

/** Why it cannot have Apache in front here, without which it accepts no identity tokens. */
export function whyNoApache(): string | undefined {
  return whyNot(FRONT_PACKAGES);
}

function whyNot(packages: readonly string[]): string | undefined {
  const installed = (name: string) =>
    spawnSync("dpkg-query", ["-W", "-f", STATUS_FORMAT, name]).stdout?.toString() === "installed";
  const missing = packages.filter((name) => !installed(name));
  if (missing.length === 0) return undefined;
  const what = `${missing.join(" and ")} not installed`;
  if (process.env[INSTALL_VARIABLE] !== "install")
    return `${what}, and ${INSTALL_VARIABLE} is not "install"`;
  if (spawnSync("apt-get", ["--version"]).status !== 0) return `${what}, and there is no apt-get`;
  return process.getuid?.() === 0 ? undefined : `${what}, and only root can install`;
}

/** The output of start.sh. */
interface Started {
  readonly auth_url: string;
  readonly account: string;
  /** The administrator's password. */
  readonly admin: string;
  readonly users: Readonly<Record<string, { readonly password: string }>>;
  readonly ca_file: string;
  readonly front: { readonly auth_url: string; readonly key_file: string } | null;
}

/**
 * Starts a real Keystone on a free port, by https, with all its state in a folder that `stop()`
 * removes.
 */
export async function startRealKeystone(): Promise<IdentityUnderTest> {
  const scratch = makeScratch();
  const env = {
    ...scratch.env,
    KEYSTONE_DATA: join(scratch.folder, "keystone"),
    KEYSTONE_PORT: String(await freePort()),
    KEYSTONE_FRONT_PORT: whyNoApache() === undefined ? String(await freePort()) : "",
    KEYSTONE_INSTALL: process.env[INSTALL_VARIABLE] === "install" ? "1" : "0",
    KEYSTONE_END_WITH: String(process.pid),
  };
  const stop = async () => {
    await startCommand(join(SERVER, "stop.sh"), [], { cwd: SERVER, env }).finished;
    const left = await stillRunning(scratch.marker);
    scratch.remove();
    if (left.length > 0)
      throw new Error(`Keystone left processes: ${left.map(({ command }) => command).join("; ")}`);
  };
  try {
    const { exitCode, stdout, stderr } = await startCommand(join(SERVER, "start.sh"), [], {
      cwd: SERVER,
      env,
      timeoutMs: 600_000,
    }).finished;
    // Standard output has passwords; standard error has none.
    if (exitCode !== 0)
      throw new Error(`Keystone did not start (${exitCode}):\n${stderr.slice(-4_000)}`);
    const started = JSON.parse(stdout) as Started;
    const ca = readFileSync(started.ca_file, "utf8");
    const passwordOf = (user: string) => started.users[user]?.password ?? `no-password-of-${user}`;
    return {
      authUrl: started.auth_url,
      accountId: started.account,
      ca,
      ...federationOf(started),
      credential: (name) => makeCredential(started, ca, name),
      admin: administrator(started, ca),
      passwordOf,
      stop,
    };
  } catch (error) {
    // The first error says more than what a broken start leaves.
    await stop().catch((left: Error) => process.stderr.write(`${left.message}\n`));
    throw error;
  }
}

/** Identity tokens that Apache in front accepts, signed with its issuer's key. */
function federationOf({ front }: Started): Pick<IdentityUnderTest, "federation"> {
  if (front === null) return {};
  const key = readFileSync(front.key_file, "utf8");
  const oidcToken = ({ identityProvider = "ci", expiresIn = 300, ...given }: OidcTokenOptions) => {
    const provider = PROVIDERS.find(({ id }) => id === identityProvider);
    const iat = Math.floor(Date.now() / 1000);
    const own = { iss: provider?.issuer, aud: provider?.audience, sub: "job" };
    return signJwt({ ...own, ...given, iat, exp: iat + expiresIn }, key, "ci");
  };
  return { federation: { authUrl: front.auth_url, oidcToken } };
}

type Post = (
  method: string,
  path: string,
  body?: object,
  token?: string,
) => Promise<PlainAnswer & { readonly json: Json }>;
// biome-ignore lint/suspicious/noExplicitAny: the assertions are its check
type Json = any;

/** Requests of Keystone's API. */
const requestsTo =
  ({ auth_url: authUrl }: Started, ca: string): Post =>
  async (method, path, body, token) => {
    const answer = await request(`${authUrl}/identity/v3${path}`, {
      method,
      headers: { "Content-Type": "application/json", ...(token && { "X-Auth-Token": token }) },
      ...(body && { body: JSON.stringify(body) }),
      ca,
    });
    if (answer.status >= 300) throw new Error(`${method} ${path} was answered ${answer.status}.`);
    return { ...answer, json: answer.body === "" ? undefined : JSON.parse(answer.body) };
  };

/** A token of a user, and who that is. */
async function signIn(ask: Post, user: object, scope: object) {
  const identity = { methods: ["password"], password: { user } };
  const { headers, json } = await ask("POST", "/auth/tokens", { auth: { identity, scope } });
  return { token: String(headers["x-subject-token"]), ...json.token };
}

const asAdmin = async (ask: Post, { admin: password }: Started) => {
  const user = { name: "admin", domain: { id: "default" }, password };
  const { token } = await signIn(ask, user, { system: { all: true } });
  return (method: string, path: string, body?: object) => ask(method, path, body, token);
};

/** What an administrator does to `svc-changing` and its project, and to `svc-second-factor`. */
function administrator(started: Started, ca: string): IdentityUnderTest["admin"] {
  const asking = async () => {
    const ask = await asAdmin(requestsTo(started, ca), started);
    const idOf = async (kind: string, name: string) =>
      (await ask("GET", `/${kind}s?name=${name}`)).json[`${kind}s`][0].id as string;
    const user = await idOf("user", "svc-changing");
    return { ask, idOf, user, project: await idOf("project", PROJECTS.other) };
  };
  return {
    enableProject: async (enabled) => {
      const { ask, project } = await asking();
      await ask("PATCH", `/projects/${project}`, { project: { enabled } });
    },
    enableUser: async (enabled) => {
      const { ask, user } = await asking();
      await ask("PATCH", `/users/${user}`, { user: { enabled } });
    },
    permit: async (on) => {
      const { ask, idOf, user, project } = await asking();
      const path = `/projects/${project}/users/${user}/roles/${await idOf("role", "member")}`;
      await ask(on ? "PUT" : "DELETE", path);
    },
    allowApplicationCredentials: async () => {
      const { ask, idOf } = await asking();
      const rules = [["password", "totp"], ["application_credential"]];
      const options = { multi_factor_auth_rules: rules };
      await ask("PATCH", `/users/${await idOf("user", "svc-second-factor")}`, {
        user: { options },
      });
    },
  };
}

/** As a user, by Keystone's API; each time another. */
async function makeCredential(
  started: Started,
  ca: string,
  name: CredentialName,
): Promise<Credential> {
  const ask = requestsTo(started, ca);
  const { user: owner, accessRules } = optionsOf(name);
  const domain = { name: started.account };
  const user = { name: owner, domain, password: started.users[owner]?.password };
  const scope = { project: { name: PROJECTS.permitted, domain } };
  const needsFactors = async (multi_factor_auth_enabled: boolean) => {
    const admin = await asAdmin(ask, started);
    const [{ id }] = (await admin("GET", `/users?name=${owner}`)).json.users;
    await admin("PATCH", `/users/${id}`, { user: { options: { multi_factor_auth_enabled } } });
  };
  // Otherwise its password gives no token that makes one.
  if (owner === "svc-second-factor") await needsFactors(false);
  const { token, user: who } = await signIn(ask, user, scope);
  const end = endOf(name);
  const rules = [{ service: "compute", method: "GET", path: "/v2.1/servers" }];
  const wanted = {
    name: `made-${randomUUID()}`,
    expires_at: end,
    ...(accessRules && { access_rules: rules }),
  };
  const made = await ask(
    "POST",
    `/users/${who.id}/application_credentials`,
    { application_credential: wanted },
    token,
  );
  if (owner === "svc-second-factor") await needsFactors(true);
  return { ...made.json.application_credential, end };
}
