import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../support/project";
import { hasPython } from "../support/python";
import { testIf } from "../support/skips";
import { temporaryFolder } from "../support/temporary-folder";

for (const element of ["", ".", "bin"])
  testIf(hasPython(), "no Python")(
    `the wheel's command starts no program of the current folder by the element "${element}" of PATH`,
    () => {
      const folder = temporaryFolder();
      const values = { MODULE: "x", NAME: "x", PROGRAM: "x.js", NODE: "20" };
      const script = Object.entries(values).reduce(
        (text, [name, value]) => text.replaceAll(`__${name}__`, value),
        readFileSync(join(packageRoot, "lib/build/languages/command.py"), "utf8"),
      );
      mkdirSync(join(folder, "x/_jsii/commands"), { recursive: true });
      mkdirSync(join(folder, "bin"));
      writeFileSync(join(folder, "x/__init__.py"), "");
      writeFileSync(join(folder, "x/_jsii/commands/x.js"), 'console.log("ours")');
      writeFileSync(join(folder, "command.py"), script);
      for (const place of ["node", "bin/node"]) {
        writeFileSync(join(folder, place), "#!/bin/sh\necho theirs\n");
        chmodSync(join(folder, place), 0o755);
      }
      const env = { PATH: `${element}:${process.env.PATH}`, PYTHONPATH: folder };
      const options = { cwd: folder, env, encoding: "utf8" } as const;
      // By its path: python3 itself must not be searched in such a PATH.
      const python = spawnSync("/bin/sh", ["-c", "command -v python3"], { encoding: "utf8" });
      expect(spawnSync(python.stdout.trim(), ["command.py"], options).stdout).toBe("ours\n");
    },
  );
