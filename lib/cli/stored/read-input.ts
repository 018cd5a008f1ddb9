import { normalize, resolve } from "node:path";
import { isTable, type TerraformJson } from "../../hcl/json";
import { sendable } from "../../provider/objects/stored-token";
import { type ProcessContext, textOf } from "../../provider/process/process-context";
import { readRegularFile } from "../../provider/secrets/read-regular-file";
import { assertVariableName } from "../../provider/secrets/secret-reference";
import {
  defined,
  errorCodeOf,
  IamTokensError,
  quote,
  type Secret,
  TOKEN_LENGTH,
} from "../../tokens";
import type { CliContext } from "../cli-context";
import { usage } from "../usage";

/** Where tokens are read from; by default standard input. */
export interface InputOptions {
  readonly env?: string;
  readonly state?: string;
}

/** A token, or a state; with its place, for messages. */
type Input =
  | { readonly place: string; readonly token: Secret }
  | { readonly place: string; readonly state: TerraformJson };

/** More than any state that a backend stores. */
const LIMIT_BYTES = 64 * 1024 * 1024;

/**
 * @param called the command as the user calls it, for the next step
 * @throws ERR_USAGE, ERR_STATE_INVALID and ERR_SECRET_UNUSABLE
 */
export async function readInput(
  { env, state }: InputOptions,
  context: ProcessContext,
  openStdin: CliContext["openStdin"],
  called: string,
): Promise<Input> {
  if (env !== undefined) {
    usage("--env", () => assertVariableName("the value", env));
    const place = `The variable ${env}`;
    const text = textOf(context, env);
    if (text === undefined)
      throw new IamTokensError("ERR_SECRET_MISSING", `${place} is not set.`, {
        remedy: `Set it for this command: export ${env}.`,
      });
    return { place, token: toToken(text, `${place} holds no token.`) };
  }
  const isFile = state !== undefined && state !== "-";
  const place = isFile ? `The file ${quote(normalize(state))}` : "Standard input";
  const text = toText(
    isFile
      ? await readFile(place, resolve(context.workingFolder, state))
      : await readStdin(place, openStdin()),
  );
  // No token is like these.
  if (state !== undefined || /^\s*(?:\{|$)|^PK/.test(text))
    return { place, state: parseState(place, text, called) };
  return { place, token: toToken(text, `${place} holds neither a token nor a state.`) };
}

const invalid = (place: string, why: string, remedy?: string) =>
  new IamTokensError("ERR_STATE_INVALID", `${place} ${why}.`, defined({ remedy }));

/** The JSON of a state. The parser's messages are not passed on: they repeat a part of the text. */
function parseState(place: string, text: string, called: string): TerraformJson {
  let state: unknown;
  try {
    state = JSON.parse(text);
  } catch {
    state = undefined;
  }
  if (isTable(state) && state.version === 4 && Array.isArray(state.resources)) return state;
  if (isTable(state) && "encrypted_data" in state)
    throw invalid(
      place,
      "is a state that OpenTofu has encrypted",
      `In the stack's folder, OpenTofu decrypts it: tofu state pull | ${called}.`,
    );
  throw invalid(
    place,
    "is not a Terraform state of version 4",
    `In the stack's folder: terraform state pull | ${called}. Of a saved plan: unzip -p FILE tfstate | ${called}.`,
  );
}

/** Without the newline that `echo` adds. */
function toToken(text: string, problem: string): Secret {
  const token = sendable(text.replace(/\r?\n$/, ""));
  if (token !== undefined) return token;
  throw new IamTokensError("ERR_SECRET_UNUSABLE", problem, {
    allowed: `one line of printable ASCII, up to ${TOKEN_LENGTH} characters`,
  });
}

async function readFile(place: string, path: string): Promise<Buffer> {
  const reading = await readRegularFile(path, { limit: LIMIT_BYTES });
  if ("why" in reading) throw invalid(place, reading.why);
  return reading.content;
}

async function readStdin(
  place: string,
  stdin: ReturnType<CliContext["openStdin"]>,
): Promise<Buffer> {
  if (stdin.isTTY === true) {
    throw new IamTokensError("ERR_USAGE", "No token is given: standard input is a terminal.", {
      remedy: "Pipe a token or a state into the command, or give --state FILE or --env NAME.",
    });
  }
  const chunks: Buffer[] = [];
  let left = LIMIT_BYTES;
  try {
    for await (const chunk of stdin) {
      chunks.push(chunk);
      left -= chunk.length;
      if (left < 0) break;
    }
  } catch (error) {
    throw invalid(place, `cannot be read (${errorCodeOf(error) ?? "unknown error"})`);
  }
  if (left < 0) throw invalid(place, `is larger than ${LIMIT_BYTES / 1024 / 1024} MiB`);
  return Buffer.concat(chunks);
}

/** Without a byte order mark; a file that Windows PowerShell has redirected is UTF-16. */
function toText(bytes: Buffer): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(isUtf16 ? "utf-16le" : "utf-8").decode(bytes);
}
