import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageVersion } from "../../../lib/delivery/package-root";
import { REQUESTS_OF_APPLY, scenarios } from "../../scenarios/world";
import { hasGo } from "../../support/go-build";
import { installProvider } from "../../support/go-providers";
import { openTofu, underOpenTofu } from "../../support/open-tofu";
import type { Project } from "../../support/project";
import { testIf } from "../../support/skips";
import { DEPLOY, DESTROY, programOf, userProject } from "../user-project";

const NULL_IMPORTS = `
import { NullProvider } from "@cdktf/provider-null/lib/provider";
import { Resource } from "@cdktf/provider-null/lib/resource";
`;
const NULL_RESOURCE = (version: string) => `
new NullProvider(stack, "null");
new Resource(stack, "hook", {
  triggers: { always: "1" },
  dependsOn: [token],
  provisioners: [{ type: "local-exec", command: 'test -n "$TOKEN"', environment: { TOKEN: token.value } }],
});
stack.addOverride("terraform.required_providers.null.version", "${version}");
`;

const VERSIONS = ["3.3.0", "3.3.1"];
const OWN_VERSION = versionAt("npm.invalid");

/** The tests' program; then OpenTofu, if it is built here; then the first again. */
const HOSTS = [undefined, openTofu() ?? undefined, undefined].map((binary) => ({
  binary,
  host:
    binary === undefined && !underOpenTofu() ? "registry.terraform.io" : "registry.opentofu.org",
}));

scenarios("the cdktf command line, with no flag, variable or configuration", (stage) => {
  const user = userProject(stage);
  const lockOf = ({ stackFolder }: Project) =>
    readFileSync(join(stackFolder("main"), ".terraform.lock.hcl"), "utf8");

  test("deploys a stack of a project of ES modules, twice with the same bytes, and destroys it", async () => {
    const own = user.start(programOf(stage()));
    writeFileSync(
      join(own.folder, "package.json"),
      JSON.stringify({ name: "project", private: true, type: "module" }),
    );
    await user.cdktf(DEPLOY);
    expect(stage().requests()).toBe(REQUESTS_OF_APPLY);
    const before = filesOf(own);
    expect(Object.keys(before).length).toBeGreaterThan(20);
    await user.cdktf(DEPLOY);
    expect(filesOf(own)).toEqual(before);
    await user.cdktf(DESTROY);
    expect(lockOf(own)).not.toContain("/*");
  });

  testIf(hasGo(), "there is no Go here to build hashicorp/null with")(
    "takes the null provider into a locked stack, another version, and OpenTofu in turn",
    async () => {
      const own = user.start(programOf(stage()));
      await user.cdktf(DEPLOY);
      const folder = own.stackFolder("main");
      for (const version of VERSIONS) await installProvider(folder, "null", version);
      for (const { binary, host } of HOSTS)
        for (const version of VERSIONS) {
          own.writeApp(programOf(stage(), NULL_RESOURCE(version), NULL_IMPORTS));
          await user.cdktf(DEPLOY, binary === undefined ? {} : { TERRAFORM_BINARY_NAME: binary });
          expect(lockOf(own).match(OWN_VERSION)).toEqual([packageVersion()]);
          expect(lockOf(own).match(versionAt(host))).toEqual([version]);
        }
      const locked = lockOf(own);
      await user.cdktf(DEPLOY);
      expect(lockOf(own)).toBe(locked);
    },
    240_000,
  );
});

/** The versions that a lock file has of the providers of a host. */
function versionAt(host: string): RegExp {
  return new RegExp(`(?<=provider "${host}/.*" \\{\\n {2}version {5}= ").*(?=")`, "g");
}

/** What synthesis has written. */
function filesOf({ stackFolder }: Project): Record<string, string> {
  const paths = readdirSync(stackFolder("main"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("/.terraform"))
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.map((path) => [path, readFileSync(path, "base64")]));
}
