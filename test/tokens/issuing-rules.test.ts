import { canBeIssued } from "../../lib/tokens";

const account = { area: "account" } as const;
const project = (name: string) => ({ area: "project", project: name }) as const;
const projects = (...names: string[]) => ({ area: "projects", projects: names }) as const;

test.each([
  [account, account, true],
  [project("web"), account, true],
  [account, projects("web"), false],
  [project("web"), projects("shop", "web"), true],
  [project("web"), projects("shop", "Web"), false],
])("whether a token for %j is issued with the permission %j: %s", (asked, permission, can) => {
  expect(canBeIssued(asked, permission)).toBe(can);
});
