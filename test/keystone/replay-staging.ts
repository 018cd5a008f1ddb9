import { twinPasswordOf } from "./embedded-twin";
import type { PlainRequest } from "./plain-request";
import type { RecordedExchange } from "./recorded-exchange";

/** How tokens are come by while a stage is set. */
export interface StageHands {
  /** An account token of svc, or another token of a user. */
  issue(user?: string, scope?: unknown): Promise<string>;
  /** Revokes a token by another. */
  revoke(token: string): Promise<void>;
  failLogin(user: string, times: number): Promise<void>;
}

interface Stage {
  /** The tokens that stand for the placeholders, in the order of the request's text. */
  readonly tokens?: (hands: StageHands) => Promise<readonly string[]>;
  readonly before?: (hands: StageHands) => Promise<void>;
  readonly chunked?: true;
  /** Another user than the recorded one, whose permission recorded/README.md explains. */
  readonly user?: string;
}

const PROJECT_A = { project: { name: "project-a", domain: { name: "123456" } } };
const own = async ({ issue }: StageHands) => {
  const token = await issue();
  return [token, token];
};
const revoked = async ({ issue, revoke }: StageHands) => {
  const token = await issue();
  await revoke(token);
  return [token, token];
};

/**
 * The preparation of each recorded request that needs one for its recorded answer.
 */
const STAGES: Readonly<Record<string, Stage>> = {
  "chunked-request": { chunked: true },
  "large-body-200k-chunked": { chunked: true },
  // The account's usual user has no lockout, as Keystone by default.
  "eleventh-wrong-password": { before: ({ failLogin }) => failLogin("svc", 10) },
  "right-password-after-eleven-wrong": { before: ({ failLogin }) => failLogin("svc", 11) },
  "project-without-permission": { user: "svc-projects-only" },
  "post-with-x-auth-token": { tokens: async ({ issue }) => [await issue()] },
  "rescope-token-to-project": { tokens: async ({ issue }) => [await issue("svc", "unscoped")] },
  "revoke-delete": { tokens: own },
  "revoke-delete-twice": { tokens: revoked },
  "revoke-other-own-token": { tokens: async ({ issue }) => [await issue(), await issue()] },
  "validate-get": { tokens: own },
  "validate-get-after-revoke": { tokens: revoked },
  "validate-get-bad-subject": { tokens: own },
  "validate-get-missing-subject": { tokens: own },
  "validate-head": { tokens: own },
  "validate-head-after-revoke": { tokens: revoked },
  "validate-other-users-token": {
    tokens: async ({ issue }) => [await issue("svc-projects-only", PROJECT_A), await issue()],
  },
  "validate-revoked-by-live": {
    tokens: async ({ issue, revoke }) => {
      const [live, gone] = [await issue(), await issue()];
      await revoke(gone);
      return [live, gone];
    },
  },
  "validate-sibling-after-revoke": {
    tokens: async ({ issue, revoke }) => {
      const sibling = await issue();
      await revoke(await issue());
      return [sibling, sibling];
    },
  },
};

/** The names that have a stage. */
export const STAGED_NAMES: readonly string[] = Object.keys(STAGES);

/**
 * The recorded request with real passwords, tokens and lengths in it, after what has to come before
 * it.
 */
export async function stageRequest(
  { name, request }: RecordedExchange,
  hands: StageHands,
): Promise<Required<Pick<PlainRequest, "headers" | "body">> & { readonly chunked: boolean }> {
  const stage = STAGES[name] ?? {};
  await stage.before?.(hands);
  const tokens = [...((await stage.tokens?.(hands)) ?? [])];
  const filled = (text: string) =>
    text.replace(/<token: \d+ chars>/g, () => tokens.shift() ?? "no-token-was-staged");
  const headers = Object.fromEntries(
    request.headers.map(([header, value]) => [header, filled(value)]),
  );
  const user =
    stage.user === undefined ? request.body : request.body.replaceAll(/svc(?=[">])/g, stage.user);
  const body = filled(wholeBody(user)).replace(/<password of ([^>]+)>/g, (_all, of: string) =>
    inJson(of, user),
  );
  return {
    headers,
    body: Buffer.from(body, body.includes("\ufffd") ? "latin1" : "utf8"),
    chunked: stage.chunked === true,
  };
}

/**
 * A long body was recorded up to its padding: the padding is put back, up to the recorded length.
 */
function wholeBody(cut: string): string {
  const [, start = "", padding = "", length = "0"] =
    /^([\s\S]*?)(.)\2*\.\.\. \((\d+) chars\)$/.exec(cut) ?? [];
  if (start === "") return cut;
  const opened = start
    .split("")
    .reduce((open, character) => open + (character === "{" ? 1 : character === "}" ? -1 : 0), 0);
  // A long password stood in front of the scope.
  const isPassword = start.endsWith('"password": "');
  const end = isPassword
    ? '"}}}, "scope": {"domain": {"name": "123456"}}}}'
    : `"${"}".repeat(opened)}`;
  return start + padding.repeat(Math.max(0, Number(length) - start.length - end.length)) + end;
}

function inJson(user: string, body: string): string {
  const text = JSON.stringify(twinPasswordOf(user)).slice(1, -1);
  // One was recorded with escapes in place of UTF-8.
  if (!body.includes("\\u")) return text;
  return text.replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
