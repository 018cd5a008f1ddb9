import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { succeed } from "../support/command";
import { packageRoot } from "../support/project";
import { hasPython, makePython } from "../support/python";
import { testIf } from "../support/skips";
import { linkPeers, packInto, TOOLS, unpack } from "./packed-package";

// It packs, compiles and fills a virtual environment.
jest.setTimeout(600_000);

const PACMAK = join(TOOLS, "jsii-pacmak/bin/jsii-pacmak");

const MANIFEST = {
  name: "deployer-library",
  version: "1.0.0",
  description: "A construct library that builds on tokens.",
  license: "Apache-2.0",
  author: { name: "The cdktf-iam-tokens authors" },
  repository: { type: "git", url: "https://github.com/example/deployer-library.git" },
  main: "index.js",
  types: "index.d.ts",
  jsii: {
    outdir: "packed",
    targets: { python: { distName: "deployer-library", module: "deployer_library" } },
  },
  peerDependencies: {
    cdktf: "^0.21.0",
    "cdktf-iam-tokens": "^0.1.0",
    constructs: "^10.6.0",
  },
  devDependencies: {
    cdktf: "0.21.0",
    "cdktf-iam-tokens": "0.1.0",
    constructs: "10.7.2",
  },
};

const PROGRAM = `
from cdktf import App, DataResource, LocalExecProvisioner, TerraformStack
from cdktf_iam_tokens import *
from deployer_library import Deployer

app = App()
stack = TerraformStack(app, "web")
identity = IdentityService(
    stack,
    "identity",
    auth_url="https://cloud.api.example.com",
    account_id="123456",
    service_user=ServiceUser(name="deployer", password=SecretRef.env("PASSWORD")),
)
deployer = Deployer(stack, "deployer", identity=identity, scope=TokenScope.project("web"))
assert isinstance(deployer.token, ServiceUserToken)
assert deployer.token.kind is TokenKind.IAM_TOKEN_PROJECT_SCOPED
DataResource(
    stack,
    "call",
    provisioners=[
        LocalExecProvisioner(
            type="local-exec",
            command="true",
            environment=deployer.variables_for(deployer.token),
        )
    ],
)
app.synth()
`;

describe("a third-party construct library that uses the packed package", () => {
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(realpathSync(tmpdir()), "iam-library-"));
    const library = join(folder, "library");
    cpSync(join(packageRoot, "test/languages/library"), library, { recursive: true });
    writeFileSync(join(library, "package.json"), JSON.stringify(MANIFEST));
    linkPeers(library, "cdktf");
    await packInto(folder);
    await unpack(folder, "cdktf", "library/node_modules/cdktf-iam-tokens");
    const jsii = join(packageRoot, "node_modules/jsii/bin/jsii");
    await succeed(process.execPath, [jsii], library);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("is compiled by jsii, with our types in its own interface", () => {
    const { types } = JSON.parse(readFileSync(join(folder, "library/.jsii"), "utf8"));
    const [token] = types["deployer-library.Deployer"].properties;
    expect(token).toMatchObject({
      name: "token",
      type: { fqn: "cdktf-iam-tokens.ServiceUserToken" },
    });
    const names = types["deployer-library.DeployerProps"].properties.map(
      ({ type }: { type: { fqn: string } }) => type.fqn,
    );
    expect(names).toEqual(["cdktf-iam-tokens.IdentityService", "cdktf-iam-tokens.TokenScope"]);
  });

  const isPacked = existsSync(PACMAK);
  const withPython = testIf(hasPython() && isPacked, "no Python with venv, or nothing is packed");
  withPython("works in Python, packed for it", async () => {
    const pacmak = ["--targets", "python", "--outdir", join(folder, "packed"), "library"];
    await succeed(process.execPath, [PACMAK, ...pacmak], folder);
    const wheels = readdirSync(join(folder, "packed/python")).filter((name) => /\.whl$/.test(name));
    const paths = wheels.map((name) => join(folder, "packed/python", name));
    const python = await makePython(join(folder, "venv"), "cdktf", paths);
    writeFileSync(join(folder, "main.py"), PROGRAM);
    const env = { ...python.env, HOME: folder, TMPDIR: folder };
    await succeed(join(python.bin, "python"), ["main.py"], folder, env);
    const written = readFileSync(join(folder, "cdktf.out/stacks/web/cdk.tf.json"), "utf8");
    const { ephemeral, resource } = JSON.parse(written);
    const [[name, token] = []] = Object.entries(ephemeral.iam_token);
    expect(token).toMatchObject({ scope: "project", project_name: "web" });
    expect(resource.terraform_data.call.provisioner[0]["local-exec"].environment).toEqual({
      DEPLOYER: `\${ephemeral.iam_token.${name}.token}`,
      DEPLOYER_HEADER: "X-Auth-Token",
    });
  });
});
