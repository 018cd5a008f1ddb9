import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CtyObject } from "../../../lib/plugin/cty/value";
import { UNKNOWN } from "../../../lib/plugin/cty/value";
import { createIamProvider } from "../../../lib/provider/iam-provider";
import {
  BLOCK,
  contextOf,
  FakeIdentity,
  sessionOf,
  surroundingsOf,
  textOf,
} from "../../provider/fixtures";
import type { Producers } from "./producer";

const TOKEN: CtyObject = {
  scope: "account",
  project_name: null,
  min_remaining: null,
  destinations: null,
  revoke_on_close: null,
};
const STATIC: CtyObject = {
  env: null,
  file: null,
  value: null,
  destinations: null,
  base_url: null,
};

interface Opening {
  readonly block?: CtyObject;
  readonly variables?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string | Buffer>>;
}

/** What Terraform shows of validating and opening an ephemeral object. */
async function printed(
  type: string,
  config: CtyObject,
  { block = BLOCK, variables = {}, files = {} }: Opening,
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "iam-reachable-"));
  try {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
    const provider = createIamProvider({
      processContext: surroundingsOf(variables, { workingFolder: folder }),
      identity: new FakeIdentity(),
      version: "1.2.3",
    });
    const object = provider.ephemeralResources[type];
    const mistakes = [...(provider.validate?.(block) ?? []), ...(object?.validate?.(config) ?? [])];
    if (mistakes.length > 0) return textOf(mistakes);
    return textOf((await object?.open(config, contextOf(sessionOf(block))))?.diagnostics);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const iamToken = (config: CtyObject, opening: Opening = {}) =>
  printed("iam_token", { ...TOKEN, ...config }, opening);
const ofBlock = (block: CtyObject, variables = {}) => iamToken({}, { block, variables });
const staticToken = (config: CtyObject, opening: Opening = {}) =>
  printed("iam_static_token", { ...STATIC, ...config }, opening);

/** What Terraform shows of validating a managed resource. */
async function resourceMistakes(type: string, config: CtyObject): Promise<string> {
  const provider = createIamProvider({
    processContext: surroundingsOf(),
    identity: new FakeIdentity(),
  });
  return textOf(provider.resources?.[type]?.validate?.(config));
}

async function importOf(type: string): Promise<string> {
  const provider = createIamProvider({
    processContext: surroundingsOf(),
    identity: new FakeIdentity(),
  });
  return textOf((await provider.resources?.[type]?.import?.("x", contextOf()))?.diagnostics);
}

/** The codes that plain HCL can bring about before the service is asked. */
export const BY_THE_PROVIDER: Producers = {
  ERR_CREDENTIALS_MISSING: () => ofBlock({}),
  ERR_CREDENTIALS_MIXED: () => ofBlock({ ...BLOCK, password_env: "OTHER" }),
  ERR_CREDENTIALS_UNSUPPORTED: () =>
    ofBlock(
      {},
      {
        OS_AUTH_URL: "https://a.test",
        OS_USERNAME: "u",
        OS_PASSWORD: "p",
        OS_USER_DOMAIN_NAME: "1",
        OS_PROJECT_ID: "1",
      },
    ),
  ERR_CREDENTIALS_UNKNOWN: () => ofBlock({ ...BLOCK, auth_url: UNKNOWN }),
  ERR_CLOUD_NOT_FOUND: () => ofBlock({ cloud: "prod" }),
  ERR_CLOUDS_FILE_INVALID: () =>
    iamToken({}, { block: { cloud: "prod" }, files: { "clouds.yaml": "clouds:\n\tprod: {}\n" } }),
  ERR_ADDRESS_INVALID: () => ofBlock({ ...BLOCK, auth_url: "http://identity.example.test" }),
  ERR_DESTINATION_REFUSED: () =>
    iamToken(
      { destinations: ["https://evil.test"] },
      { block: { ...BLOCK, base_url: "https://api.example.test" } },
    ),
  ERR_ADDRESS_NOT_ALLOWED: () =>
    ofBlock(BLOCK, { IAM_TOKENS_ALLOWED_AUTH_URLS: "https://other.example.test" }),
  ERR_SECRET_MISSING: () => staticToken({ env: "NOT_SET" }),
  ERR_SECRET_EMPTY: () => staticToken({ env: "EMPTY" }, { variables: { EMPTY: "" } }),
  ERR_SECRET_UNREADABLE: () => staticToken({ file: "." }),
  ERR_SECRET_TOO_LARGE: () =>
    staticToken({ file: "secret" }, { files: { secret: Buffer.alloc(1024 * 1024 + 1, "x") } }),
  ERR_SECRET_NOT_UTF8: () =>
    staticToken({ file: "secret" }, { files: { secret: Buffer.from([0xff]) } }),
  ERR_SECRET_UNUSABLE: () => staticToken({ value: "two\nlines" }),
  ERR_CERTIFICATE_INVALID: () => ofBlock({ ...BLOCK, cert_file: "cert.pem" }),
  ERR_SCOPE_INVALID: () => iamToken({ scope: "domain" }),
  ERR_NAME_INVALID: () => iamToken({ scope: "project", project_name: " web" }),
  ERR_ACCOUNT_INVALID: () => ofBlock({ ...BLOCK, account_id: " 1" }),
  ERR_DURATION_INVALID: () => iamToken({ min_remaining: "soon" }),
  ERR_ROTATION_INVALID: () => resourceMistakes("iam_rotation", {}),
  ERR_ROTATION_THRESHOLD: () =>
    resourceMistakes("iam_token", { scope: "account", rotate_when_remaining: "24h" }),
  ERR_IMPORT_REFUSED: () => importOf("iam_token"),
  ERR_STATIC_SOURCE_INVALID: () => staticToken({}),
  ERR_STATIC_SOURCE_NOT_ALLOWED: () =>
    staticToken({ env: "OTHER" }, { variables: { IAM_TOKENS_ALLOWED_STATIC_SOURCES: "STATIC_*" } }),
  ERR_TOO_LONG: () => ofBlock({ ...BLOCK, auth_url: `https://a.test/${"/".repeat(8_192)}` }),
  ERR_VERSION_MISMATCH: () => ofBlock({ ...BLOCK, package_version: "1.2.4" }),
};
