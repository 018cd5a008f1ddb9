import {
  CloudBackend,
  LocalBackend,
  NamedCloudWorkspace,
  RemoteBackend,
  TerraformStack,
  Testing,
} from "cdktf";
import { Construct } from "constructs";
import { EmbeddedProvider, TokenResolution } from "../../lib";
import { onPlatform } from "../support/platform";
import {
  AnyResource,
  accountToken,
  annotationsOf,
  identityIn,
  mistakesOf,
  testApp,
  testStack,
} from "./support";

test("a stack has one, wherever it is requested", () => {
  const app = testApp();
  const stack = new TerraformStack(app, "stack");
  const other = new TerraformStack(app, "other");
  const nested = new Construct(stack, "nested");
  expect(EmbeddedProvider.of(nested)).toBe(EmbeddedProvider.of(stack));
  identityIn(stack);
  expect(EmbeddedProvider.of(nested)).toBe(EmbeddedProvider.of(stack));
  expect(EmbeddedProvider.of(other)).not.toBe(EmbeddedProvider.of(stack));
});

test("it requires exactly the package's version", () => {
  const provider = EmbeddedProvider.of(testStack());
  const { version } = jest.requireActual<{ version: string }>("../../package.json");
  expect(provider.version).toBe(version);
  expect(provider.source).toBe("npm.invalid/cdktf-iam-tokens/iam");
});

test.each<[platform: NodeJS.Platform, arch: NodeJS.Architecture, warning: RegExp | undefined]>([
  ["win32", "x64", undefined],
  ["darwin", "arm64", undefined],
  ["freebsd", "x64", /not this machine \(freebsd_amd64\)\. Here, run .* iam-tokens run,/],
  ["linux", "ia32", /supports linux_amd64, .*windows_amd64, but not .*\(linux_386\)/],
  ["win32", "arm64", /\(windows_arm64\)\. Here, run the Terraform of windows_amd64;/],
])("on %s %s it says whether Terraform finds a provider there", (platform, arch, warning) => {
  const stack = testStack();
  accountToken(stack);
  for (let times = 0; times < 2; times++)
    onPlatform(platform, () => Testing.synth(stack, true), arch);
  expect(annotationsOf(stack, "warn")).toEqual(
    warning === undefined ? [] : [expect.stringMatching(warning)],
  );
});

describe("a stack whose runs are remote", () => {
  const withToken = (resolution: TokenResolution, backend: (stack: TerraformStack) => unknown) => {
    const stack = testStack();
    backend(stack);
    const identity = identityIn(stack);
    accountToken(stack, { identity, resolution }, "web");
    mistakesOf(stack);
    return annotationsOf(stack, "warn").filter((text) => text.includes("runs remotely"));
  };
  const remote = (stack: TerraformStack) =>
    new CloudBackend(stack, { organization: "o", workspaces: new NamedCloudWorkspace("w") });

  test.each([
    { name: "CloudBackend", backend: remote },
    {
      name: "RemoteBackend",
      backend: (s: TerraformStack) =>
        new RemoteBackend(s, { organization: "o", workspaces: { name: "w" } }),
    },
  ])(
    "by $name gets a warning about the provider that is launched there, with two remedies",
    ({ backend }) => {
      expect(withToken(TokenResolution.EPHEMERAL, backend)).toEqual([
        expect.stringMatching(
          /needs Node\.js and the secret.*TokenResolution\.SYNTH.*execution mode Local/,
        ),
      ]);
    },
  );

  test("gets no warning if no provider is launched there, or with another backend", () => {
    expect(withToken(TokenResolution.SYNTH, remote)).toEqual([]);
    expect(withToken(TokenResolution.EPHEMERAL, (s) => new LocalBackend(s))).toEqual([]);
    // Another kind of construct may well have such a property.
    const named = (s: TerraformStack) =>
      Object.assign(new AnyResource(s, "r", {}), { name: "cloud" });
    expect(withToken(TokenResolution.EPHEMERAL, named)).toEqual([]);
  });
});
