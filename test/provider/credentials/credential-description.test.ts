import {
  argumentsGiving,
  PIECES,
  tlsFilesBy,
  variablesGiving,
} from "../../../lib/provider/credentials/credential-description";
import { surroundingsOf } from "../fixtures";

const filesOf = (given: Readonly<Record<string, string>>) =>
  tlsFilesBy(["ca", "cert", "key"], (name) => {
    const path = given[name];
    return path === undefined ? undefined : { path, origin: name };
  });

describe("the files for TLS of a source", () => {
  test("are none, a CA, a certificate with its key, or all", () => {
    const ca = { path: "1", origin: "ca" };
    const pair = { cert: { path: "2", origin: "cert" }, key: { path: "3", origin: "key" } };
    expect(filesOf({})).toStrictEqual({});
    expect(filesOf({ ca: "1" })).toStrictEqual({ caFile: ca });
    expect(filesOf({ cert: "2", key: "3" })).toStrictEqual({ clientCertificate: pair });
    expect(filesOf({ ca: "1", cert: "2", key: "3" })).toStrictEqual({
      caFile: ca,
      clientCertificate: pair,
    });
  });

  test.each([
    { given: { cert: "2" }, problem: "cert is given without key." },
    { given: { key: "3" }, problem: "key is given without cert." },
  ])("are refused as $given", ({ given, problem }) => {
    expect(() => filesOf(given)).toThrow(
      expect.objectContaining({ code: "ERR_CERTIFICATE_INVALID", problem }),
    );
  });
});

const NOTHING = {
  auth_url: null,
  account_id: null,
  user_name: null,
  password: null,
  password_env: null,
  password_file: null,
};

test.each([
  { name: "address", by: { auth_url: "x" }, variables: ["OS_AUTH_URL"] },
  {
    name: "account",
    by: { account_id: "x" },
    variables: ["OS_USER_DOMAIN_NAME", "OS_DOMAIN_NAME"],
  },
  { name: "user", by: { user_name: "x" }, variables: ["OS_USERNAME"] },
  {
    name: "password",
    by: { password: "x", password_env: "x", password_file: "x" },
    variables: ["OS_PASSWORD"],
  },
])("the $name is given by $by, or $variables", ({ name, by, variables }) => {
  const [piece, ...others] = PIECES.filter((each) => each.name === name);
  if (piece === undefined) throw new Error("no such piece");
  expect(others).toEqual([]);
  expect(argumentsGiving(piece, NOTHING)).toEqual([]);
  expect(argumentsGiving(piece, { ...NOTHING, ...by })).toEqual(Object.keys(by));
  const set = Object.fromEntries(variables.map((variable) => [variable, "x"]));
  expect(variablesGiving(piece, surroundingsOf(set))).toEqual(variables);
  expect(variablesGiving(piece, surroundingsOf())).toEqual([]);
});
