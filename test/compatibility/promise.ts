import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CtyType } from "../../lib/plugin/cty/value";
import type { BlockSchema, Provider } from "../../lib/plugin/provider";
import { packageRoot } from "../support/project";

/** An argument or attribute of a Terraform object: its type, and how it may be used. */
type Attribute = readonly [type: CtyType, ...uses: string[]];

/** By the head of a block (`data "iam_token"`, `provider`), by name. */
export type Contract = Readonly<Record<string, Readonly<Record<string, Attribute>>>>;

type Schemas = Pick<Provider<never>, "schema" | "resources" | "dataSources" | "ephemeralResources">;

/** What a configuration in HCL relies on: without descriptions. */
export function contractOf(provider: Schemas): Contract {
  const { schema, resources = {}, dataSources, ephemeralResources } = provider;
  const kinds = { resource: resources, data: dataSources, ephemeral: ephemeralResources };
  return Object.fromEntries([
    ["provider", attributesOf(schema)],
    ...Object.entries(kinds).flatMap(([kind, objects]) =>
      Object.entries(objects).map(([name, object]) => [
        `${kind} "${name}"`,
        attributesOf((object as { readonly schema: BlockSchema }).schema),
      ]),
    ),
  ]);
}

const USES = ["required", "optional", "computed", "sensitive", "writeOnly"] as const;

function attributesOf({ attributes }: BlockSchema): Readonly<Record<string, Attribute>> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, attribute]) => [
      name,
      [attribute.type, ...USES.filter((use) => attribute[use] === true)],
    ]),
  );
}

/** What a configuration that worked with the first can no longer do with the second. */
export function brokenIn(former: Contract, present: Contract): readonly string[] {
  return Object.entries(former).flatMap(([block, attributes]) => {
    const now = present[block];
    if (now === undefined) return [`${block} was removed`];
    const added = Object.entries(now).filter(([name]) => attributes[name] === undefined);
    return [
      ...Object.entries(attributes).flatMap(([name, attribute]) =>
        problemsOf(`${block}, ${name}`, attribute, now[name]),
      ),
      ...added
        .filter(([, [, ...uses]]) => uses.includes("required"))
        .map(([name]) => `${block}, ${name} is new and required`),
    ];
  });
}

function problemsOf(name: string, [type, ...uses]: Attribute, now?: Attribute): readonly string[] {
  if (now === undefined) return [`${name} was removed`];
  const [nowType, ...nowUses] = now;
  const lost = (use: string) => uses.includes(use) && !nowUses.includes(use);
  const gained = (use: string) => !uses.includes(use) && nowUses.includes(use);
  return [
    ...(JSON.stringify(type) === JSON.stringify(nowType) ? [] : ["has another type"]),
    ...(gained("required") ? ["is required now"] : []),
    ...(lost("optional") && !nowUses.includes("required") ? ["can no longer be given"] : []),
    ...(lost("computed") ? ["is no longer given by the provider"] : []),
    // An output of it would need `sensitive`, or show what it hides.
    ...(gained("sensitive") || lost("sensitive") ? ["is sensitive in only one of them"] : []),
    ...(gained("writeOnly") ? ["can no longer be read"] : []),
  ].map((problem) => `${name} ${problem}`);
}

interface Change {
  readonly broken: readonly string[];
  /** The version that made the promise, and whether it is tagged. */
  readonly former: string;
  readonly released: boolean;
  /** The version of this checkout, and its CHANGELOG.md. */
  readonly present: string;
  readonly changelog: string;
}

/**
 * Whether a change may be released under its version (docs/compatibility.md).
 *
 * @returns what to do, or undefined
 */
export function verdict({ broken, former, released, present, changelog }: Change) {
  if (broken.length === 0) return undefined;
  const next = nextBreaking(former);
  const [, chapter = ""] = changelog.split(new RegExp(`^## ${literally(present)}$`, "m"));
  const lines = (chapter.split(/^## /m)[0] ?? "").match(/^- \*\*Breaking\*\*: .*$/gm) ?? [];
  if (compare(present, next) >= 0 && lines.length > 0) return undefined;
  return [
    `This breaks what ${former} has promised (docs/compatibility.md):`,
    ...broken.map((each) => `  - ${each}`),
    "Keep the old name and mark it @deprecated.",
    `If it has to break: raise the version in package.json to ${next}, and write into that chapter of CHANGELOG.md a line that begins with "- **Breaking**: ".`,
    ...(released
      ? []
      : [
          `${former} has no tag, so nobody has it yet: "npm run docs -- --promise" makes the present API its promise.`,
        ]),
  ].join("\n");
}

/** Before 1.0, a minor version may break. */
function nextBreaking(version: string): string {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major === 0 ? `0.${minor + 1}.0` : `${major + 1}.0.0`;
}

function compare(one: string, other: string): number {
  const [a = [], b = []] = [one, other].map((each) => each.split(/[.-]/).slice(0, 3).map(Number));
  const at = a.findIndex((part, index) => part !== b[index]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

/**
 * The promise of the last tag: a file of this folder as that commit has it. Without a tag, or in a
 * clone without tags, the checked-in one: only a release renews it.
 */
export function promised(name: string): { readonly text: string; readonly released: boolean } {
  const git = (...args: string[]) => {
    const { status, stdout } = spawnSync("git", args, { cwd: packageRoot, encoding: "utf8" });
    return status === 0 ? stdout : undefined;
  };
  const path = `test/compatibility/${name}`;
  const tag = git("describe", "--tags", "--abbrev=0", "--match", "v[0-9]*")?.trim();
  const tagged = tag === undefined ? undefined : git("show", `${tag}:${path}`);
  const text = tagged ?? readFileSync(join(packageRoot, path), "utf8");
  return { text, released: tagged !== undefined };
}

/** This checkout, for {@link verdict}. */
export function presentVersion(): Pick<Change, "present" | "changelog"> {
  const read = (name: string) => readFileSync(join(packageRoot, name), "utf8");
  return { present: JSON.parse(read("package.json")).version, changelog: read("CHANGELOG.md") };
}

const literally = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");
