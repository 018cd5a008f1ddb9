import { type EmbeddedIdentityService, type Intercept, scanForLeaks } from "../../../lib/testing";
import { cli } from "../run-cli";
import { issue, object, startIdentity, stateOf, stdin } from "./stored-tokens";

/** Those that were issued, and not revoked: as long as a test wants, and not in Keystone's form. */
const living = new Set<string>();
let length: number;
const intercept: Intercept = ({ number, method, path, headers }, serve) => {
  if (path !== "/identity/v3/auth/tokens") return serve();
  if (method === "POST") {
    const token = `MII${number}`.padEnd(length, "Long+token/");
    living.add(token);
    const { headers, ...answer } = serve();
    const kept = headers.filter(([name]) => name !== "X-Subject-Token");
    return { ...answer, headers: [...kept, ["X-Subject-Token", token]] };
  }
  const token = headers["x-subject-token"] ?? "";
  if (headers["x-auth-token"] !== token || !living.has(token))
    return { status: 401, headers: [["WWW-Authenticate", 'Keystone uri="x"']] };
  if (method === "HEAD") return { status: 200, headers: [["X-Subject-Token", token]] };
  living.delete(token);
  return { status: 204 };
};

let identity: EmbeddedIdentityService;
beforeEach(async () => {
  identity = await startIdentity({ intercept });
});
afterEach(() => identity.stop());

// The documentation of public clouds has tokens of 9,120 characters, and allows 20,000.
test.each([9_120, 20_000, 31_000])(
  "a token of %i characters is issued, verified and revoked, by itself and in a state",
  async (wanted) => {
    length = wanted;
    const at = ["--auth-url", identity.authUrl];
    for (const inputOf of [String, (token: string) => stateOf([object(identity, token)])]) {
      const token = await issue(identity);
      expect([token.length, living.has(token)]).toEqual([length, true]);
      const input = inputOf(token);
      const { findings, notScanned } = scanForLeaks({ canaries: { token }, texts: { input } });
      expect([findings.length, notScanned]).toEqual([1, []]);
      const from = input === token ? at : ["--state", "-", ...at];
      for (const [command, ends] of [
        ["verify", "Alive: 1 of 1"],
        ["revoke", "Revoked: 1 of 1"],
      ] as const) {
        const { exitCode, stdout, stderr } = await cli([command, ...from], stdin(input));
        expect([exitCode, stderr, stdout]).toEqual([0, "", expect.stringContaining(ends)]);
        expect(stdout).not.toContain(token.slice(0, 20));
      }
      expect(living.size).toBe(0);
    }
  },
);
