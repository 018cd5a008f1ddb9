import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { GoProgram, GoTarget } from "../support/go-build";

/** A Terraform that is built from its source, without the backends in separate modules. */
export function terraformProgram(version: string, target?: GoTarget): GoProgram {
  const program: GoProgram = {
    module: "github.com/hashicorp/terraform",
    version: `v${version}`,
    main: ".",
    file: "terraform",
    ignoreVendor: true,
    prepare: leaveOutBackends,
  };
  return target === undefined ? program : { ...program, target };
}

/**
 * The module proxy has them separately, in untagged versions. The godebug lines of go.mod are
 * removed as well: another version of Go refuses them.
 */
function leaveOutBackends(source: string): void {
  const nested = /^.*github\.com\/hashicorp\/terraform\/internal\/.*\n/gm;
  edit(join(source, "go.mod"), (text) =>
    text.replaceAll(nested, "").replaceAll(/^godebug .*\n/gm, ""),
  );
  edit(join(source, "internal/backend/init/init.go"), (text) => {
    let result = text;
    for (const [line, alias = "", name = ""] of text.matchAll(
      /^\s*(\w+) "github\.com\/hashicorp\/terraform\/internal\/backend\/remote-state\/(\w+)"\n/gm,
    )) {
      if (["http", "inmem"].includes(name)) continue;
      result = result
        .replace(line, "")
        .replaceAll(new RegExp(`^.*\\b${alias}\\.New\\(\\).*\\n`, "gm"), "");
    }
    return result;
  });
}

function edit(path: string, change: (text: string) => string): void {
  writeFileSync(path, change(readFileSync(path, "utf8")));
}
