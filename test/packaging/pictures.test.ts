import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../support/project";

test("the picture of README.md names places where docs/using-tokens.md lets an ephemeral token work, on light and on dark pages", () => {
  const [light = "", dark = ""] = ["", "-dark"].map((mode) =>
    readFileSync(join(packageRoot, `docs/where-a-token-goes${mode}.svg`), "utf8"),
  );
  const uses = /The token goes to (a .*?);/.exec(light)?.[1]?.split(", ") ?? [];
  const page = readFileSync(join(packageRoot, "docs/using-tokens.md"), "utf8");
  expect(uses).toHaveLength(3);
  for (const use of uses) expect(page).toContain(`| ${use.replace(/^a /, "")} | works |`);
  const colours = /#[0-9a-f]{6}\b/g;
  expect(dark.replace(colours, "")).toBe(light.replace(colours, ""));
});
