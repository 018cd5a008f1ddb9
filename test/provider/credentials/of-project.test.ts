import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join, relative } from "node:path";
import { isOfProject } from "../../../lib/provider/credentials/of-project";
import { eachIn } from "../fixtures";

const HOME = realpathSync(userInfo().homedir);

let folder: string;
eachIn((own) => {
  folder = own;
  for (const name of [
    ...["repo/.git", "repo/stack", "else", "archive/cdktf.out/stacks/a"],
    ...["repo/module/.git", "archive/nested/.git", "linked/nested/.git"],
  ])
    mkdirSync(join(folder, name), { recursive: true });
  for (const name of [
    ...["repo/stack/a", "repo/stack/cdktf.json", "repo/a", "repo/..a", "else/a"],
    ...["archive/cdktf.json", "archive/a", "linked/a"],
  ])
    writeFileSync(join(folder, name), "");
  symlinkSync("../../else/a", join(folder, "repo/stack/link"));
  symlinkSync("/nonexistent", join(folder, "linked/.git"));
  symlinkSync("../repo/a", join(folder, "else/link"));
});

test.each([
  ["repo/stack", "repo/stack/a", true],
  ["repo/stack", "repo/a", true],
  ["repo", "repo/..a", true],
  ["archive/cdktf.out/stacks/a", "archive/a", true],
  ["archive/cdktf.out/stacks/a", "else/a", false],
  // The border is the outermost mark: a submodule, or a .git that came along, does not move it.
  ["repo/module", "repo/a", true],
  ["archive/nested", "archive/a", true],
  ["linked/nested", "linked/a", true],
  ["repo/module", "else/a", false],
  ["repo/stack", "repo/stack/link", true],
  ["repo/stack", "else/link", true],
  ["repo/stack", "else/a", false],
  ["else", "repo/a", false],
])("in %s, %s: %s", (current, path, isProjects) => {
  const found = join(folder, path);
  const file = { path: found, realPath: realpathSync(found) };
  expect(isOfProject(file, join(folder, current))).toBe(isProjects);
});

test.each([HOME, "/"])(
  "in %s, which contains the user's home, only its own files are",
  (current) => {
    const at = (...names: string[]) => {
      const path = join(current, relative(current, HOME), ...names);
      return isOfProject({ path, realPath: path }, current);
    };
    expect(at(".config", "openstack", "clouds.yaml")).toBe(false);
    const path = join(current, "clouds.yaml");
    expect(isOfProject({ path, realPath: path }, current)).toBe(true);
  },
);
