import { TokenResolution } from "../../lib";
import { tokenIn } from "./any-token";
import { mistakesOf, testStack } from "./support";

test.each([TokenResolution.EPHEMERAL, TokenResolution.SYNTH])(
  "a token and an identity service that were removed leave their names to others (%s)",
  (resolution) => {
    const stack = testStack();
    tokenIn(stack, resolution);
    for (const id of ["web", "identity"]) stack.node.tryRemoveChild(id);
    tokenIn(stack);
    expect(mistakesOf(stack)).toEqual([]);
  },
);
