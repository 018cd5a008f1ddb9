import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packageRoot } from "../support/project";
import type { Framework } from "../support/terrain";
import { writeTerrainPackage } from "../support/terrain";

/** The blocks of a page as that framework's package has it, in one language. */
export function pageBlocks(framework: Framework, page: string, language: string): string[] {
  const fenced = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm");
  return [...fileOf(framework, page).matchAll(fenced)].map(([, inside = ""]) => inside);
}

/** The first of them with that word. */
export function block(framework: Framework, page: string, language: string, word: string): string {
  const found = pageBlocks(framework, page, language).find((inside) => inside.includes(word));
  if (found === undefined) throw new Error(`docs/${page} has no ${language} with "${word}".`);
  return found;
}

/** A program that the page links to, as that framework's package has it. */
export const program = (framework: Framework, name: string): string =>
  fileOf(framework, `languages/${name}`);

function fileOf(framework: Framework, path: string): string {
  const read = (folder: string) => readFileSync(join(folder, "docs", path), "utf8");
  if (framework === "cdktf") return read(packageRoot);
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "iam-pages-"));
  try {
    writeTerrainPackage(folder);
    return read(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Every language's program writes a token for a command, and one that an output stores. */
export function expectProgram(project: string): void {
  const file = join(project, "cdktf.out/stacks/web/cdk.tf.json");
  const { ephemeral, resource, output } = JSON.parse(readFileSync(file, "utf8"));
  expect(ephemeral.iam_token.web).toMatchObject({ scope: "project", project_name: "web" });
  expect(resource.terraform_data.call.provisioner[0]["local-exec"].environment).toEqual({
    API: "${ephemeral.iam_token.web.token}",
    API_HEADER: "X-Auth-Token",
  });
  expect(resource.iam_token.shared).toMatchObject({ scope: "account" });
  expect(output.ci_value).toMatchObject({ value: "${iam_token.shared.token}", sensitive: true });
}
