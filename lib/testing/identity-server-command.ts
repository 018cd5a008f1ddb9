import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { IamTokensError } from "../tokens";
import { EmbeddedIdentityService } from "./embedded-identity-service";
import type { EmbeddedIdentityConfig } from "./identity/config";
import { PASSWORD_VARIABLE, readConfigFile, toDefaultConfig } from "./identity-server-config";
import {
  type IdentityServerOptions,
  parseIdentityServerArguments,
  USAGE,
} from "./identity-server-options";

/** What the command touches of its process. */
export interface IdentityServerProcess {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
  /** Resolves when the server is to end. */
  readonly untilStopped: Promise<unknown>;
}

const DEFAULT_PORT = 35_357;

/**
 * The identity server as a command: starts, says how to point a stack at it, and ends cleanly when
 * told to.
 *
 * No password is printed: a made one goes into an owner-only file, which is removed at the end.
 *
 * @returns the exit code: 0, 1 when it cannot start, 2 for wrong arguments
 */
export async function runIdentityServer(process: IdentityServerProcess): Promise<number> {
  try {
    const options = parseIdentityServerArguments(process.argv);
    if (options.help) process.print(USAGE);
    else await serve(options, process);
    return 0;
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    process.printError(`${error.message}\n`);
    return error.code === "ERR_USAGE" ? 2 : 1;
  }
}

async function serve(
  options: IdentityServerOptions,
  process: IdentityServerProcess,
): Promise<void> {
  const folder = new HandOverFolder();
  try {
    const { config, passwordFile } = toConfig(options, process.env, folder);
    // What a file says about host and port stays, unless the command line says more; its form is
    // checked by start().
    const identity = await EmbeddedIdentityService.start({
      port: DEFAULT_PORT,
      ...(config as EmbeddedIdentityConfig),
      ...(options.host === undefined ? {} : { host: options.host }),
      ...(options.port === undefined ? {} : { port: options.port }),
    });
    try {
      const caFile = identity.ca === undefined ? null : folder.write("ca.pem", identity.ca);
      const client = identity.clientCertificate;
      const certFile = client === undefined ? null : folder.write("client.pem", client.certificate);
      const keyFile = client === undefined ? null : folder.write("client-key.pem", client.key);
      const { authUrl, keystoneUrl } = identity;
      const facts = { authUrl, keystoneUrl, passwordFile, caFile, certFile, keyFile };
      process.print(
        options.json ? `${JSON.stringify(facts)}\n` : describe(facts, options.configFile),
      );
      if (!identity.loopbackOnly) {
        process.printError(
          "Warning: this server is reachable from other machines. It is for tests only.\n",
        );
      }
      await process.untilStopped;
    } finally {
      await identity.stop();
    }
  } finally {
    folder.remove();
  }
}

function toConfig(
  { configFile }: IdentityServerOptions,
  env: IdentityServerProcess["env"],
  folder: HandOverFolder,
): { readonly config: unknown; readonly passwordFile: string | null } {
  if (configFile !== undefined)
    return { config: readConfigFile(configFile, env), passwordFile: null };
  const given = env[PASSWORD_VARIABLE];
  if (given !== undefined && given !== "")
    return { config: toDefaultConfig(given), passwordFile: null };
  const password = randomBytes(24).toString("base64url");
  return { config: toDefaultConfig(password), passwordFile: folder.write("password", password) };
}

/**
 * What is handed over by file: in a folder that only its owner can enter, made when it is needed,
 * removed at the end.
 */
class HandOverFolder {
  #folder: string | undefined;

  write(name: string, content: string): string {
    // mkdtemp takes a name that nobody can take first, and gives the folder to its owner alone.
    this.#folder ??= mkdtempSync(join(tmpdir(), "iam-tokens-identity-server-"));
    const file = join(this.#folder, name);
    writeFileSync(file, content, { mode: 0o600, flag: "wx" });
    return file;
  }

  remove(): void {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** What is handed over: with files, and not by values, where something is secret. */
interface Facts {
  readonly authUrl: string;
  readonly passwordFile: string | null;
  readonly caFile: string | null;
  readonly certFile: string | null;
  readonly keyFile: string | null;
}

function describe(
  { authUrl, passwordFile, caFile, certFile, keyFile }: Facts,
  configFile: string | undefined,
): string {
  if (configFile !== undefined) {
    return [
      `Identity service (for tests only): ${authUrl}`,
      `Accounts and service users: those of ${configFile}`,
      ...(caFile === null ? [] : [`CA to trust: ${caFile} (removed at the end)`]),
      ...(certFile === null
        ? []
        : [`Client certificate: ${certFile}, its key: ${keyFile} (removed at the end)`]),
      "Ctrl-C ends it.",
      "",
    ].join("\n");
  }
  const password =
    passwordFile === null
      ? [`password      that of ${PASSWORD_VARIABLE}`]
      : [
          `password      in ${passwordFile} (removed at the end); in the terminal of the stack:`,
          "",
          `  export ${PASSWORD_VARIABLE}="$(cat ${passwordFile})"`,
          "",
        ];
  return [
    `Identity service (for tests only): ${authUrl}`,
    "",
    "account       123456",
    'service user  deployer (permitted for the account and its project "web")',
    ...password,
    "",
    "In the stack:",
    "",
    '  new IdentityService(this, "identity", {',
    `    authUrl: "${authUrl}",`,
    '    accountId: "123456",',
    `    serviceUser: { name: "deployer", password: SecretRef.env("${PASSWORD_VARIABLE}") },`,
    "  });",
    "",
    "Ctrl-C ends it.",
    "",
  ].join("\n");
}
