import { bytesField, varintField, WIRE, WireReader } from "./wire";

/** One field of a message, with the functions that read and write its value. */
export interface Field<Value, Given = Value> {
  readonly number: number;
  readonly wire: number;
  /** The value of a missing field. */
  initial(): Value;
  /** @param present the value read for this field so far */
  read(reader: WireReader, present: Value): Value;
  /** Chunks of a message; none if the value is that of a missing field. */
  write(value: Given): readonly Uint8Array[];
}

/** The fields of a message, by their names in TypeScript. */
export type Fields = Readonly<Record<string, Field<unknown>>>;

/** A message after reading: every field has a value. */
export type Message<Of extends Fields> = {
  readonly [Name in keyof Of]: ReturnType<Of[Name]["initial"]>;
};

/** A message to be written: missing fields have their default. */
export type Init<Of extends Fields> = {
  readonly [Name in keyof Of]?: Parameters<Of[Name]["write"]>[0] | undefined;
};

/** A kind of message. */
export class MessageType<Of extends Fields> {
  /** Made at the first message that is read: a process reads few of all kinds. */
  #fields: ReadonlyMap<number, readonly [name: string, field: Field<unknown>]> | undefined;

  constructor(readonly fields: Of) {}

  get #byNumber() {
    this.#fields ??= new Map(
      Object.entries(this.fields).map((entry) => [entry[1].number, entry] as const),
    );
    return this.#fields;
  }

  encode(message: Init<Of>): Uint8Array {
    const given = new Map<string, unknown>(Object.entries(message));
    return Buffer.concat(
      Object.entries(this.fields).flatMap(([name, field]) => {
        const value = given.get(name);
        return value === undefined ? [] : field.write(value);
      }),
    );
  }

  /** Unknown fields are skipped. Throws {@link MalformedMessageError}. */
  decode(bytes: Uint8Array): Message<Of> {
    const message: Record<string, unknown> = {};
    for (const [name, field] of this.#byNumber.values()) message[name] = field.initial();
    const reader = new WireReader(bytes);
    while (!reader.done) {
      const { field: number, wire } = reader.tag();
      const known = this.#byNumber.get(number);
      // A known field in another layout counts as an unknown field: the format's own rule.
      if (known?.[1].wire !== wire) reader.skip(wire);
      else message[known[0]] = known[1].read(reader, message[known[0]]);
    }
    return message as Message<Of>;
  }
}

/** A field whose default value is not written. */
const scalar =
  <Value>(
    wire: number,
    initial: Value,
    read: (reader: WireReader) => Value,
    write: (number: number, value: Value) => Uint8Array[],
    isDefault = (value: Value) => value === initial,
  ) =>
  (number: number): Field<Value> => ({
    ...{ number, wire, read },
    initial: () => initial,
    write: (value) => (isDefault(value) ? [] : write(number, value)),
  });

export const string = scalar(
  WIRE.bytes,
  "",
  (reader) => reader.string(),
  (number, value) => bytesField(number, Buffer.from(value)),
);

export const bytes = scalar(
  WIRE.bytes,
  new Uint8Array(0),
  (reader) => reader.bytes(),
  bytesField,
  ({ length }) => length === 0,
);

export const bool = scalar(
  WIRE.varint,
  false,
  (reader) => reader.varint() !== 0,
  (number) => varintField(number, 1),
);

/** Enums are integers. */
export const integer = scalar(WIRE.varint, 0, (reader) => reader.integer(), varintField);

/** A message, undefined if it is missing. Go writes none twice: the last one counts. */
export const one = <Of extends Fields>(
  type: MessageType<Of>,
  number: number,
): Field<Message<Of> | undefined, Init<Of>> => ({
  number,
  wire: WIRE.bytes,
  initial: () => undefined,
  read: (reader) => type.decode(reader.bytes()),
  write: (value) => bytesField(number, type.encode(value)),
});

export const many = <Of extends Fields>(
  type: MessageType<Of>,
  number: number,
): Field<readonly Message<Of>[], readonly Init<Of>[]> => ({
  number,
  wire: WIRE.bytes,
  initial: () => [],
  read: (reader, present) => [...present, type.decode(reader.bytes())],
  write: (value) => value.flatMap((item) => bytesField(number, type.encode(item))),
});
