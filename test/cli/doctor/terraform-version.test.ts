import { environmentFor, parseVersion } from "../../../lib/cli/doctor/terraform-version";

test.each([
  ["Terraform v1.9.8\non linux_amd64", "Terraform", "1.9.8", false],
  ["OpenTofu v1.10.7\non linux_amd64", "OpenTofu", "1.10.7", false],
  ["Terraform v0.15.0", "Terraform", "0.15.0", false],
  ["Terraform v1.10.0", "Terraform", "1.10.0", true],
  ["Terraform v1.11.4\nYour version of Terraform is out of date!", "Terraform", "1.11.4", true],
  ["OpenTofu v1.11.0-rc1", "OpenTofu", "1.11.0-rc1", true],
  ["Terraform v2.0.0", "Terraform", "2.0.0", true],
])("%j: whether it has ephemeral resources", (text, product, version, hasEphemerals) => {
  expect(parseVersion(text)).toMatchObject({ product, version, hasEphemerals });
});

test("the version is unknown when a program answers something else", () => {
  expect(parseVersion("something else")).toBeUndefined();
});

test("a program that prints its version does not get the pipeline's secrets", () => {
  const canary = "canary-of-the-environment";
  const given = environmentFor({
    PATH: "/bin",
    TFENV_ROOT: "/tfenv",
    SERVICE_USER_PASSWORD: canary,
    UNSUSPICIOUS_NAME: canary,
    TENV_GITHUB_TOKEN: canary,
  });
  expect(given).toEqual({ PATH: "/bin", TFENV_ROOT: "/tfenv", CHECKPOINT_DISABLE: "1" });
});
