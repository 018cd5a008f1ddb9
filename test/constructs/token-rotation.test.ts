import { TerraformOutput } from "cdktf";
import {
  RotationSchedule,
  ServiceUserToken,
  TokenResolution,
  TokenRotation,
  type TokenRotationProps,
  TokenScope,
} from "../../lib";
import { accountToken, identityIn, partOf, testStack } from "./support";

const STORED = '${try(ephemeral.store_secret.stored[0].value, "")}';
const schedule = RotationSchedule.every("6h");

/** A stack with a pushed token, and the arguments of its rotation. */
function rotationWith(props: Partial<TokenRotationProps> = {}) {
  const stack = testStack();
  const rotation = new TokenRotation(stack, "rotation", { schedule, ...props });
  const resolution = TokenResolution.ephemeral({ rotateWith: rotation });
  const pushed = accountToken(stack, { resolution }, "pushed");
  return { stack, rotation, resolution, pushed };
}

test("without storedToken, a rotation is on the default provider and counts a failed push as none", () => {
  const { stack } = rotationWith();
  const block = partOf(stack, "resource.iam_rotation.rotation") as Record<string, unknown>;
  expect(block).toMatchObject({ rotate_every: "4h47m30s" });
  for (const name of ["provider", "stored_token_wo", "pushed_token_wo"])
    expect(block).not.toHaveProperty(name);
});

test("with storedToken, it asks the service of the token that it pushes, and rotates as late as a repeated push allows", () => {
  const { stack } = rotationWith({ storedToken: STORED });
  expect(partOf(stack, "resource.iam_rotation.rotation")).toMatchObject({
    provider: expect.stringMatching(/^iam\.\w+$/),
    rotate_every: "10h30m",
    stored_token_wo: STORED,
    pushed_token_wo: "${ephemeral.iam_token.pushed.token}",
  });
  expect(partOf(stack, "ephemeral.iam_token.pushed")).toMatchObject({ min_remaining: "23h55m" });
});

test("a stored token is one: a second token with the rotation is refused, and so is a literal", () => {
  const { stack, resolution, pushed } = rotationWith({ storedToken: STORED });
  const identity = identityIn(stack, "other");
  const scope = TokenScope.account();
  expect(() => new ServiceUserToken(stack, "second", { identity, scope, resolution })).toThrow(
    /more than one token has this rotation.*\[ERR_PROP_INVALID\]/,
  );
  expect(pushed.rotateAt).toBeDefined();
  const literal = () => rotationWith({ storedToken: "gAAAA-literal" });
  expect(literal).toThrow("[ERR_PROP_INVALID]");
  expect(literal).not.toThrow("gAAAA");
});

test("version and rotateAt are attributes", () => {
  const { rotation, pushed, stack } = rotationWith();
  new TerraformOutput(stack, "version", { value: rotation.version });
  new TerraformOutput(stack, "at", { value: pushed.rotateAt });
  expect(partOf(stack, "output")).toMatchObject({
    version: { value: "${iam_rotation.rotation.version}" },
    at: { value: "${iam_rotation.rotation.rotate_at}" },
  });
  const other = testStack();
  const rotating = accountToken(other, { resolution: TokenResolution.rotating() }, "rotating");
  new TerraformOutput(other, "at", { value: rotating.rotateAt });
  expect(partOf(other, "output.at.value")).toBe("${iam_token.rotating.rotate_at}");
  expect(() => accountToken(testStack()).rotateAt).toThrow("[ERR_PROP_INVALID]");
});
