import { describeIf } from "../../support/skips";
import { hasTerraform, noTerraform } from "../../support/terraform";
import { HOUR, type Instance, RotationStage } from "./rotation-stage";

jest.setTimeout(120_000);

const token = (name: string, more = "") =>
  `resource "iam_token" "${name}" {\n  scope = "account"\n  ${more}\n}\n`;
const lifecycle = (rule: string) => `lifecycle {\n    ${rule}\n  }`;

describeIf(hasTerraform(), noTerraform())("rotating tokens", () => {
  let stage: RotationStage;

  beforeEach(async () => {
    stage = await RotationStage.open();
  });
  afterEach(() => stage.close());

  const created = async (body: string, options: { readonly block?: boolean } = {}) => {
    stage.write(body, options);
    await stage.apply();
    stage.requests();
  };

  /** The number of each token, by its address in the configuration. */
  const rotations = (): Record<string, number> => {
    const resources: readonly {
      type: string;
      name: string;
      instances: readonly (Instance & { index_key?: string })[];
    }[] = JSON.parse(stage.state()).resources;
    return Object.fromEntries(
      resources.flatMap(({ type, name, instances }) =>
        instances
          .filter(() => type !== "terraform_data")
          .map(
            ({ index_key: key, attributes }) =>
              [key === undefined ? name : `${name}.${key}`, attributes.rotation] as const,
          ),
      ),
    );
  };

  test("each key of for_each has its own, which it keeps when it is moved there and when others come and go", async () => {
    const each = (keys: string) =>
      `resource "iam_token" "of" {\n  for_each = toset(${keys})\n  scope = "project"\n  project_name = each.key\n}\n`;
    await created('resource "iam_token" "web" {\n  scope = "project"\n  project_name = "web"\n}');
    const { id } = stage.instance().attributes;
    stage.write(
      `${each('["web", "shop"]')}moved {\n  from = iam_token.web\n  to = iam_token.of["web"]\n}`,
    );
    expect(await stage.apply()).toMatch("1 added, 0 changed, 0 destroyed");
    stage.now += 13 * HOUR;
    await stage.apply();
    expect(rotations()).toEqual({ "of.shop": 2, "of.web": 2 });
    stage.requests();
    stage.write(each('["web"]'));
    expect(await stage.apply()).toMatch("0 added, 0 changed, 1 destroyed");
    expect(stage.instance().attributes).toMatchObject({ id, rotation: 2 });
    expect(stage.requests()).toBe(0);
  });

  test.each([
    ["prevent_destroy = true"],
    ["create_before_destroy = true"],
    ["ignore_changes = all"],
  ])("rotates in place under %s", async (rule) => {
    await created(token("ci", lifecycle(rule)));
    const { id } = stage.instance().attributes;
    stage.now += 13 * HOUR;
    expect(await stage.apply()).toMatch("0 added, 1 changed, 0 destroyed");
    expect(stage.instance().attributes).toMatchObject({ id, rotation: 2 });
    expect(stage.requests()).toBe(1);
  });

  test("is replaced by replace_triggered_by, and triggers the replacement of others when it rotates", async () => {
    const body = (release: string) =>
      `resource "terraform_data" "release" {\n  input = "${release}"\n}\n${token("ci", lifecycle("create_before_destroy = true\n    replace_triggered_by = [terraform_data.release]"))}` +
      `resource "terraform_data" "user" {\n  input = "x"\n  ${lifecycle("replace_triggered_by = [iam_token.ci.rotation]")}\n}\n`;
    await created(body("1"));
    stage.now += 13 * HOUR;
    expect(await stage.apply()).toMatch("1 added, 1 changed, 1 destroyed");
    expect(rotations()).toEqual({ ci: 2 });
    stage.write(body("2"));
    await stage.apply();
    expect(rotations()).toEqual({ ci: 1 });
    expect(await stage.succeed("plan")).toMatch("No changes.");
    expect(stage.requests()).toBe(2);
  });
});
