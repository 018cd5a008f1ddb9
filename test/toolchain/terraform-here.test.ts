import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { strToU8, zipSync } from "fflate";
import { LoopbackServer } from "../support/loopback-server";
import { temporaryFolder } from "../support/temporary-folder";
import { programIn } from "./download-program";
import type { Release } from "./open-tofu-release";
import { terraformHere } from "./terraform-here";

let folder: string;
let server: LoopbackServer;
let requests: string[];
let said: string[];

beforeEach(async () => {
  folder = temporaryFolder();
  requests = [];
  said = [];
  const serving = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.end(zip);
  });
  server = await new LoopbackServer(serving).listen();
});

afterEach(() => server.close());

const SCRIPT = "#!/bin/sh\necho OpenTofu v1.12.6\n";
const zip = Buffer.from(zipSync({ tofu: strToU8(SCRIPT), LICENSE: strToU8("MPL-2.0") }));
const sha256 = createHash("sha256").update(zip).digest("hex");

const release = (more: Partial<Release> = {}): Release => ({
  version: "1.12.6",
  url: `${server.url}/tofu.zip`,
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
  ["nothing", {}],
  ["old programs", { terraform: "Terraform v1.5.7", tofu: "OpenTofu v1.10.6" }],
  ["a terraform that is another program", { terraform: "hello" }],
])("a machine with %s downloads OpenTofu, once, and says what and where", async (_, programs) => {
  const path = await onMachine(programs);
  expect(path).toBe(programIn(folder, release()));
  expect(await onMachine({}, { env: { PATH: "" } })).toBe(path);
  expect(requests).toEqual(["GET /tofu.zip"]);
  expect(said.at(-1)).toBe(`${path}: OpenTofu 1.12.6, of ${server.url}/tofu.zip`);
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

test.each<[string, Partial<Release>, RegExp]>([
  ["another sum", { sha256: "0".repeat(64) }, /has the SHA-256 \w{64}, not 0{64}: not used/],
  ["no network", { url: "http://127.0.0.1:1/tofu.zip" }, /curl: \(7\)/],
])("with %s nothing is kept, and the reason is printed", async (_, more, reason) => {
  expect(await onMachine({}, { release: release(more) })).toBe("terraform");
  expect(said.at(-1)).toMatch(reason);
  expect(readdirSync(folder).filter((name) => name.startsWith("tofu"))).toEqual([]);
  expect(await onMachine({}, { release: release(more), build: async () => "/built" })).toBe(
    "/built",
  );
});
