import { type Scenario, scenarios, startIamTokens } from "../../scenarios/world";
import type { RunningCommand } from "../../support/command";
import { commandLine, startCdktf } from "../../support/framework";
import type { Project } from "../../support/project";
import { programOf, userProject } from "../user-project";

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
      const user = userProject(stage);

      test("ends it while cdktf waits for its app", async () => {
        const project = user.start(`console.error("waits"); setTimeout(() => {}, 600_000);`);
        const running = start(project, stage());
        await running.printed(/waits|Synthesizing/);
        running.signalGroup("SIGINT");
        expect((await running.finished).exitCode).not.toBe(0);
      });

      test("ends it while cdktf waits for Terraform, which waits for a token", async () => {
        const running = start(user.start(programOf(stage())), stage());
        await running.printed(/web: Opening/);
        running.signalGroup("SIGINT");
        const { exitCode, text } = await running.finished;
        expect(exitCode).not.toBe(0);
        // After ten seconds for each try.
        expect(text).not.toMatch(/ERR_NO_ANSWER|Opening complete/);
      });
    });
  },
  { options: { intercept: () => ({ cut: "silence" }) } },
);
