import { CtyError, type CtyObject, decodeStoredAttributes } from "../cty";
import type { BlockSchema, ManagedResource } from "../provider";

type Upgradable = Pick<ManagedResource<never>, "schema" | "upgradeState">;

/**
 * The attributes of a state as it is stored, brought to the present version of its schema when an
 * older one has written it. Write-only attributes are null in every state. Throws {@link CtyError}.
 */
export function fromStoredState(
  json: Uint8Array | undefined,
  version: number,
  resource: Upgradable,
): CtyObject {
  const { schema } = resource;
  const present = schema.version ?? 0;
  const stored = json ?? new Uint8Array(0);
  if (version === present) return decodeStoredAttributes(stored, typesOf(schema));
  if (version > present || resource.upgradeState === undefined) {
    throw new CtyError(
      `the state has version ${version} of the resource's layout, and this provider knows version ${present}`,
    );
  }
  const upgraded = resource.upgradeState(attributesIn(stored), version);
  return decodeStoredAttributes(Buffer.from(JSON.stringify(upgraded)), typesOf(schema));
}

function typesOf(schema: BlockSchema) {
  return Object.fromEntries(
    Object.entries(schema.attributes).map(([name, { type }]) => [name, type]),
  );
}

function attributesIn(json: Uint8Array): Readonly<Record<string, unknown>> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(json).toString("utf8"));
  } catch {
    // The parser's own message quotes what it read.
    throw new CtyError("the state is not well-formed JSON");
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    throw new CtyError("the attributes of a block expected");
  return parsed as Readonly<Record<string, unknown>>;
}
