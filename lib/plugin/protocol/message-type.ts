import { WIRE, WireReader } from "./wire-reader";
import { WireWriter } from "./wire-writer";

/** What a field holds: a scalar by its name, or a message by its type. Enums are integers. */
export type FieldKind = "string" | "bytes" | "bool" | "integer" | MessageType<object>;

/**
 * `one`: always there when read, its default is not written. `optional`: undefined when absent.
 * `many`: a list.
 * `map`: keys are strings. Messages are `optional` by nature.
 */
export type FieldRule = "one" | "optional" | "many" | "map";

export type Field = readonly [number: number, name: string, kind: FieldKind, rule: FieldRule];

/**
 * A message's fields, with the type of its values. Made by the generator only: it keeps fields and
 * type in step.
 */
export class MessageType<T extends object> {
  /** Never there at run time: it ties the type to the table. */
  declare readonly valueType: T;
  readonly byNumber: ReadonlyMap<number, Field>;

  constructor(
    readonly name: string,
    readonly fields: readonly Field[],
  ) {
    this.byNumber = new Map(fields.map((field) => [field[0], field]));
  }
}

/** A message to be written: whatever is left out has its default. */
export type Init<T> = T extends string | number | boolean | Uint8Array
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Init<Item>[]
    : { readonly [Key in keyof T]?: Init<T[Key]> | undefined };

/** The bytes of a message. */
export function encodeMessage<T extends object>(
  type: MessageType<T>,
  message: Init<T>,
): Uint8Array {
  return encodeFields(type, message as object);
}

/**
 * A message from its bytes. Unknown fields are passed over. Throws {@link MalformedMessageError}.
 */
export function decodeMessage<T extends object>(type: MessageType<T>, bytes: Uint8Array): T {
  return decodeFields(type, bytes, emptyMessage(type)) as T;
}

const MAP_KEY = 1;
const MAP_VALUE = 2;

function encodeFields(type: MessageType<object>, message: object): Uint8Array {
  const writer = new WireWriter();
  const values = new Map<string, unknown>(Object.entries(message));
  for (const [number, name, kind, rule] of type.fields) {
    const value = values.get(name);
    if (value === undefined) continue;
    if (rule === "many") {
      for (const item of value as readonly unknown[]) encodeField(writer, number, kind, item);
    } else if (rule === "map") {
      for (const [key, item] of Object.entries(value as object)) {
        const entry = new WireWriter();
        encodeField(entry, MAP_KEY, "string", key);
        encodeField(entry, MAP_VALUE, kind, item);
        writer.bytesField(number, entry.finish());
      }
    } else if (rule === "optional" || !isDefault(value)) {
      encodeField(writer, number, kind, value);
    }
  }
  return writer.finish();
}

function encodeField(writer: WireWriter, number: number, kind: FieldKind, value: unknown): void {
  if (kind instanceof MessageType) writer.bytesField(number, encodeFields(kind, value as object));
  else if (kind === "bytes") writer.bytesField(number, value as Uint8Array);
  else if (kind === "string") writer.bytesField(number, Buffer.from(value as string, "utf8"));
  else writer.varintField(number, Number(value));
}

function isDefault(value: unknown): boolean {
  return (
    value === "" ||
    value === 0 ||
    value === false ||
    (value instanceof Uint8Array && value.length === 0)
  );
}

const EMPTY = new Uint8Array(0);
const DEFAULTS = { string: "", bytes: EMPTY, bool: false, integer: 0 } as const;

function emptyMessage(type: MessageType<object>): Record<string, unknown> {
  const message: Record<string, unknown> = {};
  for (const [, name, kind, rule] of type.fields) {
    if (rule === "many") message[name] = [];
    else if (rule === "map") message[name] = Object.create(null);
    else if (rule === "one" && !(kind instanceof MessageType)) message[name] = DEFAULTS[kind];
  }
  return message;
}

function decodeFields(
  type: MessageType<object>,
  bytes: Uint8Array,
  message: Record<string, unknown>,
): Record<string, unknown> {
  const reader = new WireReader(bytes);
  while (!reader.done) {
    const { field: number, wire } = reader.tag();
    const field = type.byNumber.get(number);
    // A known field in another layout is an unknown field: the format's own rule.
    if (field === undefined || wire !== wireOf(field)) {
      reader.skip(number, wire);
      continue;
    }
    const [, name, kind, rule] = field;
    if (rule === "many") {
      (message[name] as unknown[]).push(decodeValue(reader, kind, undefined));
    } else if (rule === "map") {
      const [key, value] = decodeEntry(reader.bytes(), kind);
      (message[name] as Record<string, unknown>)[key] = value;
    } else {
      message[name] = decodeValue(reader, kind, message[name]);
    }
  }
  return message;
}

function wireOf([, , kind, rule]: Field): number {
  return rule !== "map" && (kind === "bool" || kind === "integer") ? WIRE.varint : WIRE.bytes;
}

/**
 * A message that comes twice is merged into what is there already; of other values the last one
 * counts.
 */
function decodeValue(reader: WireReader, kind: FieldKind, present: unknown): unknown {
  if (kind instanceof MessageType) {
    const target =
      typeof present === "object" && present !== null
        ? (present as Record<string, unknown>)
        : emptyMessage(kind);
    return decodeFields(kind, reader.bytes(), target);
  }
  if (kind === "bytes") return reader.bytes();
  if (kind === "string") return reader.string();
  return kind === "bool" ? reader.varint() !== 0n : reader.integer();
}

function decodeEntry(bytes: Uint8Array, kind: FieldKind): [string, unknown] {
  const reader = new WireReader(bytes);
  let key = "";
  let value: unknown;
  while (!reader.done) {
    const { field, wire } = reader.tag();
    if (field === MAP_KEY && wire === WIRE.bytes) key = reader.string();
    else if (field === MAP_VALUE && wire === wireOf([field, "", kind, "one"]))
      value = decodeValue(reader, kind, value);
    else reader.skip(field, wire);
  }
  return [key, value ?? (kind instanceof MessageType ? emptyMessage(kind) : DEFAULTS[kind])];
}
