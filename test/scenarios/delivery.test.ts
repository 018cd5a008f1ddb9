import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SecretRef } from "../../lib";
import { AUTHORITY } from "../identity/support/certificates";
import { readPage } from "../support/pages";
import { terraformBinary } from "../support/terraform";
import {
  identityIn,
  onOneLine,
  PROVIDER_SOURCE,
  providerBlock,
  REQUESTS_OF_APPLY,
  scenarios,
  webToken,
  writeModule,
} from "./world";

const APPLY = "apply -auto-approve";

// docs/lock-file.md: You can synthesize on one machine and apply on another
scenarios("the provider in a stack's folder", (stage) => {
  test("works on a new machine with nothing but the folder, with any characters in its path, and a password in a file there", async () => {
    const { scratch, succeed } = stage();
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'iam ü\'s "$HOME" `id` $$ % \\n ')));
    try {
      const file = join(folder, "the password");
      const synthesized = stage().stack((stack) => {
        const serviceUser = { name: "deployer", password: SecretRef.file(file) };
        webToken(stack, stage(), { identity: identityIn(stack, stage(), { serviceUser }) });
      });
      cpSync(synthesized, folder, { recursive: true });
      rmSync(synthesized, { recursive: true });
      writeFileSync(file, stage().password, { mode: 0o600 });
      await succeed(folder, "init", {});
      await succeed(folder, APPLY, {});
      expect(stage().requests()).toBe(REQUESTS_OF_APPLY);
      const env = scratch.env;
      const run = await stage().cli(["run", "--", terraformBinary(), "plan"], { cwd: folder, env });
      expect(run.exitCode).toBe(0);
      expect(stage().requests()).toBe(1);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test("is refused by Terraform when a file of it has changed, at plan and at init", async () => {
    const folder = await stage().initialized((stack) => void webToken(stack, stage()));
    const plugin = join(folder, "terraform.d/plugins", PROVIDER_SOURCE);
    for (const path of readdirSync(plugin, { recursive: true, encoding: "utf8" }))
      if (path.endsWith("objects.cjs")) writeFileSync(join(plugin, path), "// changed");
    for (const command of ["plan", "init"]) {
      const { exitCode, text } = await stage().terraform(folder, command);
      expect(exitCode).toBe(1);
      expect(onOneLine(text)).toMatch(/(doesn't|does not) match any of the checksums/);
    }
  });

  test("is found through a CLI configuration with the lines that docs/lock-file.md gives, or by -plugin-dir", async () => {
    const { scratch, succeed, terraform } = stage();
    const folder = stage().stack((stack) => void webToken(stack, stage()));
    const env = { TF_CLI_CONFIG_FILE: join(scratch.folder, "terraform.rc") };
    const configure = (text: string) =>
      writeFileSync(env.TF_CLI_CONFIG_FILE, `provider_installation {\n${text}}\n`);
    configure("  direct {}\n");
    expect((await terraform(folder, "init", env)).exitCode).toBe(1);
    await succeed(folder, "init -plugin-dir=terraform.d/plugins", env);
    rmSync(join(folder, ".terraform"), { recursive: true });

    const page = readPage("docs/lock-file.md");
    const [lines = ""] = /^ *filesystem_mirror \{[\s\S]*?(?=^ *```$)/m.exec(page) ?? [];
    configure(lines.replace("/path/to/cdktf.out/stacks/NAME", folder));
    await succeed(folder, "init", env);
  });
});

const TOKEN = `data "iam_token" "web" {
  scope        = "project"
  project_name = "web"
}
ephemeral "iam_token" "web" {
  scope        = "project"
  project_name = "web"
}
`;

const readJson = (path: string) => JSON.parse(readFileSync(path, "utf8"));

// docs/plain-hcl.md: Terraform installs it from a mirror of yours
scenarios("the packed provider", (stage) => {
  test("is installed from a network mirror over https into an empty folder, and works; the lock file has our hashes alone", async () => {
    const { scratch, secrets, succeed } = stage();
    const file = (name: string) => join(scratch.folder, name);
    const mirror = file("mirror");
    expect((await stage().cli(["install", "--packed", mirror])).exitCode).toBe(0);
    const requested: string[] = [];
    const server = createServer(AUTHORITY.server, ({ method, url = "" }, response) => {
      requested.push(`${method} ${url.replace(/^.*\//, "")}`);
      const type = url.endsWith(".json") ? "application/json" : "application/zip";
      response.writeHead(200, { "Content-Type": type });
      response.end(method === "HEAD" ? undefined : readFileSync(join(mirror, url)));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const url = `https://127.0.0.1:${port}/`;
      const env = {
        ...secrets,
        TF_CLI_CONFIG_FILE: file("cli.tfrc"),
        SSL_CERT_FILE: file("ca.pem"),
      };
      writeFileSync(env.SSL_CERT_FILE, AUTHORITY.ca);
      const block = `network_mirror {\n    url = "${url}"\n  }`;
      writeFileSync(env.TF_CLI_CONFIG_FILE, `provider_installation {\n  ${block}\n}\n`);
      const folder = file("user");
      writeModule(folder, providerBlock(stage()) + TOKEN);
      for (const command of ["init", "plan", APPLY]) await succeed(folder, command, env);

      const archives = join(mirror, PROVIDER_SOURCE);
      const [version = ""] = Object.keys(readJson(join(archives, "index.json")).versions);
      expect(requested.filter((each) => each.startsWith("GET"))).toEqual([
        "GET index.json",
        `GET ${version}.json`,
        expect.stringMatching(/^GET terraform-provider-iam_.*\.zip$/),
      ]);
      const listed = Object.values<{ hashes: string[] }>(
        readJson(join(archives, `${version}.json`)).archives,
      );
      const ours = listed.flatMap(({ hashes }) => hashes);
      const lock = readFileSync(join(folder, ".terraform.lock.hcl"), "utf8");
      const found = lock.match(/\b(?:h1:[\w+/=]+|zh:\w+)/g) ?? [];
      expect(found).toContainEqual(expect.stringMatching(/^h1:/));
      expect(found.filter((hash) => !ours.includes(hash))).toEqual([]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
