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

test("refuses another version, naming both, and repeats only versions", () => {
  const [refusal, ...others] = validateProviderBlock({ package_version: "0.0.9" }, "1.2.3");
  expect(others).toEqual([]);
  expect(refusal).toMatchObject({ severity: "error", path: ["package_version"] });
  expect(JSON.stringify(refusal)).toMatch(
    /by version 0\.0\.9 .*the running provider is version 1\.2\.3.*ERR_VERSION_MISMATCH|ERR_VERSION_MISMATCH.*by version 0\.0\.9/,
  );
});

test.each(["", "\u001b[2J canary", "canary 1.2.4", "1.2.4 canary", `1.2.4-${"canary".repeat(9)}`])(
  "of %j, the error says only that it is not a version",
  (package_version) => {
    const said = JSON.stringify(validateProviderBlock({ package_version }, "1.2.3"));
    expect(said).toContain("by version (not a version) of");
    expect(said).not.toContain("canary");
  },
);
