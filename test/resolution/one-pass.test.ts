import { TerraformStack } from "cdktf";
import { SecretRef, TokenResolution } from "../../lib";
import { annotationsOf, testApp } from "../constructs/support";
import {
  appWithToken,
  ENVIRONMENT,
  folderOf,
  rejection,
  resolve,
  stackWithToken,
  startIdentity,
  synthesize,
  tokenIn,
  valuesIn,
  watched,
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
    const resolved = await resolve(app);
    expect(service.requests()).toBe(5);
    expect(resolved.toJSON()).toEqual({ tokens: 30, requests: 5, skipped: false });
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

  test("a job of GitHub Actions hides each token in its log, once", async () => {
    const { app, folder } = await appWithToken();
    stackWithToken(app, "b", { authUrl: (await startIdentity()).authUrl });
    const { lines, stream } = watched();
    const environment = { ...ENVIRONMENT, GITHUB_ACTIONS: "true" };
    await synthesize(app, { environment, stream, writeFile: true });
    const masked = lines.join("").match(/^::add-mask::.*$/gm);
    expect(masked).toHaveLength(2);
    expect(masked).toContain(`::add-mask::${valuesIn(folder)?.web_token}`);
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

describe("progress", () => {
  test("is one rewritten line with only numbers, and none without a token", async () => {
    const service = await startIdentity();
    const app = testApp();
    for (const last of [
      undefined,
      "Resolved 1 token with 1 request.\n",
      "Resolved 2 tokens with 2 requests.\n",
    ]) {
      const { lines, stream } = watched(true);
      const { requests } = await resolve(app, { stream });
      const counted = [...Array(requests + 1).keys()].map(
        (done) => `Resolving tokens: ${done} of ${requests}`,
      );
      expect(lines.join("").split("\r\u001b[K")).toEqual(["", ...(last ? [...counted, last] : [])]);
      stackWithToken(app, `s${requests}`, { authUrl: service.authUrl, user: `u${requests + 1}` });
    }
  });

  test("leaves an empty line if the pass fails, and is not printed without a terminal", async () => {
    const app = testApp();
    stackWithToken(app, "a", { authUrl: "https://a.test", password: SecretRef.env("NOT_SET") });
    const [terminal, pipe] = [watched(true), watched()];
    const { message } = await rejection(resolve(app, { stream: terminal.stream }));
    await rejection(resolve(app, { stream: pipe.stream }));
    expect(terminal.lines.at(-1)).toBe("\r\u001b[K");
    expect(pipe.lines).toEqual([]);
    expect(message).toMatch(/^Resolving a token before synthesis failed:\n {2}\[a\/web\] The env/);
  });
});
