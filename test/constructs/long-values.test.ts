import {
  IdentityService,
  SecretRef,
  ServiceUserToken,
  StaticTokenRef,
  TokenScope,
} from "../../lib";
import { mistakesOf, testStack } from "./support";

const HUGE = "x".repeat(5_000_000);
const SLASHES = `https://a.test/${"/".repeat(160_000)}x`;
const IDENTITY = {
  authUrl: "https://a.test",
  accountId: "1",
  serviceUser: { name: "u", password: SecretRef.env("P") },
};
const TOKEN = { scope: TokenScope.account() };

describe("a value that is too long is refused at synthesis, in a short message", () => {
  test.each([
    ["authUrl", { authUrl: SLASHES }],
    ["accountId", { accountId: HUGE }],
    ["the user's name", { serviceUser: { name: HUGE, password: SecretRef.env("P") } }],
    ["a variable's name", { serviceUser: { name: "u", password: SecretRef.env(HUGE) } }],
    ["a password's file", { serviceUser: { name: "u", password: SecretRef.file(HUGE) } }],
    ["a variable of Terraform", { serviceUser: { name: "u", password: SecretRef.variable(HUGE) } }],
    ["baseUrl", { baseUrl: SLASHES }],
    ["caFile", { caFile: HUGE }],
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
    ["a destination", { ...TOKEN, destinations: [SLASHES] }],
    [
      "257 destinations",
      {
        ...TOKEN,
        destinations: Array.from({ length: 257 }, (_, index) => `https://a.test/${index}`),
      },
    ],
  ])("%s", (_what, props) => {
    const stack = testStack();
    const identity = new IdentityService(stack, "identity", IDENTITY);
    new ServiceUserToken(stack, "t", { identity, ...props });
    const mistakes = mistakesOf(stack);
    expect(mistakes).toHaveLength(1);
    expect(mistakes.join().length).toBeLessThan(4_096);
  });

  test("a static token's file", () => {
    const stack = testStack();
    new StaticTokenRef(stack, "t", { source: SecretRef.file(HUGE) });
    expect(mistakesOf(stack).join().length).toBeLessThan(4_096);
    expect(mistakesOf(stack)).toHaveLength(1);
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
