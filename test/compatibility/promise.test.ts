import { createIamProvider } from "../../lib/provider/iam-provider";
import { ERROR_CODES } from "../../lib/tokens/error-codes";
import { brokenIn, type Contract, contractOf, presentVersion, promised, verdict } from "./promise";

const present = contractOf(createIamProvider({ processContext: undefined as never }));

test("configurations in HCL and error codes of the last release still work", () => {
  const { text, released } = promised("hcl.json");
  const { version, contract, codes } = JSON.parse(text);
  const gone = codes.filter((code: string) => !(code in ERROR_CODES));
  const broken = [...brokenIn(contract, present), ...gone.map((code: string) => `${code} is gone`)];
  expect(verdict({ broken, former: version, released, ...presentVersion() })).toBeUndefined();
});

/** The contract with other attributes in one block; undefined removes one. */
function changed(block: string, change: object): Contract {
  return JSON.parse(JSON.stringify({ ...present, [block]: { ...present[block], ...change } }));
}

describe("a configuration breaks", () => {
  const DATA = 'data "iam_token"';
  test.each<[string, object, string]>([
    [
      "if an argument is renamed",
      { project_name: undefined, project: present[DATA]?.project_name },
      "project_name was removed",
    ],
    [
      "if an attribute has another type",
      { expires_at: ["number", "computed"] },
      "expires_at has another type",
    ],
    [
      "if an optional argument becomes required",
      { project_name: ["string", "required"] },
      "project_name is required now",
    ],
    [
      "if a new argument is required",
      { region: ["string", "required"] },
      "region is new and required",
    ],
    [
      "if a secret is no longer marked",
      { token: ["string", "computed"] },
      "token is sensitive in only one of them",
    ],
    [
      "if an argument can no longer be given",
      { min_remaining: ["string", "computed"] },
      "min_remaining can no longer be given",
    ],
  ])("%s", (_, change, problem) => {
    expect(brokenIn(present, changed(DATA, change))).toEqual([`${DATA}, ${problem}`]);
  });

  test("if an object is gone", () => {
    const { [DATA]: _, ...rest } = present;
    expect(brokenIn(present, rest)).toEqual([`${DATA} was removed`]);
  });

  test("but not if something is added, or a required argument becomes optional", () => {
    const more = changed(DATA, {
      region: ["string", "optional"],
      scope: ["string", "optional"],
    });
    expect(brokenIn(present, more)).toEqual([]);
  });
});

describe("a break", () => {
  const broken = ['data "iam_token", project_name was removed'];
  const change = { broken, former: "0.1.3", released: true, changelog: "" };
  const LINE = "- **Breaking**: `project_name` is `project`.\n";

  test("is an error that says what to do", () => {
    expect(verdict({ ...change, present: "0.1.4" })).toBe(
      `This breaks what 0.1.3 has promised (docs/compatibility.md):
  - data "iam_token", project_name was removed
Keep the old name and mark it @deprecated.
If it has to break: raise the version in package.json to 0.2.0, and write into that chapter of CHANGELOG.md a line that begins with "- **Breaking**: ".`,
    );
    expect(verdict({ ...change, present: "0.1.4", released: false })).toContain(
      'has no tag, so nobody has it yet: "npm run docs -- --promise"',
    );
  });

  test.each([
    ["0.1.3", "0.2.0", `## 0.2.0\n\n${LINE}`, true],
    ["0.1.3", "0.2.0", "## 0.2.0\n\n- `project_name` is `project`.\n", false],
    ["0.1.3", "0.2.0", `## 0.2.0\n\n- Something.\n\n## 0.1.3\n\n${LINE}`, false],
    ["0.1.3", "0.1.4", `## 0.1.4\n\n${LINE}`, false],
    ["1.4.2", "1.5.0", `## 1.5.0\n\n${LINE}`, false],
    ["1.4.2", "2.0.0", `## 2.0.0\n\n${LINE}`, true],
  ])("from %s to %s, with the chapter %j, may be released: %s", (former, to, changelog, may) => {
    expect(verdict({ ...change, former, present: to, changelog }) === undefined).toBe(may);
  });
});
