// Runs a command with a Terraform that is new enough:
//   node --import tsx test/toolchain/main.ts COMMAND…
import { spawnSync } from "node:child_process";
import { environmentWithTerraform } from "./terraform-here";

async function main([program = "", ...args]: readonly string[]): Promise<void> {
  const env = await environmentWithTerraform();
  const { status } = spawnSync(program, args, { env, stdio: "inherit" });
  process.exitCode = status ?? 1;
}

void main(process.argv.slice(2));
