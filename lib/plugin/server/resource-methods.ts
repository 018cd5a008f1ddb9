import { decodeStoredBlock } from "../cty/block-value";
import type { CtyObject } from "../cty/value";
import type { UnaryHandler } from "../grpc/call";
import {
  ApplyResourceChangeRequest,
  ApplyResourceChangeResponse,
  ConfigRequest,
  DiagnosticsResponse,
  ImportResourceStateRequest,
  ImportResourceStateResponse,
  PlanResourceChangeRequest,
  PlanResourceChangeResponse,
  ReadResourceRequest,
  ReadResourceResponse,
  UpgradeResourceStateRequest,
  UpgradeResourceStateResponse,
} from "../protocol/tfplugin6";
import type { Log, ManagedResource, Provider } from "../provider";
import { fromWireConfig, fromWireState, toWireState } from "./convert";
import { complete, hasError, methodsOf, type Run } from "./method";
import type { ProviderSession } from "./session";

const NOTHING = new Uint8Array(0);

/** The methods of managed resources. */
export function resourceMethods<Session>(
  provider: Provider<Session>,
  session: ProviderSession<Session>,
  log: Log,
): Record<string, UnaryHandler> {
  const method = methodsOf(provider.resources ?? {}, session, log);
  return {
    ValidateResourceConfig: method(
      ConfigRequest,
      DiagnosticsResponse,
      "validating the resource",
      async (resource, { config }) => ({
        diagnostics: resource.validate?.(fromWireConfig(config, resource.schema)),
      }),
    ),

    // Terraform refuses the state of a newer version by itself.
    UpgradeResourceState: method(
      UpgradeResourceStateRequest,
      UpgradeResourceStateResponse,
      "reading the stored state of",
      async ({ schema }, { rawState }) => {
        const state = decodeStoredBlock(rawState?.json ?? NOTHING, schema.attributes);
        return { upgradedState: toWireState(state, schema) };
      },
    ),

    ReadResource: method(
      ReadResourceRequest,
      ReadResourceResponse,
      "reading",
      async (resource, { currentState, private: privateData }, { begin }) => {
        const state = fromWireState(currentState, resource.schema);
        const stored = state && { state, private: privateData };
        const read = stored && (await begin(async (context) => resource.read?.(stored, context)));
        return {
          private: privateData,
          ...read,
          newState: read?.state ? toWireState(read.state, resource.schema) : currentState,
        };
      },
    ),

    PlanResourceChange: method(
      PlanResourceChangeRequest,
      PlanResourceChangeResponse,
      "planning",
      async (resource, request, { begin }) => {
        const { schema } = resource;
        const { proposedNewState, priorPrivate } = request;
        // Terraform alone plans a destruction.
        if (fromWireState(proposedNewState, schema) === null)
          return { plannedState: proposedNewState, plannedPrivate: priorPrivate };
        const change = {
          prior: fromWireState(request.priorState, schema),
          config: fromWireConfig(request.config, schema),
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
        const config = fromWireConfig(request.config, schema);
        const change = { config, planned, private: request.plannedPrivate };
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
      async ({ notImported }) => ({ diagnostics: [notImported] }),
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
