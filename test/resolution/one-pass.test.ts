import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { TerraformStack } from "cdktf";
import { IdentityService, SecretRef, TokenResolution } from "../../lib";
import { accountToken, temporaryFolder, testApp } from "../constructs/support";
import {
  folderOf,
  PASSWORD,
  rejection,
  resolve,
  stackWithToken,
  startIdentity,
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
    const resolved = await resolve(app);
    expect(service.requests()).toBe(5);
    expect(resolved.toJSON()).toEqual({ tokens: 30, requests: 5, skipped: false });
    app.synth();
    expect(valuesIn(folderOf(app, "s7"))?.web_token).toBe(
      valuesIn(folderOf(app, "s12"))?.web_token,
    );
  });

  test("never more than eight requests under way, over all services", async () => {
    const under = { now: 0, most: 0 };
    const answers: (() => void)[] = [];
    const listen = () =>
      new Promise<{ url: string; close: () => Promise<void> }>((done) => {
        const server = createServer((socket) => {
          socket.once("data", () => {
            under.now++;
            under.most = Math.max(under.most, under.now);
            answers.push(() => {
              under.now--;
              socket.end(
                "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
              );
            });
            // Eight must come; for a ninth there is some time.
            if (answers.length === 8) setTimeout(answerAll, 100);
          });
        });
        server.listen(0, "127.0.0.1", () => {
          const { port } = server.address() as { port: number };
          done({
            url: `http://127.0.0.1:${port}`,
            close: () => new Promise((closed) => server.close(() => closed())),
          });
        });
      });
    const answerAll = (): void => {
      for (const answer of answers.splice(0)) answer();
    };
    const servers = await Promise.all([listen(), listen(), listen()]);
    const app = testApp();
    for (let index = 0; index < 24; index++) {
      const { url } = servers[index % 3] as { url: string };
      stackWithToken(app, `s${index}`, { authUrl: url, user: `user-${index}` });
    }
    const error = await rejection(resolve(app)).finally(() =>
      Promise.all(servers.map((server) => server.close())),
    );
    expect(error.message).toContain("Resolving 24 tokens before synthesis failed with 24 errors");
    expect(under.most).toBe(8);
  });

  test("stacks inside stacks and constructs inside constructs", async () => {
    const service = await startIdentity();
    const app = testApp();
    const outer = new TerraformStack(app, "outer");
    const { token } = { token: tokenIn(new TerraformStack(outer, "inner"), service) };
    expect(token.node.path).toBe("outer/inner/web");
    await resolve(app);
    app.synth();
    expect(valuesIn(folderOf(app, "inner"))).toEqual({ web_token: expect.any(String) });
    expect(valuesIn(folderOf(app, "outer"))).toBeUndefined();
  });

  test("uses the longest minRemaining of those that share", async () => {
    const service = await startIdentity();
    const app = testApp();
    stackWithToken(app, "a", service);
    stackWithToken(app, "b", {
      ...service,
      authUrl: service.authUrl,
      props: { minRemaining: "20h" },
    });
    await resolve(app);
    expect(service.requests()).toBe(1);
  });

  test("never shares a token in state with one that must not be stored", async () => {
    const service = await startIdentity();
    const app = testApp();
    stackWithToken(app, "a", service);
    stackWithToken(app, "b", { authUrl: service.authUrl, props: { allowInState: true } });
    await resolve(app);
    app.synth();
    expect(valuesIn(folderOf(app, "a"))?.web_token).not.toBe(
      valuesIn(folderOf(app, "b"))?.web_token,
    );
  });

  test("two apps in one process are independent", async () => {
    const service = await startIdentity();
    const [one, other] = [testApp(), testApp()];
    stackWithToken(one, "a", service);
    stackWithToken(other, "a", service);
    await resolve(one);
    one.synth();
    expect(() => other.synth()).toThrow("ERR_TOKENS_NOT_RESOLVED");
    await resolve(other);
    other.synth();
    expect(valuesIn(folderOf(one, "a"))?.web_token).not.toBe(
      valuesIn(folderOf(other, "a"))?.web_token,
    );
  });
});

describe("credentials from the usual places", () => {
  test("the environment", async () => {
    const service = await startIdentity();
    const app = testApp();
    const stack = new TerraformStack(app, "a");
    const identity = IdentityService.fromEnvironment(stack, "identity");
    accountToken(stack, { identity, resolution: TokenResolution.SYNTH }, "web");
    const environment = {
      OS_AUTH_URL: service.authUrl,
      OS_USERNAME: "deployer",
      OS_PASSWORD: PASSWORD,
      OS_USER_DOMAIN_NAME: "123456",
    };
    await resolve(app, { environment });
    expect(service.requests()).toBe(1);
  });

  test("an entry of clouds.yaml in the project's folder", async () => {
    const service = await startIdentity();
    const folder = temporaryFolder();
    const auth = {
      auth_url: service.authUrl,
      username: "deployer",
      password: PASSWORD,
      user_domain_name: "123456",
    };
    writeFileSync(join(folder, "clouds.yaml"), JSON.stringify({ clouds: { prod: { auth } } }));
    const project = jest.spyOn(process, "cwd").mockReturnValue(folder);
    try {
      const app = testApp();
      const stack = new TerraformStack(app, "a");
      const identity = IdentityService.fromCloud(stack, "identity", "prod");
      accountToken(stack, { identity, resolution: TokenResolution.SYNTH }, "web");
      await resolve(app, { environment: {} });
      expect(service.requests()).toBe(1);
      app.synth();
      expect(valuesIn(folderOf(app, "a"))).toEqual({ web_token: expect.stringMatching(/.{20}/) });
    } finally {
      project.mockRestore();
    }
  });
});

describe("progress", () => {
  const watched = (isTTY: boolean) => {
    const lines: string[] = [];
    return { lines, stream: { isTTY, write: (text: string) => lines.push(text) } };
  };

  test("is one rewritten line with only numbers", async () => {
    const service = await startIdentity();
    const app = testApp();
    stackWithToken(app, "a", service);
    stackWithToken(app, "b", { authUrl: service.authUrl, user: "u1" });
    const { lines, stream } = watched(true);
    await resolve(app, { stream });
    expect(lines.join("").split("\r\u001b[K")).toEqual([
      "",
      ...[0, 1, 2].map((done) => `Resolving tokens: ${done} of 2`),
      "Resolved 2 tokens with 2 requests.\n",
    ]);
  });

  test("leaves an empty line if the pass fails, and is not printed without a terminal", async () => {
    const app = testApp();
    stackWithToken(app, "a", { authUrl: "https://a.test", password: SecretRef.env("NOT_SET") });
    const [terminal, pipe] = [watched(true), watched(false)];
    await rejection(resolve(app, { stream: terminal.stream }));
    await rejection(resolve(app, { stream: pipe.stream }));
    expect(terminal.lines.at(-1)).toBe("\r\u001b[K");
    expect(pipe.lines).toEqual([]);
  });
});
