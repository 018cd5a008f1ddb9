import type { Intercept } from "../../../lib/testing";

/** A service whose tokens are as long as a test wants, and not in Keystone's form. */
export class LongTokens {
  /** Those that were issued, and not revoked. */
  readonly living = new Set<string>();
  /** Characters of the next ones. */
  length = 0;

  readonly intercept: Intercept = ({ method, path, headers }, serve) => {
    if (path !== "/identity/v3/auth/tokens") return serve();
    if (method === "POST") {
      const answer = serve();
      return { ...answer, headers: answer.headers.map((header) => this.#longer(header)) };
    }
    const token = headers["x-subject-token"] ?? "";
    if (headers["x-auth-token"] !== token || !this.living.has(token))
      return { status: 401, headers: [["WWW-Authenticate", 'Keystone uri="x"']] };
    if (method === "HEAD") return { status: 200, headers: [["X-Subject-Token", token]] };
    this.living.delete(token);
    return { status: 204 };
  };

  #longer([name, value]: readonly [string, string]): readonly [string, string] {
    if (name.toLowerCase() !== "x-subject-token") return [name, value];
    const token = `MII${value.slice(5)}`.padEnd(this.length, "Long+token/");
    this.living.add(token);
    return [name, token];
  }
}
