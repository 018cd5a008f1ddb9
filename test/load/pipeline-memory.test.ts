import { describeIf } from "../support/skips";
import { hasTerraform } from "../support/terraform";
import { memoryOfPlans, PLANS } from "./pipeline-memory";

jest.setTimeout(300_000);

const GROWTH_KB = 10 * 1024;

describeIf(
  hasTerraform() && process.platform === "linux",
  "there is no Terraform here, or no /proc",
)("iam-tokens run", () => {
  test("1,000 opens need at most 10 MB more memory than the first 100", async () => {
    const memory = await memoryOfPlans();
    expect(memory).toHaveLength(PLANS);
    process.stderr.write(
      `\nresident memory of the attached provider, kB, after 100, 200, … opens: ${memory.join(" ")}\n`,
    );
    expect((memory.at(-1) ?? 0) - (memory[0] ?? 0)).toBeLessThanOrEqual(GROWTH_KB);
  });
});
