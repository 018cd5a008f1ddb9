import { join } from "node:path";
import {
  type App,
  Manifest,
  TerraformDataSource,
  TerraformElement,
  type TerraformMetaArguments,
  TerraformProvider,
  TerraformResource,
  TerraformStack,
  Testing,
  type TestingAppConfig,
} from "cdktf";
import type { Construct } from "constructs";
import {
  IdentityService,
  SecretRef,
  ServiceUserToken,
  type ServiceUserTokenProps,
  TokenScope,
} from "../../lib";
import { IamTokensError } from "../../lib/tokens";
import { having } from "../support/synth";
import { temporaryFolder } from "../support/temporary-folder";

/** The CDKTF command line, parts of which some tests load, calls home otherwise. */
process.env.CHECKPOINT_DISABLE = "1";

/** An app that writes into a temporary folder. */
export function testApp(options: TestingAppConfig = {}): App {
  return Testing.app({ outdir: temporaryFolder(), ...options });
}

export function testStack(id = "stack"): TerraformStack {
  return new TerraformStack(testApp(), id);
}

/** Stacks of one app. */
export function stacksOf<const Ids extends readonly string[]>(...ids: Ids) {
  const app = testApp();
  return ids.map((id) => new TerraformStack(app, id)) as { [at in keyof Ids]: TerraformStack };
}

/** The stack's configuration, synthesized without validations. */
export function jsonOf(stack: TerraformStack): Readonly<Record<string, unknown>> {
  return JSON.parse(Testing.synth(stack)) as Readonly<Record<string, unknown>>;
}

/** A part of it, by a path such as `ephemeral.iam_token.web`; undefined when it is not there. */
export function partOf(stack: TerraformStack, path: string): unknown {
  let part: unknown = jsonOf(stack);
  for (const name of path.split("."))
    part = (part as Readonly<Record<string, unknown>> | undefined)?.[name];
  return part;
}

/** The blocks of our provider. */
export function providerBlocksOf(
  stack: TerraformStack,
): readonly Readonly<Record<string, unknown>>[] {
  return partOf(stack, "provider.iam") as readonly Readonly<Record<string, unknown>>[];
}

/**
 * Synthesizes one stack with all files that are delivered with it, into a folder of its own;
 * returns the stack's folder.
 */
export function fullSynth(stack: TerraformStack): string {
  const outdir = temporaryFolder();
  const manifest = new Manifest("test", outdir, false);
  stack.synthesizer.synthesize({ outdir, manifest });
  return join(outdir, manifest.forStack(stack).workingDirectory);
}

/**
 * The lines of a validation failure: `[path] message`; empty when there is none. Throws any other
 * error.
 */
export function mistakesOf(stack: TerraformStack): string[] {
  try {
    stack.prepareStack();
    Testing.synth(stack, true);
    return [];
  } catch (error) {
    const lines = String((error as Error).message)
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line.startsWith("["));
    if (lines.length === 0) throw error;
    return lines;
  }
}

export function expectNoMistake(...stacks: readonly TerraformStack[]): void {
  for (const stack of stacks) expect(mistakesOf(stack)).toEqual([]);
}

/** Warnings of constructs, as `path: message`. */
export function annotationsOf(stack: TerraformStack): string[] {
  return stack.node.findAll().flatMap((construct) =>
    construct.node.metadata
      .filter((entry) => entry.type === "@cdktf/warn")
      .map((entry) => {
        expect(entry.data).toMatch(/\. \[WARN_\w+\]$/);
        return `${construct.node.path}: ${entry.data}`;
      }),
  );
}

export function identityIn(scope: Construct, id = "identity", more: object = {}): IdentityService {
  return new IdentityService(scope, id, {
    authUrl: "https://cloud.api.example.com",
    accountId: "123456",
    serviceUser: { name: "deployer", password: SecretRef.env("SERVICE_USER_PASSWORD") },
    ...more,
  });
}

/** A token for the account; without an identity service it declares its own. */
export function accountToken(
  scope: Construct,
  { identity = identityIn(scope), ...props }: Partial<ServiceUserTokenProps> = {},
  id = "t",
): ServiceUserToken {
  return new ServiceUserToken(scope, id, { identity, scope: TokenScope.account(), ...props });
}

type Values = Readonly<Record<string, unknown>>;

/** A resource of no particular provider, with any arguments. */
export const anyResource = (
  scope: Construct,
  id: string,
  values: Values,
  meta: TerraformMetaArguments = {},
) =>
  having(new TerraformResource(scope, id, { terraformResourceType: "any_thing", ...meta }), values);

/** The same as a data source. */
export const anyData = (scope: Construct, id: string, values: Values) =>
  having(new TerraformDataSource(scope, id, { terraformResourceType: "any_data" }), values);

/** An element that gives any part of a configuration. */
export const anyPart = (scope: Construct, part: Values) =>
  Object.assign(new TerraformElement(scope, "part"), { toTerraform: () => part });

class AnyProvider extends TerraformProvider {}

/** A provider of no particular kind, with any arguments. */
export const anyProvider = (scope: Construct, values: Values, id = "any") =>
  having(
    new AnyProvider(scope, id, {
      terraformResourceType: "any",
      terraformProviderSource: "example/any",
    }),
    values,
  );

/**
 * The refusals of declarations: what a constructor throws or, if it throws nothing, the lines of
 * the validation. The snapshot has them for a person to read.
 */
export function refusalsOf(declare: (stack: TerraformStack) => unknown): string[] {
  const stack = testStack();
  const found = () => {
    try {
      declare(stack);
      return mistakesOf(stack);
    } catch (error) {
      if (!IamTokensError.is(error)) throw error;
      return [error.message];
    }
  };
  const lines = found();
  expect(lines.join("\n")).toMatchSnapshot();
  return lines;
}
