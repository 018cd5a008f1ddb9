import type {
  IdentityServiceProps,
  ServiceUser,
  ServiceUserTokenProps,
  StaticTokenRefProps,
  TokenOutputsProps,
} from "../../lib";

/** A value that is checked against a type: what does not fit does not compile. */
const as = <T>(value: T): T => value;

/**
 * Code that must not compile. `npm run lint` compiles the tests, and an expectation without its
 * error is an error there.
 */
const refused = {
  // @ts-expect-error a literal password
  password: () => as<ServiceUser["password"]>("secret"),
  // @ts-expect-error an object that only looks like a reference
  lookalike: () => as<ServiceUser["password"]>({ source: { from: "env", name: "X" } }),
  // @ts-expect-error an account number as a number
  account: () => as<IdentityServiceProps["accountId"]>(123456),
  // @ts-expect-error a literal static token
  token: () => as<StaticTokenRefProps["source"]>("secret"),
  // @ts-expect-error a string as scope
  scope: () => as<ServiceUserTokenProps["scope"]>("account"),
  // @ts-expect-error a string as token
  outputs: () => as<TokenOutputsProps["token"]>("secret"),
};

test("the list of code that must not compile is complete", () => {
  expect(Object.keys(refused)).toHaveLength(6);
});
