import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { strToU8, zipSync } from "fflate";
import { temporaryFolder } from "../support/temporary-folder";
import { programIn } from "./download-program";
import { type Release, releaseFor } from "./open-tofu-release";
import { environmentWithTerraform, terraformHere } from "./terraform-here";

let folder: string;
let server: Server;
let base: string;
let requests: string[];
let answer: (response: ServerResponse) => void;
let said: string[];

beforeEach(async () => {
  folder = temporaryFolder();
  requests = [];
  said = [];
  answer = (response) => response.end(zip);
  server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const SCRIPT = "#!/bin/sh\necho OpenTofu v1.12.6\n";
const zip = Buffer.from(zipSync({ tofu: strToU8(SCRIPT), LICENSE: strToU8("MPL-2.0") }));
const sha256 = createHash("sha256").update(zip).digest("hex");

const release = (more: Partial<Release> = {}): Release => ({
  version: "1.12.6",
  url: `${base}/tofu.zip`,
  sha256,
  program: "tofu",
  ...more,
});

/** A folder with these programs. */
function pathWith(programs: Readonly<Record<string, string>>): string {
  const path = mkdtempSync(join(folder, "path-"));
  for (const [name, prints] of Object.entries(programs))
    writeFileSync(join(path, name), `#!/bin/sh\necho "${prints}"\n`, { mode: 0o755 });
  return path;
}

/** What a machine with only these programs in PATH uses. */
async function onMachine(
  programs: Readonly<Record<string, string>>,
  more: Parameters<typeof terraformHere>[0] = {},
): Promise<string> {
  return terraformHere({
    env: { PATH: pathWith(programs) },
    release: release(),
    cache: folder,
    build: undefined,
    say: (line) => said.push(line),
    ...more,
  });
}

test.each([
  ["Terraform that is new enough", { terraform: "Terraform v1.11.4" }, "terraform"],
  ["both: Terraform", { terraform: "Terraform v1.10.0", tofu: "OpenTofu v1.12.6" }, "terraform"],
  ["OpenTofu alone, without TERRAFORM_BINARY_NAME", { tofu: "OpenTofu v1.11.0" }, "tofu"],
  [
    "an old Terraform and OpenTofu",
    { terraform: "Terraform v1.9.8", tofu: "OpenTofu v1.11.1" },
    "tofu",
  ],
  ["OpenTofu under Terraform's name", { terraform: "OpenTofu v1.12.6" }, "terraform"],
])("a machine with %s downloads nothing", async (_, programs, expected) => {
  expect(await onMachine(programs)).toBe(expected);
  expect(requests).toEqual([]);
});

test.each([
  ["tofu in PATH", { tofu: "OpenTofu v1.12.6" }],
  ["nothing", {}],
])("with %s, commands find OpenTofu under the name terraform as well", async (_, programs) => {
  const given = {
    env: { PATH: pathWith(programs) },
    release: release(),
    cache: folder,
    say: () => {},
  };
  for (const time of ["first", "second"]) {
    const env = await environmentWithTerraform(given);
    const found = spawnSync("terraform", [], { env, encoding: "utf8" });
    expect([time, found.stdout]).toEqual([time, "OpenTofu v1.12.6\n"]);
    expect(env.TERRAFORM_BINARY_NAME).toMatch(/tofu$/);
  }
});

test("what TERRAFORM_BINARY_NAME says is used as it is", async () => {
  const env = { PATH: "", TERRAFORM_BINARY_NAME: "my-terraform" };
  expect(await onMachine({}, { env })).toBe("my-terraform");
});

test.each([
  ["nothing", {}],
  ["old programs", { terraform: "Terraform v1.5.7", tofu: "OpenTofu v1.10.6" }],
  ["a terraform that is another program", { terraform: "hello" }],
])("a machine with %s downloads OpenTofu, once, and says what and where", async (_, programs) => {
  const path = await onMachine(programs);
  expect(path).toBe(programIn(folder, release()));
  expect(await onMachine({}, { env: { PATH: "" } })).toBe(path);
  expect(requests).toEqual(["GET /tofu.zip"]);
  expect(said.at(-1)).toBe(`${path}: OpenTofu 1.12.6, of ${base}/tofu.zip`);
  // Terraform starts providers with the rights of whoever owns these files.
  expect(readdirSync(join(path, ".."))).toEqual(["release.zip", "tofu"]);
});

test.each(["tofu", "release.zip"])(
  "what another program has put in place of the cached %s is not started",
  async (name) => {
    const path = await onMachine({});
    writeFileSync(join(path, "..", name), "#!/bin/sh\n", { mode: 0o755 });
    expect(await onMachine({})).toBe(path);
    expect(readFileSync(path, "utf8")).toBe(SCRIPT);
    expect(requests).toHaveLength(2);
  },
);

test.each(["", ".", "bin"])(
  "a program in the current folder is not found by the element %j of PATH",
  async (element) => {
    const before = process.cwd();
    mkdirSync(join(folder, "bin"), { recursive: true });
    for (const place of ["terraform", "bin/terraform"])
      writeFileSync(join(folder, place), "#!/bin/sh\necho Terraform v1.11.4\n", { mode: 0o755 });
    process.chdir(folder);
    try {
      const env = { PATH: `${element}:/usr/bin:/bin` };
      expect(await onMachine({}, { env })).toBe(programIn(folder, release()));
    } finally {
      process.chdir(before);
    }
  },
);

test.each<[string, () => void, Partial<Release>, RegExp]>([
  [
    "another sum",
    () => {},
    { sha256: "0".repeat(64) },
    /has the SHA-256 \w{64}, not 0{64}: not used/,
  ],
  [
    "half of the file",
    () => {
      answer = (response) => response.end(zip.subarray(0, zip.length / 2));
    },
    {},
    /not used/,
  ],
  [
    "a connection that is cut",
    () => {
      answer = (response) => {
        response.writeHead(200, { "content-length": zip.length });
        response.write(zip.subarray(0, 10), () => response.destroy());
      };
    },
    {},
    /curl: \(18\)/,
  ],
  [
    "404",
    () => {
      answer = (response) => response.writeHead(404).end("no");
    },
    {},
    /curl: \(22\) .*404/,
  ],
  ["no network", () => {}, { url: "http://127.0.0.1:1/tofu.zip" }, /curl: \(7\)/],
])("with %s nothing is kept, and the reason is printed", async (_, arrange, more, reason) => {
  arrange();
  expect(await onMachine({}, { release: release(more) })).toBe("terraform");
  expect(said.at(-1)).toMatch(reason);
  expect(existsSync(programIn(folder, release(more)))).toBe(false);
  expect(readdirSync(folder).filter((name) => name.startsWith("tofu"))).toEqual([]);
});

test("where the release cannot be had, Go builds OpenTofu", async () => {
  const build = async () => "/built/tofu";
  const more = { build, release: release({ sha256: "1".repeat(64) }) };
  expect(await onMachine({}, more)).toBe("/built/tofu");
});

test("a platform without a record of its sum downloads nothing", async () => {
  expect(releaseFor("linux", "riscv64")).toBeUndefined();
  expect(await onMachine({}, { release: undefined })).toBe("terraform");
  expect([requests, said]).toEqual([[], []]);
});

test.each([
  ["darwin", "arm64", "darwin_arm64", "tofu"],
  ["win32", "x64", "windows_amd64", "tofu.exe"],
])("the release for %s %s is %s", (platform, arch, name, program) => {
  const found = releaseFor(platform, arch);
  expect(found).toMatchObject({ program, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(found?.url).toMatch(new RegExp(`^https://github\\.com/.*_${name}\\.zip$`));
});
