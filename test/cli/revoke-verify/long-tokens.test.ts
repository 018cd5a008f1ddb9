import { type EmbeddedIdentityService, scanForLeaks } from "../../../lib/testing";
import { cli } from "../run-cli";
import { LongTokens } from "./long-tokens";
import { issue, object, startIdentity, stateOf, stdin } from "./stored-tokens";

let identity: EmbeddedIdentityService;
let tokens: LongTokens;
beforeEach(async () => {
  tokens = new LongTokens();
  identity = await startIdentity({}, { intercept: tokens.intercept });
});
afterEach(() => identity.stop());

// The documentation of public clouds has tokens of 9,120 characters, and allows 20,000.
test.each([9_120, 20_000, 31_000])(
  "a token of %i characters is issued, verified and revoked, by itself and in a state",
  async (length) => {
    tokens.length = length;
    const at = ["--auth-url", identity.authUrl];
    for (const inputOf of [String, (token: string) => stateOf([object(identity, token)])]) {
      const token = await issue(identity);
      expect([token.length, tokens.living.has(token)]).toEqual([length, true]);
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
      expect(tokens.living.size).toBe(0);
    }
  },
);
