import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createServerIdentity } from "../../lib/plugin/tls/server-identity";
import { ratioFigure, type Section } from "./section";
import type { NodeProgram, Stage } from "./stage";

export const TERRAFORM = join(__dirname, "../../dist/terraform");

/** From the start of the provider, by its launcher, to the line by which Terraform can connect. */
export async function measureStart(stage: Stage): Promise<Section[]> {
  const launcher =
    readdirSync(TERRAFORM).find((name) => name.startsWith("terraform-provider-iam_v")) ?? "";
  const handshake = handshakeEnvironment();
  const sections: Section[] = [];
  for (const node of stage.nodes) {
    const env = { ...stage.scratch.env, ...node.env };
    const [provider, first, bare] = [
      "ours, with a server of its own",
      "ours, the first launch of a Terraform",
      "node -e 0",
    ];
    const program = join(TERRAFORM, launcher);
    const outcomes = await stage.measure(
      `start, Node.js ${node.version}`,
      [
        {
          name: first,
          // With a separate parent, as with separate Terraforms: its server ends with it.
          run: () =>
            untilOutput("/bin/sh", ["-c", '"$0" & wait', program], { ...env, ...handshake }),
        },
        {
          name: provider,
          run: () => untilOutput(program, [], { ...env, ...handshake, IAM_TOKENS_HANDOVER: "0" }),
        },
        { name: bare, run: () => untilEnd(node, env) },
      ],
      2 * stage.rounds,
    );
    const what = (which: string) =>
      `${which}: start to handshake line / bare node -e 0${node === stage.nodes[0] ? "" : `, Node.js ${node.version}`}`;
    sections.push({
      title: `Start to the handshake line, Node.js ${node.version}`,
      outcomes: outcomes.map(({ name, times }) => ({ name, times })),
      floor: bare,
      figures: [
        ratioFigure(what("first launch"), 2, outcomes, first, bare),
        ratioFigure(what("a server of its own"), 2, outcomes, provider, bare),
      ],
    });
  }
  return sections;
}

type Environment = Readonly<Record<string, string>>;

function untilOutput(file: string, args: readonly string[], env: Environment): Promise<number> {
  const started = performance.now();
  const child = spawn(file, args, { env, stdio: ["ignore", "pipe", "ignore"] });
  return new Promise((resolve, reject) => {
    let time = Number.NaN;
    child.stdout.once("data", (line: Buffer) => {
      time = performance.now() - started;
      if (!line.toString().startsWith("1|6|unix|")) reject(new Error(line.toString()));
      child.kill("SIGTERM");
    });
    child.once("error", reject);
    // It is over before the next begins.
    child.once("close", () =>
      Number.isNaN(time) ? reject(new Error("There was no handshake line.")) : resolve(time),
    );
  });
}

function untilEnd({ path }: NodeProgram, env: Environment): Promise<number> {
  const started = performance.now();
  const child = spawn(path, ["-e", "0"], { env, stdio: "ignore" });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => resolve(performance.now() - started));
  });
}

/** What Terraform gives a provider. */
function handshakeEnvironment(): Environment {
  return {
    TF_PLUGIN_MAGIC_COOKIE: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
    PLUGIN_PROTOCOL_VERSIONS: "5,6",
    PLUGIN_CLIENT_CERT: createServerIdentity().certificatePem,
  };
}
