import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { edit, only } from "./one-fault";
import { PASSWORD, SetUp } from "./set-up";

// Each test breaks one part of a healthy project, and expects exactly this fault.
let setUp: SetUp;
beforeEach(async () => {
  setUp = await SetUp.start();
});
afterEach(() => setUp.stop());

describe("Credentials", () => {
  test("are in a missing file", async () => {
    rmSync(join(setUp.folder, "password"));
    expect(only(await setUp.diagnose())).toMatch(
      /^credentials failed: stack web, provider iam\.identity: The file .* does not exist.*\[ERR_SECRET_MISSING\]/,
    );
  });

  test("are in a file that everybody can read", async () => {
    chmodSync(join(setUp.folder, "password"), 0o644);
    expect(only(await setUp.diagnose())).toMatch(
      /^secret-files failed: Everybody on this machine may read .*mode 644\. -> chmod 600 \/\S+password$/,
    );
  });

  test("may not be sent to this address", async () => {
    const vars = { IAM_TOKENS_ALLOWED_AUTH_URLS: "https://other.example.test" };
    expect(only(await setUp.diagnose([], { vars }))).toMatch(
      /^credentials failed: .*\[ERR_ADDRESS_NOT_ALLOWED\]/,
    );
    expect(setUp.identity.journal).toEqual([]);
  });

  test("are wrong: reported only when a token is requested", async () => {
    writeFileSync(join(setUp.folder, "password"), "canary-wrong");
    expect((await setUp.diagnose()).faults).toEqual([]);
    expect(setUp.identity.journal.filter(({ method }) => method === "POST")).toHaveLength(0);
    expect(only(await setUp.diagnose(["--issue"]))).toMatch(
      /^issue failed: stack web, provider iam\.identity: a token for the project "web": .*\[ERR_CREDENTIALS_REJECTED\]/s,
    );
  });

  test("come from a command, which only a requested token runs", async () => {
    const command = [
      process.execPath,
      "-e",
      "require('fs').writeFileSync('ran', ''); process.exit(3)",
    ];
    edit(join(setUp.stackFolder, "cdk.tf.json"), (text) =>
      text.replace(/"password_file": "[^"]*"/, `"password_command": ${JSON.stringify(command)}`),
    );
    const { faults, text } = await setUp.diagnose();
    expect(faults).toEqual([]);
    expect(text).toMatch(/password from the command .* which was not run: --issue runs it\./);
    expect(existsSync(join(setUp.stackFolder, "ran"))).toBe(false);
    expect((await setUp.diagnose(["--issue"])).faults[0]?.text).toMatch(/exited with 3/);
  });

  test("are right, but do not give a token for another requested project", async () => {
    expect(only(await setUp.diagnose(["--issue", "shop"]))).toMatch(
      /^issue failed: .* a token for the project "shop": .*\[ERR_CREDENTIALS_REJECTED\]/s,
    );
    expect(await setUp.diagnose(["--issue", ""])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("--issue: the project is empty"),
    });
  });

  test("are right: issues each declared token once", async () => {
    const { faults, findings } = await setUp.diagnose(["--issue"]);
    expect(faults).toEqual([]);
    expect(findings.find(({ check }) => check === "issue")?.text).toMatch(
      /a token for the project "web" was issued in \d+ ms; it is valid for 1 d\./,
    );
    // For the lines and for the JSON.
    expect(setUp.identity.journal.filter(({ method }) => method === "POST")).toHaveLength(2);
  });

  test("of the environment are checked if there is no stack", async () => {
    const empty = join(setUp.scratch.folder, "empty");
    mkdirSync(empty);
    const vars = {
      OS_AUTH_URL: setUp.identity.authUrl,
      OS_USERNAME: "deployer",
      OS_USER_DOMAIN_NAME: "123456",
    };
    const incomplete = await setUp.diagnose(["../empty"], { vars });
    expect(only(incomplete)).toMatch(/^credentials failed: the environment: .*but not OS_PASSWORD/);
    const whole = await setUp.diagnose(["../empty", "--issue", "web"], {
      vars: { ...vars, OS_PASSWORD: PASSWORD },
    });
    expect(whole.faults).toEqual([]);
    expect(whole.text).toMatch(/^ok {6}issue .*a token for the project "web" was issued/m);
  });
});

describe("The identity service", () => {
  test("is not running", async () => {
    await setUp.identity.stop();
    expect(only(await setUp.diagnose())).toMatch(
      /^identity-service failed: The connection to 127\.0\.0\.1:\d+ failed \(ECONNREFUSED\).*\[ERR_CONNECTION_FAILED\]/,
    );
  });

  test("has a certificate that this machine does not trust; with ca_file it is accepted", async () => {
    const other = await SetUp.start({ tls: "throw-away" });
    try {
      expect(only(await other.diagnose())).toMatch(
        /^identity-service failed: No trusted TLS connection to .*\[ERR_TLS_FAILED\]/,
      );
      const ca = other.write("ca.pem", other.identity.ca ?? "");
      edit(join(other.stackFolder, "cdk.tf.json"), (text) =>
        text.replace('"account_id"', `"ca_file": ${JSON.stringify(ca)}, "account_id"`),
      );
      const trusted = await other.diagnose();
      expect(trusted.faults).toEqual([]);
      expect(trusted.text).toMatch(/its certificate is trusted\.$/m);
    } finally {
      await other.stop();
    }
  });

  test("has another time than this machine", async () => {
    const ahead = await SetUp.start({}, { now: () => Date.now() + 10 * 60_000 });
    try {
      expect(only(await ahead.diagnose())).toMatch(
        /^clock failed: This machine's clock is (9 min 59 s|10 min) behind that of 127\./,
      );
    } finally {
      await ahead.stop();
    }
    expect(only(await setUp.diagnose([], { now: () => Date.now() + 2 * 60_000 }))).toMatch(
      /^clock warning: .* 2 min (1 s )?ahead of/,
    );
  });

  test("does not answer at the given path", async () => {
    const diagnosis = await setUp.diagnose([
      "--auth-url",
      `${setUp.identity.authUrl}/elsewhere/v3`,
      "--only",
      "identity-service",
    ]);
    expect(only(diagnosis)).toMatch(
      /^identity-service warning: .* answers \(404\) .* -> Check the path\. Run with --issue/,
    );
  });

  test("of the command line replaces those of the stacks", async () => {
    const diagnosis = await setUp.diagnose([
      "--auth-url",
      "http://127.0.0.1:1",
      "--only",
      "identity-service",
    ]);
    expect(only(diagnosis)).toMatch(/ERR_CONNECTION_FAILED/);
  });
});
