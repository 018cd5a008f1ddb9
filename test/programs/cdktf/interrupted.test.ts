import { startIamTokens } from "../../scenarios/run-support";
import { type Scenario, scenarios } from "../../scenarios/scenario";
import type { RunningCommand } from "../../support/command";
import { commandLine, startCdktf } from "../../support/framework";
import { makeProject, type Project } from "../../support/project";
import { FRAMEWORK } from "../../support/terrain";

const DEPLOY = ["deploy", "main", "--auto-approve"];

/** The ways to start the command line, each in a process group of its own. */
const STARTS: Readonly<Record<string, (project: Project, stage: Scenario) => RunningCommand>> = {
  "cdktf deploy": ({ folder }, { scratch, secrets }) =>
    startCdktf(folder, DEPLOY, { scratch, env: secrets }),
  "iam-tokens run -- cdktf deploy": ({ folder }, { scratch, secrets }) => {
    return startIamTokens(["run", "--", ...commandLine(), ...DEPLOY], {
      scratch,
      cwd: folder,
      env: { CI: "true", ...secrets },
    });
  },
};

scenarios(
  "Ctrl-C",
  (stage) => {
    // After each, the test looks for leftover processes and files.
    describe.each(Object.entries(STARTS))("in %s", (_name, start) => {
      let project: Project;
      afterEach(() => project.remove());

      test("ends it while cdktf waits for its app", async () => {
        project = makeProject({ app: `console.error("waits"); setTimeout(() => {}, 600_000);` });
        const running = start(project, stage());
        await running.printed(/waits|Synthesizing/);
        running.signalGroup("SIGINT");
        expect((await running.finished).exitCode).not.toBe(0);
      });

      test("ends it while cdktf waits for Terraform, which waits for a token", async () => {
        project = makeProject({ app: waitingApp(stage()) });
        const running = start(project, stage());
        await running.printed(/web: Opening/);
        running.signalGroup("SIGINT");
        const { exitCode, text } = await running.finished;
        // That of cdktn 0.24 is 0 then, whatever the provider.
        if (FRAMEWORK === "cdktf") expect(exitCode).not.toBe(0);
        // After ten seconds for each try, or with the answer after a minute.
        expect(text).not.toMatch(/ERR_NO_ANSWER|Opening complete/);
      });
    });
  },
  { config: { latencyMs: 60_000 } },
);

function waitingApp({ identity }: Scenario): string {
  return `
import { App, TerraformStack } from "cdktf";
import { IdentityService, SecretRef, ServiceUserToken, TokenScope } from "cdktf-iam-tokens";
const app = new App();
const stack = new TerraformStack(app, "main");
const identity = new IdentityService(stack, "identity", {
  authUrl: "${identity.authUrl}",
  accountId: "123456",
  serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
});
new ServiceUserToken(stack, "web", { identity, scope: TokenScope.project("web") });
app.synth();
`;
}
