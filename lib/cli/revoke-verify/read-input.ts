import { createReadStream } from "node:fs";
import { normalize, resolve } from "node:path";
import { isTable, type TerraformJson } from "../../hcl/json";
import { sendable } from "../../provider/objects/stored-token";
import { errorCodeOf, IamTokensError, quote, type Secret, TOKEN_LENGTH } from "../../tokens";
import type { CliContext } from "../cli-context";

/** A token, or a state; with its place, for messages. */
type Input =
  | { readonly place: string; readonly token: Secret }
  | { readonly place: string; readonly state: TerraformJson };

/**
 * @param state path of a file; otherwise standard input is read
 * @param called the command as the user calls it, for the next step
 * @throws ERR_USAGE, ERR_STATE_INVALID and ERR_SECRET_UNUSABLE
 */
export async function readInput(
  state: string | undefined,
  { workingFolder, openStdin }: Pick<CliContext, "workingFolder" | "openStdin">,
  called: string,
): Promise<Input> {
  const isFile = state !== undefined && state !== "-";
  const place = isFile ? `The file ${quote(normalize(state))}` : "Standard input";
  const invalid = (why: string) =>
    new IamTokensError("ERR_STATE_INVALID", `${place} ${why}.`, {
      remedy: `In the stack's folder: terraform state pull | ${called}. Of a saved plan: unzip -p FILE tfstate | ${called}. With OpenTofu: tofu state pull.`,
    });
  const from = isFile ? createReadStream(resolve(workingFolder, state)) : openStdin();
  const text = new TextDecoder().decode(await readAll(from, invalid));
  // No token is like these.
  if (state !== undefined || /^\s*(?:\{|$)|^PK/.test(text)) {
    let parsed: unknown;
    try {
      parsed = JSON.parse(text);
    } catch {
      // The parser's message repeats a part of the text.
    }
    if (isTable(parsed) && parsed.version === 4 && Array.isArray(parsed.resources))
      return { place, state: parsed };
    throw invalid("is not a Terraform state of version 4");
  }
  // Without the newline that `echo` adds.
  const token = sendable(text.replace(/\r?\n$/, ""));
  if (token !== undefined) return { place, token };
  throw new IamTokensError("ERR_SECRET_UNUSABLE", `${place} holds neither a token nor a state.`, {
    allowed: `one line of printable ASCII, up to ${TOKEN_LENGTH} characters`,
  });
}

async function readAll(
  from: ReturnType<CliContext["openStdin"]>,
  invalid: (why: string) => IamTokensError,
): Promise<Buffer> {
  if (from.isTTY === true)
    throw new IamTokensError("ERR_USAGE", "No token is given: standard input is a terminal.", {
      remedy: "Pipe a token or a state into the command, or give --state FILE.",
    });
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of from) chunks.push(chunk);
  } catch (error) {
    throw invalid(`cannot be read (${errorCodeOf(error) ?? "unknown error"})`);
  }
  return Buffer.concat(chunks);
}
