import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { readProviderFiles } from "../../lib/delivery/provider-files";
import { PROVIDER_SOURCE } from "../../lib/provider/names";
import { AUTHORITY } from "../identity/support/certificates";
import { providerBlock, writeModule } from "./plain-module";
import { iamTokens } from "./run-support";
import { type Scenario, scenarios } from "./scenario";

const TOKEN = `data "iam_token" "web" {
  scope        = "project"
  project_name = "web"
}
ephemeral "iam_token" "web" {
  scope        = "project"
  project_name = "web"
}
output "kind" {
  value = data.iam_token.web.kind
}
`;

/** The folder that `install --packed` writes, and where the archives of this platform are in it. */
async function packed({ scratch }: Scenario) {
  const folder = join(scratch.folder, "mirror");
  const { exitCode, stdout, text } = await iamTokens(["install", "--packed", folder], {
    scratch,
    cwd: scratch.folder,
  });
  if (exitCode !== 0) throw new Error(text);
  return { folder, archives: join(folder, PROVIDER_SOURCE), lines: stdout };
}

/** An empty folder with the module, and the environment of a user with this configuration. */
function userOf(
  stage: Scenario,
  configuration: string,
): { readonly folder: string; readonly env: Readonly<Record<string, string>> } {
  const folder = join(stage.scratch.folder, "user");
  mkdirSync(folder);
  writeModule(folder, providerBlock(stage.identity.authUrl) + TOKEN);
  const file = join(stage.scratch.folder, "cli.tfrc");
  writeFileSync(file, configuration);
  return { folder, env: { ...stage.secrets, TF_CLI_CONFIG_FILE: file } };
}

/** Plan and apply work; the lock file has exactly our hashes. */
async function expectUse(
  stage: Scenario,
  { folder, env }: ReturnType<typeof userOf>,
  archives: string,
): Promise<void> {
  await stage.succeed(folder, ["init"], env);
  expect((await stage.succeed(folder, ["plan"], env)).text).toContain("iam_token_project_scoped");
  await stage.succeed(folder, ["apply", "-auto-approve"], env);
  const lock = readFileSync(join(folder, ".terraform.lock.hcl"), "utf8");
  const provider = readProviderFiles();
  const zips = readdirSync(archives).filter((name) => name.endsWith(".zip"));
  const zh = zips.map((name) => {
    const hash = createHash("sha256").update(readFileSync(join(archives, name)));
    return `zh:${hash.digest("hex")}`;
  });
  const found = lock.match(/\b(?:h1:[\w+/=]+|zh:\w+)/g) ?? [];
  const own = process.platform === "win32" ? provider.windows.h1 : provider.unix.h1;
  expect(found).toContain(own);
  for (const hash of found) expect([provider.unix.h1, provider.windows.h1, ...zh]).toContain(hash);
}

scenarios("the packed provider", (stage) => {
  test("is installed from a network mirror over https into an empty folder, and works", async () => {
    const { folder, archives } = await packed(stage());
    const { ca, server: own } = AUTHORITY;
    const requested: string[] = [];
    const server = createServer(own, ({ method, url = "" }, response) => {
      requested.push(`${method} ${url.replace(/^.*\//, "")}`);
      const type = url.endsWith(".json") ? "application/json" : "application/zip";
      response.writeHead(200, { "Content-Type": type });
      response.end(method === "HEAD" ? undefined : readFileSync(join(folder, url)));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const user = userOf(
        stage(),
        `provider_installation {\n  network_mirror {\n    url = "https://127.0.0.1:${port}/"\n  }\n}\n`,
      );
      const trusted = join(stage().scratch.folder, "ca.pem");
      writeFileSync(trusted, ca);
      await expectUse(stage(), { ...user, env: { ...user.env, SSL_CERT_FILE: trusted } }, archives);
      const { version } = readProviderFiles();
      expect(requested.filter((each) => each.startsWith("GET"))).toEqual([
        "GET index.json",
        `GET ${version}.json`,
        expect.stringMatching(/^GET terraform-provider-iam_.*\.zip$/),
      ]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
