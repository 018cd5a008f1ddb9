import { spawnSync } from "node:child_process";
import { chownSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describeIf } from "../../support/skips";
import { handoverStage } from "../fixtures/handover-stage";

describeIf(process.platform === "linux", "the hand-over is for Linux only")(
  "a launch has a server of its own",
  () => {
    const stage = handoverStage();
    const { terraform, folderOf, led, ownServer } = stage;

    test.each<[string, Record<string, string>]>([
      ["it is switched off", { ECHO_HANDOVER: "0" }],
      ["Terraform wants logs", { TF_LOG: "debug" }],
      ["Terraform wants logs of providers", { TF_LOG_PROVIDER: "trace" }],
      ["there is no absolute folder for it", { TMPDIR: "." }],
    ])("when %s", async (_, more) => {
      await ownServer(terraform(more), stage.executable);
    });

    test("when its working folder is not Terraform's", async () => {
      await ownServer(terraform(), stage.executable, {}, stage.scratch.home);
    });

    test("when its environment or its program is another than that of the first", async () => {
      const parent = terraform();
      await led(parent);
      await ownServer(parent, stage.executable, { HOME: "/nowhere" });
      await ownServer(parent, await stage.packageIn("other package"));
    });

    /** FIFOs, as a server makes them, that nobody serves. */
    const fifosIn = (folder: string) => {
      const files = ["1", "control"].map((name) => path.join(folder, name));
      spawnSync("mkfifo", files);
      return files;
    };
    const isRoot = process.getuid?.() === 0;
    test.each<[what: string, take: (place: string) => unknown]>([
      ["a file", (place) => writeFileSync(place, "")],
      ["a link to a folder", (place) => symlinkSync(stage.scratch.home, place)],
      [
        "a folder",
        (place) => {
          mkdirSync(place, { mode: 0o700 });
          fifosIn(place);
        },
      ],
      [
        `a folder of ${isRoot ? "another user" : "all"}, who answers in it`,
        (place) => {
          mkdirSync(place, { mode: 0o777 });
          for (const file of isRoot ? [place, ...fifosIn(place)] : [])
            chownSync(file, 12_345, 12_345);
        },
      ],
    ])("when the folder's place is taken by %s", async (_, take) => {
      const elsewhere = fifosIn(stage.scratch.home);
      const parent = terraform();
      const place = folderOf(parent.pid);
      take(place);
      await ownServer(parent, stage.executable);
      // Not even its certificate was written there.
      const isTheirs = lstatSync(place).uid === 12_345;
      for (const folder of [stage.scratch.home, ...(isTheirs ? [place] : [])])
        expect(readdirSync(folder).sort()).toEqual(["1", "control"]);
      expect(readdirSync(stage.scratch.tmp)).toHaveLength(1);
      spawnSync("rm", ["-r", place, ...elsewhere]);
    });

    test("when few files may be open, of which slots would take most", async () => {
      const limited = path.join(stage.scratch.folder, "limited");
      writeFileSync(limited, `#!/bin/sh\nulimit -n 100\nexec '${stage.executable}'\n`, {
        mode: 0o755,
      });
      const parent = terraform();
      await stage.connected(await parent.launch(limited));
      await ownServer(parent, limited);
    });

    // A shell may keep such a descriptor by itself: bash 3.2 does after `command exec`.
    test("when its shell keeps the slot open for writing, and would never notice the server's end", async () => {
      const change = (script: string) => script.replace("exec 3>&-\n", ":\n");
      const leaky = await stage.packageIn("leaky", { change });
      const parent = terraform();
      await led(parent, leaky);
      await ownServer(parent, leaky);
    });
  },
);
