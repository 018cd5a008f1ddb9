import { initializedModule, providerBlock, writeModule } from "../plain-module";
import { scenarios } from "../scenario";

scenarios("a launched provider", (stage) => {
  test("rotates a token in place, by a saved plan", async () => {
    const module = (release: number) =>
      `${providerBlock(stage().identity.authUrl)}
resource "iam_token" "ci" {
  scope        = "project"
  project_name = "web"
  keepers      = { release = ${release} }
}
output "value" {
  value     = iam_token.ci.token
  sensitive = true
}
`;
    const folder = await initializedModule(stage(), module(1));
    await stage().succeed(folder, ["apply", "-auto-approve"]);
    expect(stage().requests()).toBe(1);
    await stage().succeed(folder, ["plan", "-detailed-exitcode"]);
    expect(stage().requests()).toBe(0);

    writeModule(folder, module(2));
    const planned = await stage().succeed(folder, ["plan", "-out=saved", "-no-color"]);
    expect(planned.text).toMatch("0 to add, 1 to change, 0 to destroy");
    expect(planned.text).toMatch(/~ rotation\s+= 1 -> 2/);
    expect(stage().requests()).toBe(0);
    await stage().succeed(folder, ["apply", "saved"]);
    expect(stage().requests()).toBe(1);
    const { value } = JSON.parse((await stage().succeed(folder, ["output", "-json"])).stdout);
    expect(value.sensitive).toBe(true);
    expect(stage().identity.isValid(value.value)).toBe(true);
  });
});
