import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import type { OidcTokenOptions } from "../../lib/testing";
import { signJwt } from "../../lib/testing/identity/oidc-issuer";
import { defined } from "../../lib/tokens";
import { startCommand } from "../support/command";
import { stillRunning } from "../support/processes";
import { makeScratch } from "../support/scratch";
import {
  CATALOG,
  CREDENTIALS,
  type Credential,
  endOf,
  type IdentityUnderTest,
  LOCKOUT,
  PROJECTS,
  PROVIDERS,
  type WantedCredential,
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
export const INSTALL_VARIABLE = "IAM_TOKENS_KEYSTONE";

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
  readonly base_url: string;
  readonly auth_url: string;
  readonly account: string;
  readonly users: Readonly<Record<string, { readonly password: string }>>;
  readonly admin: { readonly name: string; readonly domain: string; readonly password: string };
  readonly ca_file: string | null;
  readonly front: { readonly auth_url: string; readonly key_file: string } | null;
}

/**
 * Starts a real Keystone on a free port, with all its state in a folder that `stop()` removes.
 *
 * @param moreUsers so many service users more, `more-0` and so on, each with the access area
 * Account
 */
export async function startRealKeystone({
  tls = false,
  moreUsers = 0,
} = {}): Promise<IdentityUnderTest> {
  const scratch = makeScratch();
  const data = join(scratch.folder, "keystone");
  const env = {
    ...scratch.env,
    KEYSTONE_DATA: data,
    KEYSTONE_PORT: String(await freePort()),
    // The least that bcrypt has: the tests are not about its cost.
    KEYSTONE_BCRYPT_ROUNDS: "4",
    KEYSTONE_TLS: tls ? "1" : "0",
    KEYSTONE_FRONT_PORT: whyNoApache() === undefined ? String(await freePort()) : "",
    KEYSTONE_MORE_USERS: String(moreUsers),
    KEYSTONE_WORKERS: "2",
    KEYSTONE_CATALOG: JSON.stringify(CATALOG),
    KEYSTONE_INSTALL: process.env[INSTALL_VARIABLE] === "install" ? "1" : "0",
    KEYSTONE_EXTRA_CONF: [
      "[security_compliance]",
      `lockout_failure_attempts = ${LOCKOUT.failures}`,
      `lockout_duration = ${LOCKOUT.seconds}`,
    ].join("\n"),
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
    const ca = started.ca_file === null ? undefined : readFileSync(started.ca_file, "utf8");
    const passwordOf = (user: string) => started.users[user]?.password ?? `no-password-of-${user}`;
    const change = (user: string, given: object) => changeUser(started, ca, user, given);
    return {
      authUrl: started.auth_url,
      accountId: started.account,
      ca,
      user: "svc",
      projects: PROJECTS,
      exactTexts: true,
      ...federationOf(started),
      administrator: {
        disable: (user) => change(user, { enabled: false }),
        enable: (user) => change(user, { enabled: true }),
        changePassword: (user, password) => change(user, { password }),
      },
      credential: (name) => makeCredential(started, ca, CREDENTIALS[name], passwordOf),
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
  const oidcToken = ({ identityProvider, expiresIn = 300, claims, ...given }: OidcTokenOptions) => {
    const provider = PROVIDERS.find(({ id }) => id === (identityProvider ?? "ci"));
    const aud = provider !== undefined && "audience" in provider ? provider.audience : undefined;
    const iat = Math.floor(Date.now() / 1000);
    const own = { iss: provider?.issuer, sub: "job", aud, ...given, iat, exp: iat + expiresIn };
    return signJwt({ ...own, ...claims }, key, "ci");
  };
  return { federation: { authUrl: front.auth_url, oidcToken } };
}

/** As Keystone's administrator, by its API. */
async function changeUser(
  { admin, base_url: base }: Started,
  ca: string | undefined,
  name: string,
  change: object,
): Promise<void> {
  const user = { name: admin.name, domain: { name: admin.domain }, password: admin.password };
  const { token } = await signIn(base, ca, user, { system: { all: true } });
  const found = await ask(base, ca, "GET", `/users?name=${encodeURIComponent(name)}`, token);
  const { users } = JSON.parse(found.body) as {
    readonly users: readonly { readonly id: string }[];
  };
  await ask(base, ca, "PATCH", `/users/${users[0]?.id}`, token, { user: change });
}

/** As a user, by Keystone's API; each time another. */
async function makeCredential(
  { account, base_url: base }: Started,
  ca: string | undefined,
  wanted: WantedCredential,
  passwordOf: (user: string) => string,
): Promise<Credential> {
  const domain = { name: account };
  const user = { name: wanted.user, domain, password: passwordOf(wanted.user) };
  const project = { name: PROJECTS.permitted, domain };
  const { token, userId } = await signIn(base, ca, user, { project });
  const end = endOf(wanted);
  const { body } = await ask(base, ca, "POST", `/users/${userId}/application_credentials`, token, {
    application_credential: {
      name: `made-${randomUUID()}`,
      expires_at: end,
      unrestricted: wanted.unrestricted,
    },
  });
  const { id, name, secret } = JSON.parse(body).application_credential;
  return { id, name, secret, ...defined({ end }) };
}

async function signIn(base: string, ca: string | undefined, user: object, scope: object) {
  const { headers, body } = await ask(base, ca, "POST", "/auth/tokens", undefined, {
    auth: { identity: { methods: ["password"], password: { user } }, scope },
  });
  return { token: String(headers["x-subject-token"]), userId: JSON.parse(body).token.user.id };
}

async function ask(
  base: string,
  ca: string | undefined,
  method: string,
  path: string,
  token: string | undefined,
  body?: object,
) {
  const headers = {
    "Content-Type": "application/json",
    ...(token === undefined ? {} : { "X-Auth-Token": token }),
  };
  const answer = await request(`${base}/v3${path}`, {
    method,
    headers,
    body: JSON.stringify(body) ?? "",
    ca,
  });
  if (answer.status >= 300)
    throw new Error(`${method} ${path.split("?")[0]} was answered ${answer.status}.`);
  return answer;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
