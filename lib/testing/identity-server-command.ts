import { randomBytes } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command, CommanderError, InvalidArgumentError } from "commander";
import { freshFolder, NoFolderError, removeFolder } from "../plugin/launch/fresh-folder";
import { defined, IamTokensError, pathInShell, usageErrorOf } from "../tokens";
import { type Environment, readConfigFile } from "./config/config-file";
import type { EmbeddedIdentityConfig } from "./config/identity-config";
import { ECHO } from "./identity/echo";
import { lineOf } from "./identity/journal";

/** The used part of the process. */
interface IdentityServerProcess {
  readonly argv: readonly string[];
  readonly env: Environment;
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
  /** Resolves when the server must end. */
  readonly untilStopped: Promise<unknown>;
}

const DEFAULT_PORT = 35_357;

/** The variable of the default user's password, which the quick start's stack reads. */
const PASSWORD_VARIABLE = "SERVICE_USER_PASSWORD";

/** The variable of the default account's static token. */
const STATIC_TOKEN_VARIABLE = "STATIC_TOKEN";

/**
 * The identity server as a command: starts, prints how a stack can use it, and ends cleanly on
 * request.
 *
 * No password is printed: a generated one goes into an owner-only file, which is removed at the
 * end.
 *
 * @returns the exit code: 0, 1 if it cannot start, 2 for wrong arguments
 */
export async function runIdentityServer(process: IdentityServerProcess): Promise<number> {
  const { printError } = process;
  try {
    await toCommand(process).parseAsync([...process.argv], { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0;
      printError(`${usageErrorOf(error.message).message}\n`);
      return 2;
    }
    if (!IamTokensError.is(error)) throw error;
    printError(`${error.message}\n`);
    return 1;
  }
}

interface Options {
  readonly config?: string;
  readonly host?: string;
  readonly port?: number;
  readonly echo?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

function toCommand(process: IdentityServerProcess): Command {
  return new Command("iam-tokens-identity-server")
    .description(
      "Starts an identity service for tests, which answers like Keystone. It listens on this machine only, and forgets everything when it ends (Ctrl-C). It prints a line for each request to standard error, with the reason of each refusal, and no secret.",
    )
    .usage("[options]")
    .option(
      "--config <file>",
      `Accounts and service users as JSON: the argument of EmbeddedIdentityService.start(). Instead of "password", a user may have "passwordEnv", the name of an environment variable, and a static token may be { "env": NAME }. By default, account 123456 has the service user "deployer", who is permitted for the account and its project "web". The password is that of ${PASSWORD_VARIABLE}. Without it, the server makes one, in a file that only you can read.`,
    )
    .option("--host <host>", "Address to listen on. (default: 127.0.0.1)")
    .option(
      "--port <port>",
      `Port to listen on; 0 for any free one. (default: ${DEFAULT_PORT})`,
      parsePort,
    )
    .option(
      "--echo",
      `Answer at /echo, in the place of a product API: with the scope of the request's token, or with 401. It knows the tokens that it has issued, and static tokens: by default that of ${STATIC_TOKEN_VARIABLE}, otherwise the configuration's "staticTokens".`,
    )
    .option("--json", "Print one line of JSON instead of text.")
    .option("--quiet", "Print no line for a request.")
    .helpOption("-h, --help", "Print this help.")
    .allowExcessArguments(false)
    .configureOutput({
      writeOut: process.print,
      outputError: () => {},
      getOutHelpWidth: () => 100,
      getOutHasColors: () => false,
    })
    .exitOverride()
    .action((options: Options) => serve(options, process));
}

function parsePort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError("Allowed: 0 to 65535.");
}

async function serve(options: Options, process: IdentityServerProcess): Promise<void> {
  // The entry's own bundle, instead of a second copy of it in that of the command.
  const { EmbeddedIdentityService } = require("./index") as typeof import("./index");
  const folder = new HandOverFolder(process.env);
  try {
    const { config, passwordFile } = toConfig(options, process.env, folder);
    // Host and port of a file stay, unless the command line sets them; start() checks the file's
    // form.
    const identity = await EmbeddedIdentityService.start(
      {
        port: DEFAULT_PORT,
        ...(config as EmbeddedIdentityConfig),
        ...defined({ host: options.host, port: options.port }),
      },
      {
        echo: options.echo === true,
        onRequest: (entry) => {
          if (!options.quiet) process.printError(`${entry.at} ${lineOf(entry)}\n`);
        },
      },
    );
    try {
      const write = (name: string, content: string | undefined) =>
        content === undefined ? null : folder.write(name, content);
      const caFile = write("ca.pem", identity.ca);
      const certFile = write("client.pem", identity.clientCertificate?.certificate);
      const keyFile = write("client-key.pem", identity.clientCertificate?.key);
      const { authUrl, keystoneUrl } = identity;
      const echoUrl = options.echo ? `${authUrl}${ECHO}` : null;
      const facts = { authUrl, keystoneUrl, echoUrl, passwordFile, caFile, certFile, keyFile };
      process.print(options.json ? `${JSON.stringify(facts)}\n` : describe(facts, options.config));
      if (!identity.loopbackOnly) {
        process.printError(
          "Warning: other machines can reach this server. It is for tests only.\n",
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
  { config }: Options,
  env: Environment,
  folder: HandOverFolder,
): { readonly config: unknown; readonly passwordFile: string | null } {
  if (config !== undefined) return { config: readConfigFile(config, env), passwordFile: null };
  const given = env[PASSWORD_VARIABLE] ?? "";
  const password = given === "" ? randomBytes(24).toString("base64url") : given;
  const permission = { account: true, projects: ["web"] };
  const staticTokens = [env[STATIC_TOKEN_VARIABLE] ?? ""].filter((token) => token !== "");
  const serviceUsers = [{ name: "deployer", password, permission }];
  return {
    config: { accountId: "123456", serviceUsers, staticTokens },
    passwordFile: given === "" ? folder.write("password", password) : null,
  };
}

/** More than all of its files have: a password, a CA, a certificate and its key. */
const ENOUGH_BYTES = 16_384;

/**
 * Results that are passed on in files: in a folder that only its owner can enter, created on demand
 * and removed at the end.
 */
class HandOverFolder {
  readonly #names: string[] = [];
  #folder: string | undefined;

  constructor(private readonly env: Environment) {}

  /** @throws ERR_OUTPUT_FILE */
  write(name: string, content: string): string {
    this.#folder ??= this.#create();
    const file = join(this.#folder, name);
    this.#names.push(name);
    writeFileSync(file, content, { mode: 0o600, flag: "wx" });
    return file;
  }

  #create(): string {
    try {
      return freshFolder({
        env: this.env,
        platform: process.platform,
        prefix: "iam-tokens-identity-server-",
        use: (folder) => {
          // A full disk still creates folders and empty files.
          const trial = join(folder, "trial");
          try {
            writeFileSync(trial, Buffer.alloc(ENOUGH_BYTES), { mode: 0o600, flag: "wx" });
          } finally {
            rmSync(trial, { force: true });
          }
          return folder;
        },
      });
    } catch (error) {
      if (!(error instanceof NoFolderError)) throw error;
      throw new IamTokensError(
        "ERR_OUTPUT_FILE",
        `No folder for the identity server's files: ${error.message}.`,
        { remedy: "Set TMPDIR to a folder that you own and can write." },
      );
    }
  }

  remove(): void {
    if (this.#folder !== undefined) removeFolder(this.#folder, this.#names);
  }
}

/** The results: names of files instead of values if something is secret. */
interface Facts {
  readonly authUrl: string;
  readonly keystoneUrl: string;
  readonly echoUrl: string | null;
  readonly passwordFile: string | null;
  readonly caFile: string | null;
  readonly certFile: string | null;
  readonly keyFile: string | null;
}

function describe(facts: Facts, configFile: string | undefined): string {
  const { authUrl, echoUrl, passwordFile, caFile, certFile, keyFile } = facts;
  const product =
    echoUrl === null ? [] : [`Product API (answers with the token's scope): ${echoUrl}`];
  const head = [`Identity service (for tests only): ${authUrl}`, ...product];
  if (configFile !== undefined) {
    return [
      ...head,
      `Accounts and service users: see ${configFile}`,
      ...(caFile === null ? [] : [`CA to trust: ${caFile} (removed when the server ends)`]),
      ...(certFile === null
        ? []
        : [`Client certificate: ${certFile}, its key: ${keyFile} (removed when the server ends)`]),
      "",
      ...describeClients(facts),
      "Ctrl-C ends it.",
      "",
    ].join("\n");
  }
  const password =
    passwordFile === null
      ? [`password      the value of ${PASSWORD_VARIABLE}`]
      : [
          `password      in ${passwordFile} (removed when the server ends). In the terminal where you deploy:`,
          "",
          `  export ${PASSWORD_VARIABLE}="$(cat ${pathInShell(passwordFile)})"`,
        ];
  return [
    ...head,
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
    ...describeClients(facts, [
      "OS_USERNAME=deployer OS_USER_DOMAIN_NAME=123456",
      "OS_PROJECT_NAME=web OS_PROJECT_DOMAIN_NAME=123456",
      `OS_PASSWORD="$${PASSWORD_VARIABLE}"`,
    ]),
    "Ctrl-C ends it.",
    "",
  ].join("\n");
}

/** For the OpenStack command line and SDKs: they need the whole address, with /v3. */
function describeClients(facts: Facts, user: readonly string[] = []): readonly string[] {
  const { keystoneUrl, caFile, certFile, keyFile } = facts;
  const files = Object.entries({ OS_CACERT: caFile, OS_CERT: certFile, OS_KEY: keyFile });
  return [
    "For OpenStack's clients:",
    "",
    `  export OS_AUTH_URL=${keystoneUrl}`,
    ...files.flatMap(([name, file]) =>
      file === null ? [] : [`  export ${name}=${pathInShell(file)}`],
    ),
    ...user.map((words) => `  export ${words}`),
    "",
  ];
}
