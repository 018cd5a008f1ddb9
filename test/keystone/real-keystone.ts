import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { startCommand } from "../support/command";
import { stillRunning } from "../support/processes";
import { makeScratch } from "../support/scratch";
import type { IdentityUnderTest } from "./identity-under-test";

const SERVER = join(__dirname, "server");
const PACKAGES = ["python3-keystone", "gunicorn"] as const;

// dpkg-query's own placeholder.
const STATUS_FORMAT = ["$", "{db:Status-Status}"].join("");

/** Set to `install` (as `npm run test:keystone` does), missing packages are installed; otherwise nothing is. */
export const INSTALL_VARIABLE = "IAM_TOKENS_KEYSTONE";

/** Why a real Keystone cannot run here; undefined when it can. */
export function whyNoKeystone(): string | undefined {
  const installed = (name: string) =>
    spawnSync("dpkg-query", ["-W", "-f", STATUS_FORMAT, name]).stdout?.toString() === "installed";
  const missing = PACKAGES.filter((name) => !installed(name));
  if (missing.length === 0) return undefined;
  const what = `${missing.join(" and ")} not installed`;
  if (process.env[INSTALL_VARIABLE] !== "install") return `${what}, and ${INSTALL_VARIABLE} is not "install"`;
  if (spawnSync("apt-get", ["--version"]).status !== 0) return `${what}, and there is no apt-get`;
  return process.getuid?.() === 0 ? undefined : `${what}, and only root can install`;
}

/** What start.sh prints. */
interface Started {
  readonly base_url: string;
  readonly auth_url: string;
  readonly account: string;
  readonly users: Readonly<Record<string, { readonly password: string }>>;
  readonly ca_file: string | null;
}

/** Starts a real Keystone on a free port, with all its state in a folder that `stop()` removes. */
export async function startRealKeystone({ tls = false } = {}): Promise<IdentityUnderTest> {
  const scratch = makeScratch();
  const data = join(scratch.folder, "keystone");
  const env = {
    ...scratch.env,
    KEYSTONE_DATA: data,
    KEYSTONE_PORT: String(await freePort()),
    // The least that bcrypt has: the tests are not about its cost.
    KEYSTONE_BCRYPT_ROUNDS: "4",
    KEYSTONE_TLS: tls ? "1" : "0",
    KEYSTONE_INSTALL: process.env[INSTALL_VARIABLE] === "install" ? "1" : "0",
    KEYSTONE_END_WITH: String(process.pid),
  };
  const stop = async () => {
    await startCommand(join(SERVER, "stop.sh"), [], { cwd: SERVER, env }).finished;
    const left = await stillRunning(scratch.marker);
    scratch.remove();
    if (left.length > 0) throw new Error(`Keystone left processes: ${left.map(({ command }) => command).join("; ")}`);
  };
  try {
    const { exitCode, stdout, stderr } = await startCommand(join(SERVER, "start.sh"), [], {
      cwd: SERVER,
      env,
      timeoutMs: 300_000,
    }).finished;
    // Standard output has passwords; standard error has none.
    if (exitCode !== 0) throw new Error(`Keystone did not start (${exitCode}):\n${stderr.slice(-4_000)}`);
    const started = JSON.parse(stdout) as Started;
    return {
      authUrl: started.auth_url,
      accountId: started.account,
      ca: started.ca_file === null ? undefined : readFileSync(started.ca_file, "utf8"),
      passwordOf: (user) => started.users[user]?.password ?? `no-password-of-${user}`,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
