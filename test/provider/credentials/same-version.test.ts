import { type CtyValue, UNKNOWN } from "../../../lib/plugin/cty/value";
import { validateProviderBlock } from "../../../lib/provider/credentials/provider-block";

test.each<[string, CtyValue, string | undefined]>([
  ["the same version", "1.2.3", "1.2.3"],
  ["a block that says none, as in plain HCL", null, "1.2.3"],
  ["a version that is not known yet", UNKNOWN, "1.2.3"],
  ["a provider that Terraform has launched, and compared itself", "0.0.9", undefined],
])("%s is not refused", (_what, stack, provider) => {
  expect(validateProviderBlock({ package_version: stack }, provider)).toEqual([]);
});

test("refuses another version, naming both", () => {
  const [refusal, ...others] = validateProviderBlock({ package_version: "0.0.9" }, "1.2.3");
  expect(others).toEqual([]);
  expect(refusal).toMatchObject({ severity: "error", path: ["package_version"] });
  expect(refusal?.summary).toBe(
    'The stack was synthesized by version "0.0.9" of the constructs, but the running provider is version 1.2.3 [ERR_VERSION_MISMATCH]',
  );
});
