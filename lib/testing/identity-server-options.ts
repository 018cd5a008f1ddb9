import { parseArgs } from "node:util";
import { IamTokensError } from "../tokens";

/** What the command line of the identity server asks for. */
export interface IdentityServerOptions {
  readonly configFile: string | undefined;
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly json: boolean;
  readonly help: boolean;
}

/** Shown by `--help`. */
export const USAGE = `Usage: iam-tokens-identity-server [--config FILE] [--host HOST] [--port PORT] [--json]

Starts an identity service for tests. It answers as Keystone does, listens on this machine only,
and forgets everything when it ends (Ctrl-C).

  --config FILE  accounts and service users, as JSON: what EmbeddedIdentityService.start() takes.
                 Instead of "password" a user may have "passwordEnv", the name of an environment variable.
                 Default: account 123456 with the service user "deployer", permitted for the account
                 and its project "web". Its password is taken from SERVICE_USER_PASSWORD; when that is
                 not set, one is made and put into a file that only you can read.
  --host HOST    default 127.0.0.1
  --port PORT    default 35357; 0 is any free port
  --json         print one line of JSON instead of text
  --help         print this
`;

/**
 * Reads the command line.
 *
 * @throws ERR_USAGE
 */
export function parseIdentityServerArguments(argv: readonly string[]): IdentityServerOptions {
  const { values } = parse(argv);
  return {
    configFile: values.config,
    host: values.host,
    port: values.port === undefined ? undefined : parsePort(values.port),
    json: values.json ?? false,
    help: values.help ?? false,
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      strict: true,
      options: {
        config: { type: "string" },
        host: { type: "string" },
        port: { type: "string" },
        json: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    // Node's text repeats the argument, which is not secret: secrets are never given as arguments.
    throw new IamTokensError(
      "ERR_USAGE",
      error instanceof Error
        ? error.message.replace(/[^.]$/, "$&.")
        : "The arguments cannot be read.",
    );
  }
}

function parsePort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new IamTokensError(
    "ERR_USAGE",
    `--port ${JSON.stringify(text.slice(0, 20))} is not a port.`,
    { allowed: "0 to 65535" },
  );
}
