import { normalize, resolve } from "node:path";
import { sendable } from "../../provider/objects/stored-token";
import { type ProcessContext, textOf } from "../../provider/process/process-context";
import { readRegularFile } from "../../provider/secrets/read-regular-file";
import { assertVariableName } from "../../provider/secrets/secret-reference";
import { errorCodeOf, IamTokensError, quote, type Secret } from "../../tokens";
import type { CliContext } from "../cli-context";
import { usage } from "../usage";

/** Where tokens are read from; by default standard input. */
export interface InputOptions {
  readonly env?: string;
  readonly state?: string;
}

/** A token, or the text of a state; with its place, for messages. */
type Input =
  | { readonly place: string; readonly token: Secret }
  | { readonly place: string; readonly state: string };

/** More than any state that a backend stores. */
const LIMIT_BYTES = 64 * 1024 * 1024;

/** @throws ERR_USAGE, ERR_STATE_INVALID and ERR_SECRET_UNUSABLE */
export async function readInput(
  { env, state }: InputOptions,
  context: ProcessContext,
  openStdin: CliContext["openStdin"],
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
  if (state !== undefined && state !== "-") {
    const place = `The file ${quote(normalize(state))}`;
    const path = resolve(context.workingFolder, state);
    const reading = await readRegularFile(path, { limit: LIMIT_BYTES });
    if ("why" in reading) throw invalid(place, reading.why);
    return { place, state: toText(reading.content) };
  }
  const place = "Standard input";
  const text = toText(await readStdin(place, openStdin()));
  // No token is like these.
  if (state === "-" || /^\s*(?:\{|$)|^PK/.test(text)) return { place, state: text };
  return { place, token: toToken(text, `${place} holds neither a token nor a state.`) };
}

const invalid = (place: string, why: string) =>
  new IamTokensError("ERR_STATE_INVALID", `${place} ${why}.`);

/** Without the newline that `echo` adds. */
function toToken(text: string, problem: string): Secret {
  const token = sendable(text.replace(/\r?\n$/, ""));
  if (token !== undefined) return token;
  throw new IamTokensError("ERR_SECRET_UNUSABLE", problem, {
    allowed: "one line of printable ASCII, up to 8192 characters",
  });
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
