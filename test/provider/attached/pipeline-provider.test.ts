import {
  createPipelineProvider,
  NOTHING_USED,
} from "../../../lib/provider/attached/pipeline-provider";

test("a pipeline that has used nothing has no usage, and none is loaded for it", () => {
  const pipeline = createPipelineProvider({ remember: true }, "1.0.0", {}, "/");
  expect(pipeline.usage()).toEqual(NOTHING_USED);
});
