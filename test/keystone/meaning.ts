import { inspect } from "node:util";
import type { Scope } from "../../lib/identity";
import { interpretIssue } from "../../lib/identity/interpret/issue-answer";
import { interpretRevoke } from "../../lib/identity/interpret/token-answer";
import type { Answer } from "../../lib/identity/transport/transport";
import { type ErrorCode, IamTokensError, parseAuthUrl, Secret } from "../../lib/tokens";
import { exchanged } from "../identity/support/scripted";

/** Our client's interpretation of an answer. */
export type Meaning = "account token" | "project token" | "done" | ErrorCode;

/** A request, as far as its answer's meaning depends on it. */
export interface Asked {
  readonly method: string;
  readonly body: string;
}

/** An answer as it was seen: a token may be the placeholder `<token: N chars>`. */
export interface SeenAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

const PASSWORD = "canary-password";

/** As the transport would have handed it over. */
export function toAnswer({ method }: Asked, answer: SeenAnswer): Answer {
  const headers = answer.headers.map(([name, value]): readonly [string, string] => {
    const length = /^<token: (\d+) chars>$/.exec(value)?.[1];
    return [name, length === undefined ? value : "t".repeat(Number(length))];
  });
  const date = headers.find(([name]) => name.toLowerCase() === "date")?.[1] ?? "";
  return {
    kind: "answer",
    status: answer.status,
    headers,
    body: Buffer.from(method === "HEAD" ? "" : answer.body),
    end: "complete",
    receivedAt: Date.parse(date),
  };
}

/** The class of an answer, with the promise that an error shows no password. */
export function meaningOf(asked: Asked, seen: SeenAnswer): Meaning {
  const answer = toAnswer(asked, seen);
  try {
    const url = "http://127.0.0.1/identity/v3/auth/tokens";
    const heard = exchanged(answer, { url, secret: Secret.of(PASSWORD) });
    if (asked.method === "DELETE") {
      interpretRevoke(heard, parseAuthUrl("http://127.0.0.1"));
      return "done";
    }
    const issued = interpretIssue(heard, issueRequestOf(asked));
    expect(issued.requestId).toMatch(/^req-/);
    expect(issued.warnings).toEqual([]);
    expect(issued.remainingMs).toBe(24 * 3_600_000);
    return issued.kind === "iam_token_account_scoped" ? "account token" : "project token";
  } catch (error) {
    if (!IamTokensError.is(error)) throw error;
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(PASSWORD);
    return error.code;
  }
}

/** User and scope of the request; where it does not say them, those of the most usual request. */
function issueRequestOf({ body }: Asked) {
  const text = (pattern: RegExp) => pattern.exec(body)?.[1];
  const name = text(/"scope": \{"project": \{"name": "([^"]+)"/);
  const domain = {
    name: text(/"user": \{"name": "[^"]+", "domain": \{"name": "([^"]+)"/) ?? "123456",
  };
  const scope: Scope =
    name === undefined
      ? { kind: "account", account: domain }
      : { kind: "project", project: { name, domain } };
  const credential = {
    way: "password" as const,
    authUrl: parseAuthUrl("http://127.0.0.1"),
    user: { name: text(/"user": \{"name": "([^"]+)"/) ?? "svc", domain },
    secret: Secret.of(PASSWORD),
  };
  return { credential, scope };
}
