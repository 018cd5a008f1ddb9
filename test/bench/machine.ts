import { spawnSync } from "node:child_process";
import { cpus, loadavg, platform, release, totalmem } from "node:os";
import { terraformBinary } from "../support/terraform";
import type { Stage } from "./stage";

/** The measured machine. The load is that of before: what else the machine had to do. */
export function describeMachine({ nodes, rounds }: Stage): string {
  const all = cpus();
  const version = spawnSync(terraformBinary(), ["version"], {
    encoding: "utf8",
    env: { ...process.env, CHECKPOINT_DISABLE: "1" },
  });
  const terraform = version.stdout.split("\n")[0] ?? terraformBinary();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  return [
    `${all.length} × ${all[0]?.model.trim() ?? "unknown processor"}, ${memory}, ${platform()} ${release()}`,
    terraform,
    `Node.js ${nodes.map((node) => node.version).join(", ")}`,
    `${rounds} rounds`,
    `load before: ${loadText()}`,
  ].join("; ");
}

/** Over 1, 5 and 15 minutes. */
export function loadText(): string {
  return loadavg()
    .map((load) => load.toFixed(2))
    .join(", ");
}

/** Above it, the figures include the load of other programs. */
export function isBusy(): boolean {
  return (loadavg()[0] ?? 0) > cpus().length / 2;
}
