import { chmodSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { terraformBinary } from "../support/terraform";
import { PROVIDER_SOURCE, scenarios, webToken } from "./world";

const ENDED = {
  ...{ Protocol: "grpc", ProtocolVersion: 6, Pid: 1, Test: true },
  Addr: { Network: "unix", String: "/not/there" },
};

const launchersIn = (folder: string) =>
  readdirSync(join(folder, "terraform.d"), { recursive: true, encoding: "utf8" })
    .filter((name) => /terraform-provider-iam_v[\d.]+$/.test(name))
    .map((name) => join(folder, "terraform.d", name));

// docs/doctor.md: finds why Terraform would not start the provider
scenarios("iam-tokens doctor", (stage) => {
  async function saidOf(folder: string, more: Readonly<Record<string, string>> = {}) {
    const env = { ...stage().secrets, TERRAFORM_BINARY_NAME: terraformBinary(), ...more };
    const { stdout } = await stage().cli(["doctor", folder], { env });
    return stdout.slice(stdout.indexOf("stack "));
  }

  test("says what Terraform says, with a next step", async () => {
    const folder = stage().stack((built) => void webToken(built, stage()));
    await stage().succeed(folder, "init");
    expect(await saidOf(folder)).toMatch(/^stack .*: well\n$/);
    const attached = { TF_REATTACH_PROVIDERS: JSON.stringify({ [PROVIDER_SOURCE]: ENDED }) };
    expect(await saidOf(folder, attached)).toContain("-> Unset TF_REATTACH_PROVIDERS");
    for (const name of launchersIn(folder)) chmodSync(name, 0o644);
    expect(await saidOf(folder)).toContain(
      "-> In the stack's folder: chmod +x terraform.d/plugins/",
    );
  });
});
