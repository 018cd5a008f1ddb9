import { decodeStoredBlock } from "../cty/block-value";
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
import type { ManagedResource, Provider } from "../provider";
import { fromWireConfig, fromWireState, toWireState } from "./convert";
import { complete, hasError } from "./diagnostics";
import { methodsOf, named } from "./method";
import type { Method } from "./session";

const NOTHING = new Uint8Array(0);

/** The methods of managed resources. */
export function resourceMethods<Configured>({
  resources,
}: Provider<Configured>): Record<string, Method<Configured>> {
  const method = methodsOf<ManagedResource<Configured>, Configured>(named(resources));
  return {
    ValidateResourceConfig: method(
      ValidateResourceConfigRequest,
      DiagnosticsResponse,
      "validating the resource",
      async ({ schema, validate }, { config, clientCapabilities }) => ({
        diagnostics: validate?.(
          fromWireConfig(config, schema),
          clientCapabilities?.writeOnlyAttributesAllowed === true,
        ),
      }),
    ),

    // Before each plan, for each instance. Terraform refuses the state of a newer version by itself.
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
      async (resource, { currentState, private: privateData }, session, call) => {
        const state = fromWireState(currentState, resource.schema);
        const stored = state && { state, private: privateData };
        const read =
          stored && (await session.run(call, async (context) => resource.read?.(stored, context)));
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
      async (resource, request, session, call) => {
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
        const { planned, diagnostics } = await session.run(call, (context) =>
          resource.plan(change, context),
        );
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
      async (resource, request, session, call) => {
        const { schema } = resource;
        const prior = fromWireState(request.priorState, schema);
        const planned = fromWireState(request.plannedState, schema);
        if (planned === null) {
          const diagnostics =
            prior === null
              ? []
              : await session.run(call, (context) => resource.destroy({ state: prior }, context));
          const newState = hasError(diagnostics) ? undefined : toWireState(null, schema);
          return { newState, diagnostics };
        }
        const config = fromWireConfig(request.config, schema);
        const change = { config, planned, private: request.plannedPrivate };
        const { state, diagnostics, ...applied } = await session.run(call, (context) =>
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
