import { readFileSync } from "node:fs";
import { Command, CommanderError, InvalidArgumentError } from "commander";
import { defined, errorCodeOf, IamTokensError, usageErrorOf } from "../tokens";
import type { EmbeddedIdentityConfig } from "./config/identity-config";
import { lineOf } from "./keystone/journal";
import { ECHO } from "./keystone/presented";

/** The used part of the process. */
interface IdentityServerProcess {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
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
 * The identity server as a command: starts, prints its address, and ends cleanly on request. It
 * prints no password.
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
  readonly port?: number;
  readonly echo?: boolean;
  readonly json?: boolean;
}

/** Its options, which docs/api/reference.md lists as well. */
export function toCommand(process: IdentityServerProcess): Command {
  return new Command("iam-tokens-identity-server")
    .description(
      "Starts an identity service for tests: a Keystone as its clients see it. It listens on this machine only, and forgets everything when it ends (Ctrl-C). It prints a line for each request to standard error, with the reason of each refusal, and no secret.",
    )
    .usage("[options]")
    .option(
      "--config <file>",
      `The account and its service users as JSON: the argument of EmbeddedIdentityService.start(). By default, account 123456 has the service user "deployer", who is permitted for the account and its project "web", with the password of ${PASSWORD_VARIABLE}.`,
    )
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
  // The entry's own bundle: the command's would have a second copy.
  const { EmbeddedIdentityService } = require("./index") as typeof import("./index");
  const { config: file, port, echo = false, json = false } = options;
  // start() checks the form of a file.
  const config = file === undefined ? defaultConfig(process.env) : readConfigFile(file);
  const identity = await EmbeddedIdentityService.start(
    { port: DEFAULT_PORT, ...config, ...defined({ port }) },
    {
      echo,
      onRequest: (entry) => {
        process.printError(`${entry.at} ${lineOf(entry)}\n`);
      },
    },
  );
  const { authUrl, keystoneUrl } = identity;
  const echoUrl = echo ? `${authUrl}${ECHO}` : null;
  const users =
    file === undefined
      ? `Account 123456; service user deployer, permitted for the account and its project web.\nIts password is that of ${PASSWORD_VARIABLE}.`
      : `Account and service users: see ${file}`;
  const lines = [
    `Identity service (for tests only): ${authUrl}`,
    ...(echoUrl === null ? [] : [`Product API (answers with the token's scope): ${echoUrl}`]),
    `For OpenStack's clients: OS_AUTH_URL=${keystoneUrl}`,
    users,
    "Ctrl-C ends it.",
  ];
  const text = json ? JSON.stringify({ authUrl, keystoneUrl, echoUrl }) : lines.join("\n");
  process.print(`${text}\n`);
  await process.untilStopped;
  await identity.stop();
}

/** @throws ERR_TESTING_CONFIG_INVALID. The parser's own message quotes a part of the file. */
function readConfigFile(file: string): EmbeddedIdentityConfig {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    const why = errorCodeOf(error) ?? "no JSON";
    const fact = `The file ${file} cannot be read (${why}).`;
    throw new IamTokensError("ERR_TESTING_CONFIG_INVALID", fact);
  }
}

/** @throws ERR_TESTING_CONFIG_INVALID without a password */
function defaultConfig(env: IdentityServerProcess["env"]): EmbeddedIdentityConfig {
  const { [PASSWORD_VARIABLE]: password = "", [STATIC_TOKEN_VARIABLE]: staticToken = "" } = env;
  if (password === "")
    throw new IamTokensError(
      "ERR_TESTING_CONFIG_INVALID",
      `The environment variable ${PASSWORD_VARIABLE} is not set, or empty.`,
      { remedy: `Set it to a password of your choice for the service user, or give --config.` },
    );
  const permission = { account: true, projects: ["web"] };
  return {
    accountId: "123456",
    serviceUsers: [{ name: "deployer", password, permission }],
    staticTokens: staticToken === "" ? [] : [staticToken],
  };
}
