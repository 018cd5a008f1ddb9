import {
  createPipelineProvider,
  NOTHING_USED,
  withoutSecrets,
} from "../../../lib/provider/attached/pipeline-provider";
import { rememberSecret } from "../../../lib/provider/secrets/known-secrets";

test.each(["canary-in-a-name\\", 'canary-"quoted"', "canary-\n-lines"])(
  "a secret %j that a module passes as a name is not in the usage",
  (secret) => {
    rememberSecret(secret);
    const total = { ...NOTHING_USED.total, of: `the project ${secret}` };
    expect(withoutSecrets({ ...NOTHING_USED, total })).toEqual({
      ...NOTHING_USED,
      total: { ...total, of: "the project (sensitive)" },
    });
  },
);

test("a pipeline that has used nothing has no usage, and none is loaded for it", () => {
  const pipeline = createPipelineProvider({ remember: true }, "1.0.0", {}, "/");
  expect(pipeline.usage()).toEqual(NOTHING_USED);
});
