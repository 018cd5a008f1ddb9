import { longestPause } from "../../lib/rotation/cron";
import { parseDuration } from "../../lib/tokens";
import { cli } from "../cli/run-cli";
import { at, FILES, kitFacts, read, readYaml } from "./kits";

const KITS = kitFacts();
const HOUR = 3_600_000;
const GUARD = /npx --no-install iam-tokens (schedule [^\n]*)/;

test("every file of the kits is known to a test", () => {
  expect(FILES).toEqual([
    "check-rotation.sh",
    "github-actions/.github/workflows/check-rotation.yml",
    "github-actions/.github/workflows/re-apply.yml",
    "gitlab-ci/.gitlab-ci.yml",
    "kubernetes/check-rotation.yaml",
    "kubernetes/re-apply.yaml",
    "re-apply.sh",
    "systemd/check-rotation.service",
    "systemd/check-rotation.timer",
    "systemd/re-apply-failed@.service",
    "systemd/re-apply.service",
    "systemd/re-apply.timer",
  ]);
});

describe.each(KITS)(
  "the kit for $name",
  ({ file, cron, timeoutMinutes, allowedAuthUrls, lockTimeout, graceHours }) => {
    const options: Record<string, string> = {};
    for (const [, name = "", value = ""] of (GUARD.exec(read(file))?.[1] ?? "").matchAll(
      /--([\w-]+) ("[^"]*"|\S+)/g,
    )) {
      options[name] = value.replaceAll('"', "");
    }

    test("checks the schedule that it really has, and leaves no gap", async () => {
      if (options.cron !== undefined) expect(options.cron).toBe(cron);
      else expect(parseDuration(options.every ?? "")).toBe(longestPause(cron, Date.now()));
      const argv = [
        "schedule",
        ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
      ];
      expect(await cli(argv)).toMatchObject({ exitCode: 0, stderr: "" });
      expect(await cli([...argv, "--pushed"])).toMatchObject({ exitCode: 0, stderr: "" });
    });

    test("ends a run that takes longer than the schedule assumes", () => {
      expect(timeoutMinutes * 60_000).toBe(parseDuration(options["longest-apply"] ?? ""));
    });

    test("waits for a lock no longer than the start may be delayed", () => {
      expect(parseDuration(lockTimeout)).toBeLessThanOrEqual(
        parseDuration(options["start-delay"] ?? ""),
      );
    });

    test("alerts when one run was missed, and not before", () => {
      const ends =
        longestPause(cron, Date.now()) +
        parseDuration(options["start-delay"] ?? "") +
        timeoutMinutes * 60_000;
      expect(graceHours * HOUR).toBeGreaterThanOrEqual(ends);
      expect(graceHours * HOUR).toBeLessThanOrEqual(ends + HOUR);
    });

    test("sends the password to only one address", () => {
      expect(allowedAuthUrls).toMatch(/^https:\/\//);
    });
  },
);

test("no command of a kit contains the password or its variable", () => {
  for (const file of FILES) {
    const commands = read(file)
      .split("\n")
      .filter((line) => !/^\s*#/.test(line))
      .filter((line) => /password/i.test(line));
    for (const line of commands)
      expect(line).toMatch(
        /secrets\.SERVICE_USER_PASSWORD \}\}$|LoadCredentialEncrypted=service-user-password$/,
      );
  }
});

test("only the step that applies has the password", () => {
  const workflow = readYaml("github-actions/.github/workflows/re-apply.yml");
  const job = at(workflow, "jobs", "re-apply");
  expect(JSON.stringify({ ...(job as object), steps: [] })).not.toContain("secrets.");
  const steps = at(job, "steps") as readonly object[];
  expect(
    steps
      .filter((step) => JSON.stringify(step).includes("secrets."))
      .map((step) => at(step, "run")),
  ).toEqual(["./re-apply.sh"]);
  expect(read("github-actions/.github/workflows/check-rotation.yml")).not.toContain("secrets.");
});

test("runs one at a time, and cancels none in the middle", () => {
  const github = readYaml("github-actions/.github/workflows/re-apply.yml");
  expect(at(github, "concurrency")).toMatchObject({ "cancel-in-progress": false });
  const gitlab = readYaml("gitlab-ci/.gitlab-ci.yml");
  expect(at(gitlab, "re-apply", "resource_group")).toBe("production");
  expect(at(gitlab, "default", "interruptible")).toBe(false);
  expect(at(readYaml("kubernetes/re-apply.yaml"), "spec", "concurrencyPolicy")).toBe("Forbid");
  expect(read("systemd/re-apply.service")).toContain("Type=oneshot");
});
