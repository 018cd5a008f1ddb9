import type { IdentityService } from "../../lib";
import {
  type IdentityServiceProps,
  SecretRef,
  type ServiceUser,
  type ServiceUserTokenProps,
  type StaticTokenRefProps,
  type TokenOutputsProps,
  TokenScope,
} from "../../lib";

/** A value that is checked against a type: what does not fit does not compile. */
const as = <T>(value: T): T => value;
const password = SecretRef.env("X");

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
  // @ts-expect-error a user without a name
  user: () => as<ServiceUser>({ password }),
  // @ts-expect-error a literal static token
  token: () => as<StaticTokenRefProps["source"]>("secret"),
  // @ts-expect-error a string as scope
  scope: () => as<ServiceUserTokenProps["scope"]>("account"),
  // @ts-expect-error no scope
  noScope: (identity: IdentityService) => as<ServiceUserTokenProps>({ identity }),
  // @ts-expect-error a string as token
  outputs: () => as<TokenOutputsProps["token"]>("secret"),
  // @ts-expect-error a project's number
  project: () => TokenScope.project(1),
  // @ts-expect-error a property that there is not
  later: () => as<StaticTokenRefProps>({ source: password, region: "r-1" }),
};

test("the list of code that must not compile is complete", () => {
  expect(Object.keys(refused)).toHaveLength(10);
});
