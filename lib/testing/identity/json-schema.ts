import { layOut } from "./python/python-layout";
import { isRecord, toPython } from "./python/python-text";

/** The part of JSON Schema that Keystone's request schemas use. */
export interface JsonSchema {
  readonly type: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly additionalProperties?: false;
}

interface Mistake {
  readonly problem: string;
  /** The rule that is broken. */
  readonly rule: string;
  readonly schema: JsonSchema;
  readonly instance: unknown;
  /** Keys and indices from the top to the instance. */
  readonly path: readonly (string | number)[];
}

/** Lines of a message are this wide, without their margin. */
const WIDTH = 72;

/**
 * The message about the first mistake in a request, or undefined when there is none. It repeats
 * what it was given, passwords too, as Keystone's does: clients must not print it.
 */
export function firstMistake(instance: unknown, schema: JsonSchema): string | undefined {
  const mistake = find(instance, schema, []);
  return mistake === undefined ? undefined : describe(mistake);
}

/** In the order of Keystone's schemas: type, members in their order, then what is required. */
function find(
  instance: unknown,
  schema: JsonSchema,
  path: readonly (string | number)[],
): Mistake | undefined {
  const mistake = (rule: string, problem: string): Mistake => ({
    problem,
    rule,
    schema,
    instance,
    path,
  });
  const types = [schema.type].flat();
  if (!types.some((type) => isOfType(instance, type))) {
    const wanted = types.map((type) => `'${type}'`).join(", ");
    return mistake("type", `${toPython(instance)} is not of type ${wanted}`);
  }
  if (Array.isArray(instance)) {
    const { items } = schema;
    return items === undefined
      ? undefined
      : firstOf(instance, (item, index) => find(item, items, [...path, index]));
  }
  if (!isRecord(instance)) return undefined;
  const inMembers = firstOf(Object.entries(schema.properties ?? {}), ([name, member]) =>
    Object.hasOwn(instance, name) ? find(instance[name], member, [...path, name]) : undefined,
  );
  if (inMembers !== undefined) return inMembers;
  const missing = schema.required?.find((name) => !Object.hasOwn(instance, name));
  if (missing !== undefined) return mistake("required", `'${missing}' is a required property`);
  return schema.additionalProperties === false ? additional(instance, schema, mistake) : undefined;
}

function additional(
  instance: Readonly<Record<string, unknown>>,
  { properties = {} }: JsonSchema,
  mistake: (rule: string, problem: string) => Mistake,
): Mistake | undefined {
  const more = Object.keys(instance).filter((name) => !Object.hasOwn(properties, name));
  if (more.length === 0) return undefined;
  const names = more.map((name) => toPython(name)).join(", ");
  return mistake(
    "additionalProperties",
    `Additional properties are not allowed (${names} ${more.length === 1 ? "was" : "were"} unexpected)`,
  );
}

function firstOf<Item, Found>(
  items: readonly Item[],
  look: (item: Item, index: number) => Found | undefined,
): Found | undefined {
  for (const [index, item] of items.entries()) {
    const found = look(item, index);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case "object":
      return isRecord(value);
    case "array":
      return Array.isArray(value);
    default:
      // "string" and "boolean" are what is left.
      return typeof value === type;
  }
}

function describe({ problem, rule, schema, instance, path }: Mistake): string {
  const inSchema = path
    .map((key) => (typeof key === "number" ? "['items']" : `['properties']['${key}']`))
    .join("");
  const inInstance = path
    .map((key) => (typeof key === "number" ? `[${key}]` : `['${key}']`))
    .join("");
  return [
    path.length === 0 ? problem : `Invalid input for field '${path.join("/")}': ${problem}`,
    `Failed validating '${rule}' in schema${inSchema}:\n${margin(layOut(schema, WIDTH))}`,
    `On instance${inInstance}:\n${margin(layOut(instance, WIDTH))}`,
  ].join("\n\n");
}

const margin = (text: string) => text.replace(/^/gm, "    ");
