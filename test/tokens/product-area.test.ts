import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  headerNameOf,
  IAM_TOKEN_LIFETIME_MS,
  IAM_TOKEN_ROWS,
  KIND_OF_SCOPE,
  mayManage,
  PRODUCT_AREAS,
  type ProductAreaId,
  TOKEN_KINDS,
  tokenKindsFor,
} from "../../lib/tokens";

const SPEC = readFileSync(join(__dirname, "spec/request-authentication.md"), "utf8");

/** The rows of the table below a title: their cells, without the head. */
function rowsBelow(title: string): string[][] {
  const [, section = ""] = SPEC.split(`### ${title}\n`);
  const lines =
    section
      .split(/\n#/, 1)[0]
      ?.split("\n")
      .filter((line) => line.startsWith("|")) ?? [];
  return lines.slice(2).map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

describe("the spec's text", () => {
  test("has for each kind of token what the data has, word for word", () => {
    const access = "at the level of login and password in the control panel";
    const ofIamTokens = Object.entries(IAM_TOKEN_ROWS).map(([kind, { grants }]) => [
      kind,
      `${Object.keys(grants).join("; ")}. Access is ${access} for most products.`,
    ]);
    expect(rowsBelow("What each token kind manages")).toEqual([
      ...ofIamTokens,
      [
        "static_token",
        `all products except OpenStack API objects, with full access ${access}. It is the only usable token for any API that accepts neither kind of IAM token.`,
      ],
    ]);
  });

  test("lists the product APIs that the data has, in its order and words", () => {
    const [, list = ""] = /a set of product APIs: (.+?)\./.exec(SPEC) ?? [];
    const [, objects] = /In addition it exposes (.+?) \(/.exec(SPEC) ?? [];
    const listed = list.split(/, | and (?=tickets$)/);
    expect([...listed, objects]).toEqual(
      Object.values(PRODUCT_AREAS).filter((wording) => wording !== null),
    );
  });

  test("has the kinds of token with the headers and the lifetime that the code gives them", () => {
    const hours = `${IAM_TOKEN_LIFETIME_MS / 3_600_000} hours`;
    const rows = rowsBelow("Token kinds").map(([kind, , , header, life]) => [kind, header, life]);
    expect(rows).toEqual(
      TOKEN_KINDS.map((kind) => [
        kind,
        headerNameOf(kind),
        kind === "static_token" ? "not limited" : hours,
      ]),
    );
  });
});

/** How a wording names an area. */
const nameOf = (area: ProductAreaId) => PRODUCT_AREAS[area] ?? area.replaceAll("_", " ");

test("an area is granted only by words that name it", () => {
  for (const { grants, unclear = [] } of Object.values(IAM_TOKEN_ROWS)) {
    for (const [wording, areas] of Object.entries(grants))
      for (const area of areas) expect(wording).toContain(nameOf(area));
    for (const area of unclear) expect(Object.keys(grants).join()).not.toContain(nameOf(area));
  }
});

/** The answers as a person reads them from the spec: account, project, static. */
test.each<[ProductAreaId, string]>([
  ["iam", "yes no yes"],
  ["federations", "yes no yes"],
  ["dedicated_servers", "yes yes yes"],
  ["cloud_platform_projects_and_resources", "yes unknown yes"],
  ["project_quotas_and_limits", "yes unknown yes"],
  ["cloud_databases", "no yes yes"],
  ["managed_kubernetes", "no yes yes"],
  ["secrets", "no yes yes"],
  ["certificates", "no yes yes"],
  ["swift", "no yes yes"],
  ["object_storage", "no yes yes"],
  ["dns_hosting", "unknown unknown yes"],
  ["ip_address_accounting", "unknown unknown yes"],
  ["audit_logs", "no yes yes"],
  ["tickets", "unknown unknown yes"],
  ["openstack_api_objects", "yes yes no"],
  ["balance_and_consumption_statistics", "yes no yes"],
  ["global_router", "yes no yes"],
])("%s: %s", (area, answers) => {
  expect(TOKEN_KINDS.map((kind) => mayManage(kind, area)).join(" ")).toBe(answers);
  expect(tokenKindsFor(area)).toEqual(
    TOKEN_KINDS.filter((_kind, index) => answers.split(" ")[index] === "yes"),
  );
});

test("each scope has its kind", () => {
  expect(KIND_OF_SCOPE).toEqual({ account: TOKEN_KINDS[0], project: TOKEN_KINDS[1] });
});
