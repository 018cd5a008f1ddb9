import { type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { SecretRef, TokenOutputs, TokenResolution, TokenScope } from "../../lib";
import { markedProcesses, pidOf } from "../support/processes";
import { testIf } from "../support/skips";
import { terraformBinary, terraformEnvironment } from "../support/terraform";
import { ACCOUNT, identityIn, type Scenario, StackOf, scenarios, webToken } from "./world";

const onLinux = testIf(process.platform === "linux", "the hand-over is for Linux only");
const APPLY = "apply -auto-approve";
const NAMES = ["one", "two", "three"];

/** Three provider blocks of one credential, with a hundred tokens. */
const manyTokens = (stage: Scenario, names = NAMES, each = 33) =>
  stage.initialized((stack) => {
    for (const id of names) {
      const identity = identityIn(stack, stage, {}, id);
      for (let n = 0; n < each; n += 1) webToken(stack, stage, { id: `${id}-${n}`, identity });
    }
  });

// docs/platforms.md: one server serves all starts of the provider within a Terraform command.
scenarios("one server for all launches of one Terraform", (stage) => {
  onLinux("makes one request for all aliases and tokens, and for plan and apply", async () => {
    // 80 launches: more than the first launcher makes slots for.
    const names = Array.from({ length: 40 }, (_, index) => `of-${index}`);
    const aliases = await manyTokens(stage(), names, 1);
    await stage().terraform(aliases, APPLY, { ...stage().secrets, SERVICE_USER_PASSWORD: "wrong" });
    // On a slow machine, the refusal is two seconds old before all are launched.
    expect(stage().requests()).toBeLessThanOrEqual(2);
    await stage().succeed(aliases, APPLY);
    expect(stage().requests()).toBe(1);
    const folder = await manyTokens(stage());
    await stage().succeed(folder, "plan", { ...stage().secrets, IAM_TOKENS_HANDOVER: "0" });
    expect(stage().requests()).toBe(3);
  });

  // As Python's subprocess starts it: PWD is of another folder, nobody reads what it prints.
  onLinux("is heard by launches of a Terraform whose PWD and output are not its own", async () => {
    const folder = await manyTokens(stage(), NAMES, 1);
    const { scratch, secrets } = stage();
    const env = { ...terraformEnvironment(scratch), ...secrets, PWD: scratch.home };
    const child = spawn(terraformBinary(), APPLY.split(" "), { cwd: folder, env, stdio: "ignore" });
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(stage().requests()).toBe(1);
  });

  onLinux("is not that of another Terraform at the same time", async () => {
    const app = stage().synth((root) => {
      for (const id of NAMES) new StackOf(root, id, (stack) => void webToken(stack, stage()));
    });
    await Promise.all(
      NAMES.map(async (id) => {
        await stage().succeed(app.stackFolder(id), "init", {});
        await stage().succeed(app.stackFolder(id), APPLY);
      }),
    );
    expect(stage().requests()).toBe(3);
  });
});

// docs/platforms.md: one server serves all starts of the provider within a Terraform command.
scenarios(
  "aliases of different credentials",
  (stage) => {
    test("never share tokens or refusals", async () => {
      const folder = await stage().initialized((stack) => {
        for (const name of NAMES) {
          const serviceUser = { name, password: SecretRef.env(`PASSWORD_${name}`) };
          const identity = identityIn(stack, stage(), { serviceUser }, name);
          const resolution = TokenResolution.data();
          const scope = TokenScope.account();
          const token = webToken(stack, stage(), { id: `of-${name}`, identity, scope, resolution });
          new TokenOutputs(stack, `outputs-${name}`, { token, prefix: name });
        }
      });
      const env = { PASSWORD_one: "canary-one", PASSWORD_two: "canary-two" };
      const wrong = { ...env, PASSWORD_three: "canary-two" };
      const { text } = await stage().terraform(folder, APPLY, wrong);
      expect(text.match(/with data\.iam_token\..*/g)).toEqual(["with data.iam_token.of-three,"]);
      await stage().succeed(folder, APPLY, { ...env, PASSWORD_three: "canary-three" });
      const outputs = await stage().outputs(folder);
      for (const user of NAMES)
        expect(
          stage().identity.describeToken(String(outputs[`${user}_value`]?.value)),
        ).toMatchObject({ user });
    });
  },
  {
    config: {
      accountId: ACCOUNT,
      serviceUsers: NAMES.map((name) => ({
        name,
        password: `canary-${name}`,
        permission: { account: true },
      })),
    },
  },
);

/** The open files of a process. */
const openIn = (pid: number): readonly string[] =>
  readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${descriptor}`)];
    } catch {
      // Closed meanwhile.
      return [];
    }
  });

/** Resolves when something holds; a scenario's own time is the bound. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
}

// docs/platforms.md: one server serves all starts of the provider within a Terraform command.
scenarios(
  "one server for all launches, while a token is being issued,",
  (stage) => {
    onLinux(
      "keeps no descriptor that Terraform has inherited: a shell's `> >(tee log)`, the lock of flock",
      async () => {
        const { scratch, secrets } = stage();
        const folder = await manyTokens(stage());
        const lock = openSync(join(scratch.folder, "lock"), "w");
        const stdio = Array.from({ length: 13 }, (_none, descriptor) =>
          [5, 9, 12].includes(descriptor) ? "pipe" : "ignore",
        );
        const child = spawn(terraformBinary(), ["plan"], {
          cwd: folder,
          env: { ...terraformEnvironment(scratch), ...secrets },
          stdio: [...stdio, lock] as StdioOptions,
        });
        closeSync(lock);
        const ended = once(child, "exit");
        const inherited = [5, 9, 12, 13].map((descriptor) =>
          readlinkSync(`/proc/${pidOf(child)}/fd/${descriptor}`),
        );
        expect(inherited.join(" ")).toMatch(/^(socket:\S+ ){3}\S+lock$/);
        const servers = () =>
          markedProcesses(scratch.marker).filter(({ command }) =>
            /main\.cjs handover/.test(command),
          );
        await until(() => servers().length === 1);
        const server = pidOf(servers()[0]);
        await until(() => !openIn(server).some((link) => inherited.includes(link)));
        expect(openIn(server)).toContain("/dev/null");
        child.kill("SIGKILL");
        await ended;
      },
    );
  },
  { options: { intercept: () => ({ cut: "silence" }) } },
);
