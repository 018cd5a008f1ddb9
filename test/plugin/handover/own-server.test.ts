import { spawnSync } from "node:child_process";
import {
  chownSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { describeIf } from "../../support/skips";
import { handoverStage, STICKY } from "../fixtures/handover-stage";

describeIf(process.platform === "linux", "the hand-over is for Linux only")(
  "a launch has a server of its own",
  () => {
    const stage = handoverStage();
    const { terraform, folderOf, led, ownServer } = stage;

    test.each<[string, Record<string, string>]>([
      ["it is switched off", { ECHO_HANDOVER: "0" }],
      ["Terraform wants logs", { TF_LOG: "debug" }],
      ["Terraform wants logs of providers", { TF_LOG_PROVIDER: "trace" }],
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

    /** FIFOs, as a first launcher makes them, that nobody serves. */
    const fifosIn = (folder: string) => {
      const files = ["1", "control"].map((name) => path.join(folder, name));
      spawnSync("mkfifo", files);
      return files;
    };
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
    ])("when the folder's place is taken by %s", async (_, take) => {
      const elsewhere = fifosIn(stage.scratch.home);
      const parent = terraform();
      const place = folderOf(parent.pid);
      take(place);
      await ownServer(parent, stage.executable);
      expect(readdirSync(stage.scratch.home).sort()).toEqual(["1", "control"]);
      spawnSync("rm", ["-r", place, ...elsewhere]);
    });

    test("when few files may be open, of which slots would take most", async () => {
      const limited = path.join(stage.scratch.folder, "limited");
      writeFileSync(limited, `#!/bin/sh\nulimit -n 100\nexec '${stage.executable}'\n`, {
        mode: 0o755,
      });
      const parent = terraform();
      await stage.end(await parent.launch(limited));
      await ownServer(parent, limited);
    });

    describeIf(process.getuid?.() === 0, "only root can be another user")(
      "and does not join what answers as the provider,",
      () => {
        test.each([
          ["in another user's folder", STICKY, 12_345, 0, "/tfp-"],
          ["in another user's FIFOs", STICKY, 0, 12_345, "/tfp-"],
          ["by a link to an own FIFO", STICKY, 0, 0, "/tfp-"],
          // Who may rename in it needs no file of his own.
          ["in TMPDIR", "", 0, 0, "/echo-"],
        ])("%s", async (how, base, ofFolder, ofFifos, expected) => {
          const parent = terraform();
          const name = path.basename(folderOf(parent.pid));
          const place = path.join(base || stage.scratch.tmp, name);
          mkdirSync(place, { mode: 0o777 });
          const fifos = fifosIn(place);
          if (how.includes("link")) {
            rmSync(fifos[0] ?? "");
            symlinkSync("control", fifos[0] ?? "");
          }
          const slot = openSync(fifos[0] ?? "", "r+");
          writeSync(slot, "1|6|unix|/theirs/s|grpc|\n");
          for (const fifo of fifos) chownSync(fifo, ofFifos, ofFifos);
          chownSync(place, ofFolder, ofFolder);
          const launched = await parent.launch(stage.executable);
          expect(await launched.socket()).toContain(expected);
          // Not even its certificate was written there.
          expect(readdirSync(place).sort()).toEqual(["1", "control"]);
          await stage.end(launched);
          closeSync(slot);
          rmSync(place, { recursive: true });
        });
      },
    );
  },
);
