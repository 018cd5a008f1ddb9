import { canBeIssued } from "../../lib/tokens";

const account = { area: "account" } as const;
const project = (name: string) => ({ area: "project", project: name }) as const;
const projects = (...names: string[]) => ({ area: "projects", projects: names }) as const;

test.each([
  ["account", "Account", account, account, true],
  ["project", "Account", project("web"), account, true],
  ["account", "Projects", account, projects("web"), false],
  ["project", "Projects with it chosen", project("web"), projects("shop", "web"), true],
  ["project", "Projects with another chosen", project("web"), projects("shop"), false],
  ["project", "Projects with one of another case chosen", project("web"), projects("Web"), false],
  ["project", "Projects with none chosen", project("web"), projects(), false],
])("a token of the %s, with the access area %s", (_scope, _area, asked, permission, can) => {
  expect(canBeIssued(asked, permission)).toBe(can);
});
