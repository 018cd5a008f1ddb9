import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { leftOverProcesses } from "../../../lib/cli/doctor/processes";
import { makeScratch, type Scratch } from "../../support/scratch";

const MAIN = "/p/terraform.d/plugins/npm.invalid/cdktf-iam-tokens/iam/0.1.0/linux_amd64/main.cjs";

let scratch: Scratch;
beforeEach(() => {
  scratch = makeScratch();
});
afterEach(() => scratch.remove());

/** A process as Linux tells of it. */
function process(
  pid: number,
  parent: number,
  comm: string,
  args: readonly string[] = [],
  startTime = "500",
): void {
  const folder = join(scratch.folder, "proc", String(pid));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "comm"), `${comm}\n`);
  writeFileSync(join(folder, "cmdline"), `${args.join("\0")}\0`);
  const rest = Array.from({ length: 17 }, () => "0");
  writeFileSync(
    join(folder, "stat"),
    `${pid} (${comm}) S ${parent} ${rest.join(" ")} ${startTime} 0 0\n`,
  );
}

const found = () => leftOverProcesses(join(scratch.folder, "proc")).map(({ pid }) => pid);

test("a provider whose Terraform is gone is left over; one whose Terraform is there is not", () => {
  process(1, 0, "systemd");
  process(10, 1, "terraform");
  process(11, 10, "node", ["node", MAIN]);
  process(12, 1, "node", ["node", MAIN]);
  process(13, 1, "node", ["node", "/elsewhere/main.cjs"]);
  process(14, 1, "node", ["node", "/usr/lib/node_modules/cdktf-iam-tokens/dist/cli/attached.js"]);
  expect(found()).toEqual([12, 14]);
});

test("a session's own first process takes over what is left in it", () => {
  process(1, 0, "systemd");
  process(20, 1, "systemd");
  process(12, 20, "node", ["node", MAIN]);
  process(21, 1, "sh");
  process(13, 21, "node", ["node", MAIN]);
  expect(found()).toEqual([12]);
});

test("Terraform may be the first process of a container", () => {
  process(1, 0, "terraform");
  process(12, 1, "node", ["node", MAIN]);
  expect(found()).toEqual([]);
});

test("a provider that serves all launches is judged by the Terraform that it serves, and not by its parent", () => {
  process(1, 0, "init");
  process(10, 1, "terraform", [], "77");
  const args = (startTime: string) => [
    "node",
    MAIN,
    "handover",
    "/tmp/iam-tokens-10-77",
    "10",
    startTime,
    "11",
  ];
  process(12, 1, "node", args("77"));
  process(13, 1, "node", args("76"));
  expect(found()).toEqual([13]);
});

test("where there is no such folder, nothing is found", () => {
  expect(leftOverProcesses(join(scratch.folder, "not-there"))).toEqual([]);
});
