import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  ALLOWED_AUTH_URLS,
  assertAllowedAuthUrl,
} from "../../../lib/provider/credentials/allowed-auth-urls";
import { IamTokensError, parseAuthUrl } from "../../../lib/tokens";
import { BLOCK, readCredentialOf, surroundingsOf } from "../fixtures";

const check = (address: string, allowed: string | undefined) => (): void =>
  assertAllowedAuthUrl(
    parseAuthUrl(address),
    surroundingsOf(allowed === undefined ? {} : { [ALLOWED_AUTH_URLS]: allowed }),
  );

describe("IAM_TOKENS_ALLOWED_AUTH_URLS", () => {
  test("allows every address when it is not set", () => {
    expect(check("https://a.test", undefined)).not.toThrow();
  });

  test.each(["", " ", ",", " , "])("allows no address if it is set but empty: %j", (list) => {
    expect(check("https://a.test", list)).toThrow(/no address is allowed.*ERR_ADDRESS_NOT_ALLOWED/);
  });

  test.each([
    "https://a.test",
    "https://a.test/",
    "https://a.test:443/identity",
    "https://a.test/identity/v3/",
    "https://b.test,https://a.test",
    "https://b.test\n\thttps://a.test ,",
  ])("compares addresses after completing them: %j allows https://a.test", (list) => {
    expect(check("https://a.test", list)).not.toThrow();
  });

  test.each([
    "https://a.test.evil.test",
    "https://a.test:8443",
    "https://a.test/other",
    "https://a.test/v3",
    "https://sub.a.test",
    "https://a.tes",
  ])("is not a rule of prefixes or suffixes: %j does not allow https://a.test", (list) => {
    expect(check("https://a.test", list)).toThrow(
      /The address is https:\/\/a\.test\/identity\/v3.*ERR_ADDRESS_NOT_ALLOWED/,
    );
  });

  test("says how many addresses it lists, without naming them", () => {
    expect(check("https://a.test", "https://b.test https://c.test")).toThrow(
      "and IAM_TOKENS_ALLOWED_AUTH_URLS does not list it (entries: 2).",
    );
  });

  test("with an entry that is not an address allows nothing, and names the entry by its position", () => {
    const list = "https://a.test https://user:canary@b.test";
    expect(check("https://a.test", list)).toThrow(
      /^Entry 2 of IAM_TOKENS_ALLOWED_AUTH_URLS: .*ERR_ADDRESS_INVALID/,
    );
    expect(check("https://a.test", list)).not.toThrow(/canary/);
  });

  test.each([
    ["password_file", "/no/such/file"],
    ["password_env", "NO_SUCH_VARIABLE"],
  ])("is checked before a secret is read: a missing %s is not noticed", async (name, value) => {
    const { password: _, ...rest } = BLOCK;
    const codeWith = async (allowed: string): Promise<unknown> => {
      const processContext = surroundingsOf({ [ALLOWED_AUTH_URLS]: allowed });
      return readCredentialOf({ ...rest, [name]: value }, processContext).then(
        () => "read",
        (error: unknown) => IamTokensError.is(error) && error.code,
      );
    };
    expect(await codeWith("https://elsewhere.test")).toBe("ERR_ADDRESS_NOT_ALLOWED");
    expect(await codeWith(BLOCK.auth_url)).toBe("ERR_SECRET_MISSING");
  });

  test("is checked before the files for TLS are read", async () => {
    const processContext = surroundingsOf({ [ALLOWED_AUTH_URLS]: "" });
    const block = { ...BLOCK, ca_file: "/no/such/file" };
    await expect(readCredentialOf(block, processContext)).rejects.toThrow(
      /ERR_ADDRESS_NOT_ALLOWED/,
    );
  });
});

test("for another address no command is run, no file is read, and GitHub is not asked", async () => {
  const workingFolder = mkdtempSync(join(tmpdir(), "iam-allowed-"));
  const writes = [process.execPath, "-e", `require("fs").writeFileSync("ran", "")`];
  const { user_name, password: _, ...service } = BLOCK;
  const federation = { ...service, identity_provider: "ci", protocol: "openid" };
  const blocks = [
    { ...service, user_name, password_command: writes },
    { ...service, user_name, password_file: "missing" },
    { ...service, application_credential_id: "a", application_credential_secret_command: writes },
    { ...service, application_credential_id: "a", application_credential_secret_env: "MISSING" },
    { ...federation, oidc_token_command: writes },
    { ...federation, oidc_audience: "a" },
  ];
  const surroundings = surroundingsOf(
    { [ALLOWED_AUTH_URLS]: "https://pipeline.example.test" },
    { workingFolder },
  );
  for (const block of blocks)
    await expect(readCredentialOf(block, surroundings)).rejects.toMatchObject({
      code: "ERR_ADDRESS_NOT_ALLOWED",
    });
  expect(existsSync(join(workingFolder, "ran"))).toBe(false);
  rmSync(workingFolder, { recursive: true });
});
