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
  PROJECTS,
  PROVIDERS,
} from "./identity-under-test";
import { request } from "./plain-request";

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
      timeoutMs: 300_000,
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
      passwordOf,
      stop,
    };
  } catch (error) {
    await stop();
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

/** As a user, by Keystone's API; each time another. */
async function makeCredential(
  { account, auth_url: authUrl, users }: Started,
  ca: string,
  name: CredentialName,
): Promise<Credential> {
  const domain = { name: account };
  const user = { name: "svc", domain, password: users.svc?.password };
  const scope = { project: { name: PROJECTS.permitted, domain } };
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const answer = await request(`${authUrl}/identity/v3${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
      ca,
    });
    if (answer.status !== 201) throw new Error(`POST ${path} was answered ${answer.status}.`);
    return { ...answer, json: JSON.parse(answer.body) };
  };
  const identity = { methods: ["password"], password: { user } };
  const { headers, json } = await post("/auth/tokens", { auth: { identity, scope } });
  const end = endOf(name);
  const wanted = { name: `made-${randomUUID()}`, expires_at: end };
  const made = await post(
    `/users/${json.token.user.id}/application_credentials`,
    { application_credential: wanted },
    { "X-Auth-Token": String(headers["x-subject-token"]) },
  );
  return { ...made.json.application_credential, end };
}
