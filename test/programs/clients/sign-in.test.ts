import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EmbeddedIdentityService } from "../../../lib/testing";
import { startCommand } from "../../support/command";
import { makeScratch, type Scratch } from "../../support/scratch";
import { describeIf } from "../../support/skips";
import { ACCOUNT, SIGN_IN_SERVICE, signInFiles } from "./sign-in-files";

const openstack = "/usr/bin/openstack";
const isInstalled = spawnSync(openstack, ["--version"]).status === 0;

let identity: EmbeddedIdentityService;
let scratch: Scratch;
beforeAll(async () => {
  identity = await EmbeddedIdentityService.start(SIGN_IN_SERVICE);
  scratch = makeScratch();
});
afterAll(async () => {
  await identity.stop();
  scratch.remove();
});
beforeEach(() => identity.clearJournal());

/** In a shell that has read a file of variables, as people do it. */
async function ask(rc: string, ...words: readonly string[]) {
  const script = `. ./openrc && exec ${openstack} "$@" -f json`;
  writeFileSync(join(scratch.folder, "openrc"), rc);
  const { stdout, stderr, exitCode } = await startCommand("sh", ["-c", script, "sh", ...words], {
    cwd: scratch.folder,
    env: { ...scratch.env, PYTHONDONTWRITEBYTECODE: "1" },
  }).finished;
  if (exitCode !== 0) throw new Error(`openstack ended with ${exitCode}: ${stderr.slice(-2_000)}`);
  return JSON.parse(stdout || "null");
}

describeIf(isInstalled, "python3-openstackclient is not installed")("the command openstack", () => {
  const ways = [
    "application credential by id",
    "application credential by name",
    "identity token",
  ] as const;

  describe.each(ways)("%s", (way) => {
    const assertToken = ({ id }: { readonly id: string }) => {
      expect(identity.describeToken(id)).toMatchObject({
        status: "valid",
        user: signInFiles(identity)[way]?.user,
        accountId: ACCOUNT,
        project: "web",
      });
      const requests = way === "identity token" ? 2 : 1;
      const signIns = identity.journal.filter(({ method }) => method === "POST");
      expect(signIns.map(({ status }) => status)).toEqual(Array(requests).fill(201));
    };

    test("by clouds.yaml", async () => {
      const file = join(scratch.folder, "clouds.yaml");
      writeFileSync(file, signInFiles(identity)[way]?.cloudsYaml ?? "");
      assertToken(await ask("export OS_CLOUD=pipeline", "token", "issue"));
      rmSync(file);
    });

    test("by an openrc", async () => {
      assertToken(await ask(signInFiles(identity)[way]?.openrc ?? "", "token", "issue"));
    });
  });
});
