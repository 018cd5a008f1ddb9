import { CloudBackend, NamedCloudWorkspace, TerraformStack } from "cdktf";
import { TokenWarnings } from "../../lib";
import { accountToken, testApp } from "./support";

function synthesized(isUnderCommandLine: boolean, acknowledged: string[] = []): string[] {
  const app = testApp();
  const print = jest.spyOn(process.stderr, "write").mockReturnValue(true);
  if (isUnderCommandLine) process.env.CDKTF_CONTEXT_JSON = "{}";
  try {
    for (const parent of [app, new TerraformStack(app, "outer")]) {
      const stack = new TerraformStack(parent, "stack");
      const workspaces = new NamedCloudWorkspace("w");
      new CloudBackend(stack, { organization: "o", workspaces });
      TokenWarnings.of(stack).acknowledge(...acknowledged);
      accountToken(stack);
    }
    app.synth();
    return print.mock.calls.map(([text]) => String(text));
  } finally {
    delete process.env.CDKTF_CONTEXT_JSON;
  }
}

test("a program that is started by itself prints each warning once, with its construct", () => {
  expect(synthesized(false).sort()).toEqual(
    ["outer/stack", "stack"].map((path) =>
      expect.stringMatching(
        `^Warning: \\[${path}/cdktf-iam-tokens\\] This stack runs remotely, .*\\[WARN_REMOTE_RUNS\\]\n$`,
      ),
    ),
  );
});

test("it prints none that is acknowledged; under cdktf's command line, cdktf prints them", () => {
  expect(synthesized(false, ["WARN_REMOTE_RUNS"])).toEqual([]);
  expect(synthesized(true)).toEqual([]);
});
