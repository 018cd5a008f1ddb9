import type { CtyObject } from "../plugin/cty/value";
import type { BlockSchema, Diagnostic, Provider } from "../plugin/provider";
import { bounded } from "./configuration/diagnostics";
import { excessIn } from "./configuration/limits";

type Diagnostics = readonly Diagnostic[];
interface WithDiagnostics {
  readonly diagnostics?: Diagnostics;
}

/**
 * A provider behind one gate for all of its blocks, which no object can forget: a configuration
 * with an argument that is too long reaches no check and no operation, and no message is longer
 * than people read, or contains a command for a CI system.
 */
export function guardedProvider<P extends Provider<Session>, Session>(provider: P): P {
  const { schema, resources, ephemeralResources, dataSources } = provider;
  return {
    ...provider,
    validate: validateOf(schema, provider),
    configure: (config, context) =>
      guarded(schema, [config], () => provider.configure(config, context)),
    resources: mapValues(resources ?? {}, (resource) => ({
      ...resource,
      validate: validateOf(resource.schema, resource),
      plan: (change, context) =>
        guarded(resource.schema, [change.config], () => resource.plan(change, context)),
      create: (change, context) =>
        guarded(resource.schema, [change.config, change.planned], () =>
          resource.create(change, context),
        ),
      update: (change, context) =>
        guarded(resource.schema, [change.config, change.planned], () =>
          resource.update(change, context),
        ),
      destroy: async (stored, context) => (await resource.destroy(stored, context)).map(bounded),
    })),
    ephemeralResources: mapValues(ephemeralResources, (resource) => ({
      ...resource,
      validate: validateOf(resource.schema, resource),
      open: (config, context) =>
        guarded(resource.schema, [config], () => resource.open(config, context)),
      close: async (data, context) => ((await resource.close?.(data, context)) ?? []).map(bounded),
    })),
    dataSources: mapValues(dataSources, (source) => ({
      ...source,
      validate: validateOf(source.schema, source),
      read: (config, context) =>
        guarded(source.schema, [config], () => source.read(config, context)),
    })),
  };
}

/** The check of a block, without a parser for strings that are too long. */
function validateOf(
  schema: BlockSchema,
  block: { validate?(config: CtyObject): Diagnostics },
): (config: CtyObject) => Diagnostics {
  return (config) => {
    const excess = excessIn(config, schema);
    return (excess.length > 0 ? excess : (block.validate?.(config) ?? [])).map(bounded);
  };
}

/** The result of an operation that gets these values of a block. */
async function guarded<Result extends WithDiagnostics>(
  schema: BlockSchema,
  given: readonly CtyObject[],
  operation: () => Promise<Result>,
): Promise<Result | WithDiagnostics> {
  for (const block of given) {
    const diagnostics = excessIn(block, schema);
    if (diagnostics.length > 0) return { diagnostics };
  }
  const result = await operation();
  return result.diagnostics === undefined
    ? result
    : { ...result, diagnostics: result.diagnostics.map(bounded) };
}

function mapValues<Value>(
  values: Readonly<Record<string, Value>>,
  change: (value: Value) => Value,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}
