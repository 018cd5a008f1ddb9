import type { UnaryHandler } from "../grpc";
import {
  ApplyResourceChangeRequest,
  ApplyResourceChangeResponse,
  type Diagnostic as DiagnosticMessage,
  DiagnosticsResponse as DiagnosticsMessage,
  type DiagnosticsResponse,
  ImportResourceStateRequest,
  ImportResourceStateResponse,
  type Init,
  PlanResourceChangeRequest,
  PlanResourceChangeResponse,
  ReadResourceRequest,
  ReadResourceResponse,
  UpgradeResourceStateRequest,
  UpgradeResourceStateResponse,
  ValidateResourceConfigRequest,
} from "../protocol";
import type { Diagnostic, Log, ManagedResource, OperationContext, Provider } from "../provider";
import { complete, inContext, named } from "./block-operation";
import { handlerOf } from "./method";
import { replacementPaths } from "./replacement-paths";
import type { ProviderSession } from "./session";
import { fromStoredState } from "./stored-state";
import { fromWireConfig, fromWireState, toWireState } from "./wire-config";
import { toWireDiagnostics } from "./wire-diagnostic";
import { refuseWriteOnly } from "./write-only";

/** The methods of managed resources. */
export function resourceMethods<Session>(
  provider: Provider<Session>,
  session: ProviderSession<Session>,
  log: Log,
): Record<string, UnaryHandler> {
  const resources = provider.resources ?? {};
  const of = (typeName: string): ManagedResource<Session> => named(resources, typeName);
  const failed = (
    diagnostic: Diagnostic,
    { typeName }: { readonly typeName: string },
  ): { diagnostics: Init<DiagnosticMessage>[] } => ({
    diagnostics: toWireDiagnostics(
      [diagnostic],
      Object.hasOwn(resources, typeName) ? resources[typeName]?.schema : undefined,
    ),
  });
  const run = <Result>(
    call: AbortController,
    operation: (context: OperationContext<Session>) => Promise<Result>,
  ) => inContext("begin", session, call, log, operation);

  return {
    ValidateResourceConfig: handlerOf(
      {
        request: ValidateResourceConfigRequest,
        response: DiagnosticsMessage,
        operation: ({ typeName }) => `validating the resource ${typeName}`,
        answer: async ({
          typeName,
          config,
          clientCapabilities,
        }): Promise<Init<DiagnosticsResponse>> => {
          const resource = of(typeName);
          const block = fromWireConfig(config, resource.schema);
          const unable =
            clientCapabilities?.writeOnlyAttributesAllowed === true
              ? []
              : refuseWriteOnly(block, resource.schema);
          return {
            diagnostics: toWireDiagnostics(
              [...unable, ...(resource.validate?.(block) ?? [])],
              resource.schema,
            ),
          };
        },
        failed,
      },
      log,
    ),

    UpgradeResourceState: handlerOf(
      {
        request: UpgradeResourceStateRequest,
        response: UpgradeResourceStateResponse,
        operation: ({ typeName }) => `reading the stored state of ${typeName}`,
        answer: async ({ typeName, version, rawState }) => {
          const resource = of(typeName);
          return {
            upgradedState: toWireState(
              fromStoredState(rawState?.json, version, resource),
              resource.schema,
            ),
          };
        },
        failed,
      },
      log,
    ),

    ReadResource: handlerOf(
      {
        request: ReadResourceRequest,
        response: ReadResourceResponse,
        operation: ({ typeName }) => `reading ${typeName}`,
        answer: async ({ typeName, currentState, private: privateData }, call) => {
          const resource = of(typeName);
          const state = fromWireState(currentState, resource.schema);
          if (resource.read === undefined || state === null)
            return { newState: currentState, private: privateData };
          const read = resource.read.bind(resource, { state, private: privateData });
          const result = await run(call, read);
          const found = result.state;
          return {
            newState: found === undefined ? currentState : toWireState(found, resource.schema),
            private: result.private ?? privateData,
            diagnostics: toWireDiagnostics(
              found === undefined ? complete(undefined, result.diagnostics) : result.diagnostics,
            ),
          };
        },
        failed: (diagnostic, request) => ({
          ...failed(diagnostic, request),
          newState: request.currentState,
        }),
      },
      log,
    ),

    PlanResourceChange: handlerOf(
      {
        request: PlanResourceChangeRequest,
        response: PlanResourceChangeResponse,
        operation: ({ typeName }) => `planning ${typeName}`,
        answer: async ({ typeName, priorState, proposedNewState, config, priorPrivate }, call) => {
          const resource = of(typeName);
          const { schema } = resource;
          const proposed = fromWireState(proposedNewState, schema);
          // Terraform asks for a plan of a destruction only when it was told that there is
          // something to say to it.
          if (proposed === null)
            return { plannedState: proposedNewState, plannedPrivate: priorPrivate };
          const change = {
            prior: fromWireState(priorState, schema),
            config: fromWireConfig(config, schema),
            proposed,
            private: priorPrivate,
          };
          const plan = await run(call, (context) => resource.plan(change, context));
          return {
            plannedState:
              plan.planned === undefined ? undefined : toWireState(plan.planned, schema),
            requiresReplace: replacementPaths(plan.requiresReplace, schema),
            plannedPrivate: plan.private ?? priorPrivate,
            diagnostics: toWireDiagnostics(complete(plan.planned, plan.diagnostics), schema),
          };
        },
        failed,
      },
      log,
    ),

    ApplyResourceChange: handlerOf(
      {
        request: ApplyResourceChangeRequest,
        response: ApplyResourceChangeResponse,
        operation: ({ typeName }) => `applying the change of ${typeName}`,
        answer: async ({ typeName, priorState, plannedState, config, plannedPrivate }, call) => {
          const resource = of(typeName);
          const { schema } = resource;
          const prior = fromWireState(priorState, schema);
          const planned = fromWireState(plannedState, schema);
          if (planned === null) return destroyed(resource, prior, plannedPrivate, run, call);
          const change = {
            config: fromWireConfig(config, schema),
            planned,
            private: plannedPrivate,
          };
          const applied = await run(call, (context) =>
            prior === null
              ? resource.create(change, context)
              : resource.update({ ...change, prior }, context),
          );
          return {
            // Without a new state nothing else counts: least of all private data of a change that
            // has not taken place.
            ...(applied.state === undefined
              ? {}
              : {
                  newState: toWireState(applied.state, schema),
                  private: applied.private ?? plannedPrivate,
                }),
            diagnostics: toWireDiagnostics(complete(applied.state, applied.diagnostics), schema),
          };
        },
        failed,
      },
      log,
    ),

    ImportResourceState: handlerOf(
      {
        request: ImportResourceStateRequest,
        response: ImportResourceStateResponse,
        operation: ({ typeName }) => `importing ${typeName}`,
        answer: async ({ typeName, id }, call) => {
          const resource = of(typeName);
          if (resource.import === undefined)
            return { diagnostics: toWireDiagnostics([cannotBeImported(typeName)]) };
          const imported = await run(call, resource.import.bind(resource, id));
          const { state } = imported;
          return {
            importedResources:
              state === undefined
                ? []
                : [
                    {
                      typeName,
                      state: toWireState(state, resource.schema),
                      private: imported.private ?? new Uint8Array(0),
                    },
                  ],
            diagnostics: toWireDiagnostics(complete(state, imported.diagnostics)),
          };
        },
        failed,
      },
      log,
    ),
  };
}

async function destroyed<Session>(
  resource: ManagedResource<Session>,
  state: ReturnType<typeof fromWireState>,
  privateData: Uint8Array,
  run: (
    call: AbortController,
    operation: (context: OperationContext<Session>) => Promise<readonly Diagnostic[]>,
  ) => Promise<readonly Diagnostic[]>,
  call: AbortController,
): Promise<Init<ApplyResourceChangeResponse>> {
  const { schema } = resource;
  const diagnostics =
    state === null
      ? []
      : await run(call, (context) => resource.destroy({ state, private: privateData }, context));
  const failed = diagnostics.some(({ severity }) => severity === "error");
  return {
    ...(failed ? {} : { newState: toWireState(null, schema) }),
    diagnostics: toWireDiagnostics(diagnostics, schema),
  };
}

function cannotBeImported(typeName: string): Diagnostic {
  return {
    severity: "error",
    summary: "The resource cannot be imported",
    detail: `There is nothing that an instance of ${typeName} could be made from. Declare it without an import.`,
  };
}
