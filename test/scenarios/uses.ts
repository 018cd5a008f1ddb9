import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  DataResource,
  DataTerraformRemoteStateLocal,
  Fn,
  TerraformCount,
  TerraformHclModule,
  TerraformOutput,
  type TerraformStack,
  Token,
} from "cdktf";
import { API_CALL, ApiCall } from "../../examples/demo/api-call";
import type { IAuthenticationToken, ServiceUserToken } from "../../lib";
import { ProductCall, ProductProvider } from "./product/constructs";
import type { Scenario } from "./scenario";
import { StoreProvider, StoreSecret } from "./store/constructs";

/** Where a token is used. */
export interface Place {
  readonly token: ServiceUserToken;
  readonly stage: Scenario;
  readonly other: TerraformStack;
}

/** Result of an apply. */
export interface Applied {
  readonly stage: Scenario;
  readonly outputs: Readonly<Record<string, { readonly value: unknown }>>;
  /** Attributes of the managed resources, by address. */
  readonly resources: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Uses of a token. */
export interface TokenUse {
  declare(stack: TerraformStack, place: Place): void;
  /** Whether the right token has come there. */
  reached(applied: Applied): boolean;
}

const urlOf = ({ api }: Scenario): string => `${api.url}/projects/web`;

function callByProvider(stack: TerraformStack, token: IAuthenticationToken, stage: Scenario): void {
  const provider = new ProductProvider(stack, "api", {
    url: stage.api.url,
    headers: token.headers,
  });
  new TerraformOutput(stack, "status", {
    value: new ProductCall(stack, "call", "/projects/web", provider).status,
  });
}

/** The scenario's store, once for a stack. */
function storeIn(stack: TerraformStack, stage: Scenario): void {
  if (stack.node.tryFindChild("store") === undefined)
    new StoreProvider(stack, "store", storeFolder(stage));
}

function storeFolder(stage: Scenario): string {
  const folder = join(stage.scratch.folder, "store");
  mkdirSync(folder, { recursive: true });
  return folder;
}

const isProjectToken = (text: unknown, { identity }: Scenario): boolean => {
  const { status, kind, project } = {
    kind: undefined,
    project: undefined,
    ...identity.describeToken(String(text)),
  };
  return status === "valid" && kind === "iam_token_project_scoped" && project === "web";
};

/** By the names that docs/using-tokens.md has. The last two stand in the stack `other`. */
export const USES: Readonly<Record<string, TokenUse>> = {
  "provider block": {
    declare: (stack, { token, stage }) => callByProvider(stack, token, stage),
    reached: ({ outputs }) => outputs.status?.value === 200,
  },
  "write-only argument": {
    declare(stack, { token, stage }) {
      storeIn(stack, stage);
      new StoreSecret(stack, "secret", { name: "pushed", value: token.value, version: 1 });
    },
    reached: ({ stage }) =>
      isProjectToken(readFileSync(join(storeFolder(stage), "pushed"), "utf8"), stage),
  },
  provisioner: {
    declare: (stack, { token, stage }) =>
      void new ApiCall(stack, "hook", { url: urlOf(stage), token }),
    // The command fails when the product API refuses the token, and with it the apply.
    reached: ({ resources }) => resources["terraform_data.hook"] !== undefined,
  },
  "module input": {
    declare(stack, { token, stage }) {
      const source = join(stage.scratch.folder, "module");
      mkdirSync(source, { recursive: true });
      writeFileSync(
        join(source, "main.tf.json"),
        JSON.stringify({
          variable: { token: { type: "string", ephemeral: true } },
          resource: {
            terraform_data: {
              hook: {
                provisioner: [
                  {
                    "local-exec": {
                      command: API_CALL,
                      environment: {
                        API: "${var.token}",
                        API_HEADER: token.headerName,
                        API_URL: urlOf(stage),
                      },
                    },
                  },
                ],
              },
            },
          },
        }),
      );
      const variables = { token: token.value };
      new TerraformHclModule(stack, "module", {
        source,
        skipAssetCreationFromLocalModules: true,
        variables,
      });
    },
    reached: ({ resources }) => resources["module.module.terraform_data.hook"] !== undefined,
  },
  "stored argument": {
    declare: (stack, { token }) =>
      void new DataResource(stack, "kept", { input: { token: token.value } }),
    reached: ({ resources, stage }) => {
      const { input } = resources["terraform_data.kept"] as { input?: { token?: unknown } };
      return isProjectToken(input?.token, stage);
    },
  },
  "other argument": {
    declare(stack, { token, stage }) {
      storeIn(stack, stage);
      new StoreSecret(stack, "named", { name: token.value, value: "something", version: 1 });
    },
    reached: ({ resources, stage }) => isProjectToken(resources["store_secret.named"]?.name, stage),
  },
  "argument of a data source": {
    declare(stack, { token, stage }) {
      const path = join(stage.scratch.folder, "empty.tfstate");
      writeFileSync(path, JSON.stringify({ version: 4, serial: 1, lineage: "l", outputs: {} }));
      const defaults = { token: token.value };
      const state = new DataTerraformRemoteStateLocal(stack, "read", { path, defaults });
      new DataResource(stack, "passed", { input: { token: state.getString("token") } });
    },
    reached: ({ resources, stage }) => {
      const { input } = resources["terraform_data.passed"] as { input?: { token?: unknown } };
      return isProjectToken(input?.token, stage);
    },
  },
  output: {
    declare: (stack, { token }) =>
      void new TerraformOutput(stack, "token", { value: token.value, sensitive: true }),
    reached: ({ outputs, stage }) => isProjectToken(outputs.token?.value, stage),
  },
  "`count`, `for_each`": {
    declare: (stack, { token }) =>
      void new DataResource(stack, "counted", {
        count: TerraformCount.of(
          Token.asNumber(Fn.lengthOf(Fn.split("\n", Token.asString(Fn.nonsensitive(token.value))))),
        ),
      }),
    reached: ({ resources }) => resources["terraform_data.counted[0]"] !== undefined,
  },
  "other stack": {
    declare: (_stack, { token, stage, other }) => callByProvider(other, token, stage),
    reached: () => false,
  },
  "other stack, by `reopenIn`": {
    declare: (_stack, { token, stage, other }) =>
      void new ApiCall(other, "call", { url: urlOf(stage), token: token.reopenIn(other) }),
    reached: ({ resources }) => resources["terraform_data.call"] !== undefined,
  },
};
