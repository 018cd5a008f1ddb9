import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { packageRoot } from "../support/project";

const textOf = (path: string) => readFileSync(join(packageRoot, path), "utf8");
const under = (folder: string, end: RegExp) =>
  readdirSync(join(packageRoot, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => end.test(path) && !path.includes("node_modules"))
    .map((path) => join(folder, path).replaceAll("\\", "/"));

const OWN = under(".github/workflows", /\.yml$/);
const KITS = under("examples", /\.yml$/);

test("workflows, and those of the kits, name each action by its commit, with the version behind it", () => {
  const files = [...OWN, ...KITS.filter((path) => !path.includes("gitlab"))];
  const used = files.flatMap((path) => textOf(path).match(/(?<=uses: )(?!\.\/).*/g) ?? []);
  expect(files.length).toBeGreaterThan(5);
  expect(used.length).toBeGreaterThan(20);
  expect(used.filter((action) => !/^[\w/-]+@[0-9a-f]{40} # v\d+(\.\d+)+$/.test(action))).toEqual(
    [],
  );
  // One version of each.
  const versions = new Set(used.map((action) => action.split("@")[0]));
  expect(new Set(used).size).toBe(versions.size);
});

test("what workflows and kits run of other people is fixed by a lock file, and installed without its scripts", () => {
  for (const path of [...OWN, ...KITS]) {
    const text = textOf(path);
    expect(parse(text)).toBeTruthy();
    expect(text).not.toMatch(
      // Maven takes the newest of its plugins, and what they need, without a hash.
      /npx (--yes|-y|--package)|npm (i|install|exec) |pip install|publib-maven|mvn |--clobber/,
    );
    expect(text.match(/npm ci(?! --ignore-scripts)/g)).toBeNull();
    expect(text.match(/pip download(?! --require-hashes)/g)).toBeNull();
  }
});

test("an app's token is for the repositories that the job writes to", () => {
  const apps = OWN.flatMap((path) =>
    textOf(path)
      .split(/^ {6}- /m)
      .filter((step) => step.includes("create-github-app-token")),
  );
  expect(apps).toHaveLength(2);
  expect(apps.filter((step) => !/^ {10}repositories: \S+$/m.test(step))).toEqual([]);
});

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly environment?: string;
  readonly steps: readonly { readonly run?: string }[];
}

test("a kit installs packages in a job that has neither a secret nor an identity, and no job has a secret for all of its steps", () => {
  for (const path of KITS.filter((each) => !each.includes("gitlab"))) {
    const { permissions, jobs } = parse(textOf(path)) as {
      readonly permissions: unknown;
      readonly jobs: Readonly<Record<string, Job>>;
    };
    expect(permissions).toEqual({ contents: "read" });
    for (const [name, { env = {}, steps, ...job }] of Object.entries(jobs)) {
      expect(JSON.stringify(env)).not.toContain("secrets.");
      const installs = steps.some(({ run = "" }) => run.includes("npm ci"));
      expect(installs).toBe(name === "install");
      if (installs) expect([job.permissions, job.environment]).toEqual([undefined, undefined]);
    }
  }
});

test("dependabot knows each folder with a lock file, and each with actions", () => {
  const { updates } = parse(textOf(".github/dependabot.yml")) as {
    readonly updates: readonly {
      readonly "package-ecosystem": string;
      readonly directories?: readonly string[];
      readonly directory?: string;
    }[];
  };
  const known = (ecosystem: string) =>
    updates
      .filter((each) => each["package-ecosystem"] === ecosystem)
      .flatMap(({ directories = [], directory }) => (directory ? [directory] : directories));
  const foldersOf = (name: string) =>
    ["", ...["lib", "test"].flatMap((folder) => under(folder, new RegExp(`/${name}$`)))]
      .map((path) => (path === "" ? "/" : `/${path.slice(0, -name.length - 1)}`))
      .filter((folder) => existsSync(join(packageRoot, folder, name)));
  expect(known("npm").toSorted()).toEqual(foldersOf("package-lock.json").toSorted());
  expect(known("pip")).toEqual(foldersOf("requirements.txt"));
  expect(known("github-actions")).toEqual([
    "/",
    ...KITS.filter((path) => !path.includes("gitlab"))
      .map((path) => `/${path.slice(0, path.lastIndexOf("/"))}`)
      .filter((folder, index, all) => all.indexOf(folder) === index),
  ]);
});
