import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parse } from "yaml";
import { packageRoot } from "../support/project";

export const KITS = join(packageRoot, "examples/scheduled-re-apply");

/** The files of the kits, relative to their folder. */
export const FILES: readonly string[] = readdirSync(KITS, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(KITS, join(entry.parentPath, entry.name)))
  .sort();

export const read = (file: string): string => readFileSync(join(KITS, file), "utf8");
export const readYaml = (file: string): unknown =>
  parse(read(file), { strict: true, uniqueKeys: true });

/** The value at a path of an object that was parsed; fails where there is none. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== "object" || current === null || !(key in current))
      throw new Error(`no ${path.join(".")}`);
    current = Reflect.get(current, key);
  }
  return current;
}

/** The schedule of a kit, in one form for all systems. */
export interface KitFacts {
  readonly name: string;
  /** The file with the re-apply. */
  readonly file: string;
  /** As its scheduler has it. */
  readonly cron: string;
  /** How long the system lets it run, in minutes. */
  readonly timeoutMinutes: number;
  /** Environment of a run. */
  readonly allowedAuthUrls: string;
  readonly lockTimeout: string;
  /** How long after `rotate_at` the alert waits. */
  readonly graceHours: number;
}

const GITHUB = "github-actions/.github/workflows/re-apply.yml";
const GITLAB = "gitlab-ci/.gitlab-ci.yml";
const KUBERNETES = "kubernetes/re-apply.yaml";
const SYSTEMD = "systemd/re-apply.service";

export function kitFacts(): readonly KitFacts[] {
  const github = at(readYaml(GITHUB), "jobs", "re-apply");
  const step = (at(github, "steps") as { env?: unknown }[]).find(
    ({ env }) => env !== undefined,
  )?.env;
  const githubCheck = at(
    readYaml("github-actions/.github/workflows/check-rotation.yml"),
    "jobs",
    "check-rotation",
  );
  const gitlab = readYaml(GITLAB);
  const job = at(gitlab, "re-apply");
  const kubernetes = at(readYaml(KUBERNETES), "spec");
  const container = (file: string) =>
    at(readYaml(file), "spec", "jobTemplate", "spec", "template", "spec", "containers", 0);
  const variable = (file: string, name: string) =>
    (at(container(file), "env") as { name: string; value: string }[]).find(
      (entry) => entry.name === name,
    )?.value ?? "";
  const unit = (file: string, pattern: RegExp) => pattern.exec(read(file))?.[1] ?? "";
  return [
    {
      name: "GitHub Actions",
      file: GITHUB,
      cron: String(at(readYaml(GITHUB), "on", "schedule", 0, "cron")),
      timeoutMinutes: Number(at(github, "timeout-minutes")),
      allowedAuthUrls: String(at(step, "IAM_TOKENS_ALLOWED_AUTH_URLS")),
      lockTimeout: String(at(step, "LOCK_TIMEOUT")),
      graceHours: Number(at(githubCheck, "env", "GRACE_HOURS")),
    },
    {
      name: "GitLab CI",
      file: GITLAB,
      cron: unit(GITLAB, /^# {3}(\S+ \S+ \* \* \*) .* TASK = re-apply$/m),
      timeoutMinutes: Number.parseInt(String(at(job, "timeout")), 10),
      allowedAuthUrls: String(at(job, "variables", "IAM_TOKENS_ALLOWED_AUTH_URLS")),
      lockTimeout: String(at(job, "variables", "LOCK_TIMEOUT")),
      graceHours: Number(at(gitlab, "check-rotation", "variables", "GRACE_HOURS")),
    },
    {
      name: "systemd",
      file: SYSTEMD,
      cron: unit("systemd/re-apply.timer", /^OnCalendar=(.*)$/m).replace(
        /^\*-\*-\* 0\/(\d+):(\d\d):00 UTC$/,
        "$2 */$1 * * *",
      ),
      timeoutMinutes: Number(unit(SYSTEMD, /^TimeoutStartSec=(\d+)min$/m)),
      allowedAuthUrls: unit(SYSTEMD, /^Environment=IAM_TOKENS_ALLOWED_AUTH_URLS=(.*)$/m),
      lockTimeout: unit(SYSTEMD, /^Environment=.*\bLOCK_TIMEOUT=(\S+)/m),
      graceHours: Number(unit("systemd/check-rotation.service", /\bGRACE_HOURS=(\S+)/)),
    },
    {
      name: "Kubernetes",
      file: KUBERNETES,
      cron: String(at(kubernetes, "schedule")),
      timeoutMinutes: Number(at(kubernetes, "jobTemplate", "spec", "activeDeadlineSeconds")) / 60,
      allowedAuthUrls: variable(KUBERNETES, "IAM_TOKENS_ALLOWED_AUTH_URLS"),
      lockTimeout: variable(KUBERNETES, "LOCK_TIMEOUT"),
      graceHours: Number(variable("kubernetes/check-rotation.yaml", "GRACE_HOURS")),
    },
  ];
}
