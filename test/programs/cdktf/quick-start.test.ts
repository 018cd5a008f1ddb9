import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scenarios } from "../../scenarios/scenario";
import { startCommand } from "../../support/command";
import { runCdktf } from "../../support/framework";
import { packageRoot } from "../../support/project";

scenarios("examples/quick-start", (stage) => {
  let folder: string;

  beforeEach(() => {
    // The root of the repository, as far as it matters, without what a run leaves in it.
    folder = realpathSync(mkdtempSync(join(tmpdir(), "iam-quick-start-")));
    for (const name of [
      "cdktf.json",
      "package.json",
      "examples",
      "node_modules",
      "dist",
      "tsconfig.json",
    ]) {
      symlinkSync(join(packageRoot, name), join(folder, name));
    }
  });

  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  test("deploys against the identity server of the command line, shows its outputs, and destroys", async () => {
    const { scratch, secrets } = stage();
    const server = startCommand(
      process.execPath,
      [join(packageRoot, "dist/testing/main.js"), "--port", "0", "--json"],
      {
        cwd: folder,
        env: { ...scratch.env, SERVICE_USER_PASSWORD: stage().password },
      },
    );
    try {
      await server.printed(/\}/);
      const { authUrl } = JSON.parse(server.text());
      const env = { ...secrets, QUICK_START_AUTH_URL: authUrl };
      for (const args of [
        ["deploy", "--auto-approve"],
        ["output"],
        ["destroy", "--auto-approve"],
      ]) {
        const { exitCode, text } = await runCdktf(folder, args, { scratch, env });
        if (exitCode !== 0) throw new Error(`cdktf ${args[0]} ended with ${exitCode}:\n${text}`);
        if (args[0] === "output")
          expect(text).toMatch(/ci_header_name = X-Auth-Token[\s\S]*ci_value = <sensitive>/);
      }
    } finally {
      server.signalAlone("SIGTERM");
      expect((await server.finished).exitCode).toBe(0);
    }
  });

  test("and its server use the same port, and its README.md starts that server", () => {
    const read = (path: string) => readFileSync(join(packageRoot, path), "utf8");
    const port = /127\.0\.0\.1:(\d+)/.exec(read("examples/quick-start/main.ts"))?.[1];
    expect(read("lib/testing/identity-server-command.ts").replace(/_/g, "")).toContain(
      `DEFAULTPORT = ${port}`,
    );
    expect(read("examples/quick-start/README.md")).toContain("node dist/testing/main.js &\n");
  });
});
