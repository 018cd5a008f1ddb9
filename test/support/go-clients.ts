import { createHash } from "node:crypto";
import { chmodSync, cpSync, mkdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { buildProgram, cachedProgram, type GoProgram } from "./go-build";
import { packageRoot } from "./project";

/** A program of these tests, built inside of the published module that it is about. */
function programIn(module: string, version: string, path: string): GoProgram {
  const source = join(packageRoot, path);
  const name = basename(path, ".go");
  // A changed source is another program.
  const hash = createHash("sha256").update(readFileSync(source)).digest("hex").slice(0, 8);
  return {
    module,
    version,
    main: `./${name}`,
    file: `${name}-${hash}`,
    prepare(folder) {
      // It is read-only, like the module cache from which it is copied.
      chmodSync(folder, 0o755);
      mkdirSync(join(folder, name));
      cpSync(source, join(folder, name, "main.go"));
    },
  };
}

const CLIENTS = {
  // The module that signs in for the OpenStack provider: not every module proxy has the provider
  // itself.
  "the sign-in of the OpenStack provider": () =>
    programIn(
      "github.com/terraform-provider-openstack/utils/v2",
      "v2.0.0-20260520075407-97524fbad4a0",
      "test/programs/examples/openstack-container.go",
    ),
  "terraform-plugin-testing": () =>
    programIn(
      "github.com/hashicorp/terraform-plugin-testing",
      "v1.16.0",
      "test/programs/clients/acceptance.go",
    ),
  "a store's provider on SDKv2": () =>
    programIn(
      "github.com/hashicorp/terraform-plugin-sdk/v2",
      "v2.40.1",
      "test/programs/consumers/sdk-store.go",
    ),
  "a store's provider on the framework": () =>
    programIn(
      "github.com/hashicorp/terraform-plugin-framework",
      "v1.19.0",
      "test/programs/consumers/framework-store.go",
    ),
} as const;

type GoClientName = keyof typeof CLIENTS;

export const GO_CLIENTS = Object.keys(CLIENTS) as readonly GoClientName[];

/** Its path; null if `prepare.ts providers` has not built it. */
export const goClient = (name: GoClientName): string | null => cachedProgram(CLIENTS[name]());

export const buildGoClient = (name: GoClientName): Promise<string> => buildProgram(CLIENTS[name]());
