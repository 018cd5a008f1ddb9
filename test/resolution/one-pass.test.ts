import { TerraformStack } from "cdktf";
import { TokenResolution } from "../../lib";
import { annotationsOf, testApp } from "../constructs/support";
import {
  appWithToken,
  folderOf,
  resolve,
  stackWithToken,
  startIdentity,
  synthesize,
  tokenIn,
  valuesIn,
} from "./support";

describe("one pass over the tree", () => {
  test("30 stacks with 5 credentials make 5 requests", async () => {
    const service = await startIdentity();
    const app = testApp();
    const users = ["deployer", "u1", "u2", "u3", "u4"];
    for (let index = 0; index < 30; index++) {
      stackWithToken(app, `s${index}`, {
        authUrl: service.authUrl,
        user: users[index % 5] as string,
      });
    }
    await resolve(app);
    expect(service.requests()).toBe(5);
    app.synth();
    expect(valuesIn(folderOf(app, "s7"))?.web_token).toBe(
      valuesIn(folderOf(app, "s12"))?.web_token,
    );
  });

  test("a remark about a token is a warning of its construct", async () => {
    const { authUrl } = await startIdentity((_request, serve) => {
      const { headers, ...answer } = serve();
      const others = headers.filter(([name]) => name.toLowerCase() !== "date");
      return { ...answer, headers: [...others, ["Date", "Thu, 01 Jan 2026 00:00:00 GMT"]] };
    });
    const app = testApp();
    const { stack } = stackWithToken(app, "a", { authUrl });
    await synthesize(app);
    expect(annotationsOf(stack)).toEqual([
      expect.stringMatching(/^a\/web: .*clock.*\[WARN_ISSUED_WITH_REMARK\]$/),
    ]);
  });

  test("stacks inside stacks and constructs inside constructs", async () => {
    const service = await startIdentity();
    const app = testApp();
    const outer = new TerraformStack(app, "outer");
    tokenIn(new TerraformStack(outer, "inner"), service);
    await synthesize(app);
    expect(valuesIn(folderOf(app, "inner"))).toEqual({ web_token: expect.any(String) });
    expect(valuesIn(folderOf(app, "outer"))).toBeUndefined();
  });

  test("uses the longest minRemaining of those that share", async () => {
    const { service, app } = await appWithToken();
    stackWithToken(app, "b", {
      authUrl: service.authUrl,
      props: { resolution: TokenResolution.synth({ minRemaining: "20h" }) },
    });
    const resolved = await resolve(app);
    expect(service.requests()).toBe(1);
    expect(resolved.environment()).toEqual({ TF_VAR_web_token: expect.any(String) });
  });

  test("never shares a token in state with one that must not be stored", async () => {
    const { service, app, folder } = await appWithToken();
    stackWithToken(app, "b", {
      authUrl: service.authUrl,
      props: { resolution: TokenResolution.synth({ allowInState: true }) },
    });
    await synthesize(app);
    expect(valuesIn(folder)?.web_token).not.toBe(valuesIn(folderOf(app, "b"))?.web_token);
  });
});
