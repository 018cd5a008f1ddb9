import type { CtyObject } from "../cty/value";
import type { UnaryHandler } from "../grpc/call";
import {
  ApplyResourceChangeRequest,
  ApplyResourceChangeResponse,
  DiagnosticsResponse,
  ImportResourceStateRequest,
  ImportResourceStateResponse,
  PlanResourceChangeRequest,
  PlanResourceChangeResponse,
  ReadResourceRequest,
  ReadResourceResponse,
  UpgradeResourceStateRequest,
  UpgradeResourceStateResponse,
  ValidateResourceConfigRequest,
} from "../protocol/tfplugin6";
import type { BlockSchema, Diagnostic, Log, ManagedResource, Provider } from "../provider";
import { complete, hasError, methodsOf, type Run } from "./method";
import type { ProviderSession } from "./session";
import { fromStoredState, fromWireConfig, fromWireState, toWireState } from "./wire";

/** The methods of managed resources. */
export function resourceMethods<Session>(
  provider: Provider<Session>,
  session: ProviderSession<Session>,
  log: Log,
): Record<string, UnaryHandler> {
  const method = methodsOf(provider.resources ?? {}, session, log);
  return {
    ValidateResourceConfig: method(
      ValidateResourceConfigRequest,
      DiagnosticsResponse,
      "validating the resource",
      async (resource, { config, clientCapabilities }) => {
        const block = fromWireConfig(config, resource.schema);
        const able = clientCapabilities?.writeOnlyAttributesAllowed === true;
        return {
          diagnostics: [
            ...(able ? [] : refuseWriteOnly(block, resource.schema)),
            ...(resource.validate?.(block) ?? []),
          ],
        };
      },
    ),

    UpgradeResourceState: method(
      UpgradeResourceStateRequest,
      UpgradeResourceStateResponse,
      "reading the stored state of",
      async ({ schema }, { version, rawState }) => ({
        upgradedState: toWireState(fromStoredState(rawState?.json, version, schema), schema),
      }),
    ),

    // The state contains everything that is known of an instance.
    ReadResource: method(
      ReadResourceRequest,
      ReadResourceResponse,
      "reading",
      async (_, { currentState, private: privateData }) => ({
        newState: currentState,
        private: privateData,
      }),
    ),

    PlanResourceChange: method(
      PlanResourceChangeRequest,
      PlanResourceChangeResponse,
      "planning",
      async (resource, request, { begin }) => {
        const { schema } = resource;
        const { proposedNewState, priorPrivate } = request;
        const proposed = fromWireState(proposedNewState, schema);
        // Terraform alone plans a destruction.
        if (proposed === null)
          return { plannedState: proposedNewState, plannedPrivate: priorPrivate };
        const change = {
          prior: fromWireState(request.priorState, schema),
          config: fromWireConfig(request.config, schema),
          proposed,
          private: priorPrivate,
        };
        const { planned, diagnostics } = await begin((context) => resource.plan(change, context));
        return {
          plannedState: planned && toWireState(planned, schema),
          plannedPrivate: priorPrivate,
          diagnostics: complete(planned, diagnostics),
        };
      },
    ),

    ApplyResourceChange: method(
      ApplyResourceChangeRequest,
      ApplyResourceChangeResponse,
      "applying the change of",
      async (resource, request, { begin }) => {
        const { schema } = resource;
        const prior = fromWireState(request.priorState, schema);
        const planned = fromWireState(request.plannedState, schema);
        if (planned === null) return destroyed(resource, prior, begin);
        const change = { config: fromWireConfig(request.config, schema), planned };
        const { state, diagnostics, ...applied } = await begin((context) =>
          prior === null
            ? resource.create(change, context)
            : resource.update({ ...change, prior }, context),
        );
        return {
          // Without a new state, nothing else counts, least of all private data of a change that
          // did not happen.
          ...(state && {
            newState: toWireState(state, schema),
            private: applied.private ?? request.plannedPrivate,
          }),
          diagnostics: complete(state, diagnostics),
        };
      },
    ),

    ImportResourceState: method(
      ImportResourceStateRequest,
      ImportResourceStateResponse,
      "importing",
      async (resource, { typeName, id }, { begin }) =>
        resource.import === undefined
          ? { diagnostics: [cannotBeImported(typeName)] }
          : begin(resource.import.bind(resource, id)),
    ),
  };
}

async function destroyed<Session>(
  resource: ManagedResource<Session>,
  state: CtyObject | null,
  begin: Run<Session>,
) {
  const diagnostics =
    state === null ? [] : await begin((context) => resource.destroy({ state }, context));
  return {
    newState: hasError(diagnostics) ? undefined : toWireState(null, resource.schema),
    diagnostics,
  };
}

/**
 * Refuses write-only arguments for a Terraform that does not support them: it would put their
 * values into plan and state, against the intention of the configuration.
 */
function refuseWriteOnly(config: CtyObject, { attributes }: BlockSchema): readonly Diagnostic[] {
  return Object.entries(attributes)
    .filter(([name, { writeOnly }]) => writeOnly === true && config[name] !== null)
    .map(([name]) => ({
      severity: "error",
      summary: "Write-only arguments are not supported here",
      detail: `This Terraform or OpenTofu would store the value of ${name}. Use Terraform 1.11 or newer, or OpenTofu 1.11 or newer.`,
      path: [name],
    }));
}

function cannotBeImported(typeName: string): Diagnostic {
  return {
    severity: "error",
    summary: "The resource cannot be imported",
    detail: `${typeName} cannot be created from an existing object. Declare it without an import.`,
  };
}
