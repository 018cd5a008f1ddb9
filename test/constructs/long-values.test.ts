import { IdentityService, SecretRef, ServiceUserToken, TokenScope } from "../../lib";
import { mistakesOf, testStack } from "./support";

const HUGE = "x".repeat(5_000_000);
const IDENTITY = {
  authUrl: "https://a.test",
  accountId: "1",
  serviceUser: { name: "u", password: SecretRef.env("P") },
};
const TOKEN = { scope: TokenScope.account() };

describe("a value that is too long is refused at synthesis, in a short message", () => {
  test.each([
    ["accountId", { accountId: HUGE }],
    ["the user's name", { serviceUser: { name: HUGE, password: SecretRef.env("P") } }],
    ["a variable's name", { serviceUser: { name: "u", password: SecretRef.env(HUGE) } }],
    ["a variable of Terraform", { serviceUser: { name: "u", password: SecretRef.variable(HUGE) } }],
    ["retryFor", { retryFor: HUGE }],
  ])("%s", (_what, more) => {
    const stack = testStack();
    new IdentityService(stack, "identity", { ...IDENTITY, ...more });
    const mistakes = mistakesOf(stack);
    expect(mistakes).toHaveLength(1);
    expect(mistakes.join().length).toBeLessThan(4_096);
  });

  test.each([
    ["a project's name", { scope: TokenScope.project(HUGE) }],
    ["minRemaining", { ...TOKEN, minRemaining: HUGE }],
  ])("%s", (_what, props) => {
    const stack = testStack();
    const identity = new IdentityService(stack, "identity", IDENTITY);
    new ServiceUserToken(stack, "t", { identity, ...props });
    const mistakes = mistakesOf(stack);
    expect(mistakes).toHaveLength(1);
    expect(mistakes.join().length).toBeLessThan(4_096);
  });
});

test("no name is a command for a CI system in a message of synthesis", () => {
  const stack = testStack();
  const name = " ::stop-commands::x ##vso[task.x]";
  const identity = new IdentityService(stack, "identity", {
    ...IDENTITY,
    serviceUser: { name, password: SecretRef.env("P") },
  });
  new ServiceUserToken(stack, "t", { identity, scope: TokenScope.project(name) });
  const mistakes = mistakesOf(stack);
  expect(mistakes).toHaveLength(2);
  expect(mistakes.join("\n")).not.toMatch(/::[a-z]|##/);
});
