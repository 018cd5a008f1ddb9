import {
  type CloudMapping,
  type CloudScalar,
  type CloudValue,
  invalidFile,
  isNull,
  mappingOf,
} from "./cloud-value";

/** One setting in a cloud's entry, and its name in messages: `auth.username`. */
export interface Setting {
  readonly path: string;
  readonly value: CloudValue;
}

/** A setting that is a string. */
export interface TextSetting extends Setting {
  readonly value: CloudScalar;
}

/**
 * The entry of a cloud by its keys, in openstacksdk's reading: settings of `auth` may also be next
 * to it, and `-` in a key is the same as `_`.
 */
export class CloudSettings {
  private readonly top: ReadonlyMap<string, readonly Setting[]>;
  private readonly auth: ReadonlyMap<string, readonly Setting[]>;

  /** @throws ERR_CLOUDS_FILE_INVALID */
  constructor(entry: CloudMapping) {
    this.top = settingsIn(entry, "");
    const [auth] = this.top.get("auth") ?? [];
    this.auth =
      auth === undefined || isNull(auth.value)
        ? new Map()
        : settingsIn(mappingOf(auth.value, "auth"), "auth.");
  }

  /** Keys of `auth`, with `_`. */
  authKeys(): readonly (readonly [string, Setting])[] {
    return [...this.auth].flatMap(([key, settings]) =>
      settings.map((setting) => [key, setting] as const),
    );
  }

  /** All settings with one of these keys. */
  all(...keys: readonly string[]): readonly Setting[] {
    return keys.flatMap((key) => [...(this.auth.get(key) ?? []), ...(this.top.get(key) ?? [])]);
  }

  /** Like `all`, but only outside of `auth`. */
  besideAuth(...keys: readonly string[]): readonly Setting[] {
    return keys.flatMap((key) => this.top.get(key) ?? []);
  }

  /**
   * The string of a setting that has several names; an empty or null one counts as missing. Which
   * of two different values wins depends on the client and its version, so they are refused.
   *
   * @throws ERR_CLOUDS_FILE_INVALID
   */
  text(settings: readonly Setting[]): TextSetting | undefined {
    const given = settings.map(textSetting).filter((each) => each !== undefined);
    const [first] = given;
    const other = given.find(({ value }) => value.text.reveal() !== first?.value.text.reveal());
    if (first === undefined || other === undefined) return first;
    const { file, line } = other.value;
    const problem = `${other.path} and ${first.path} give the same setting differently`;
    throw invalidFile(file, problem, { line });
  }
}

function settingsIn(
  mapping: CloudMapping,
  prefix: string,
): ReadonlyMap<string, readonly Setting[]> {
  const settings = new Map<string, Setting[]>();
  for (const [key, value] of mapping.entries) {
    const name = key.replaceAll("-", "_");
    settings.set(name, [...(settings.get(name) ?? []), { path: `${prefix}${key}`, value }]);
  }
  return settings;
}

function textSetting({ path, value }: Setting): TextSetting | undefined {
  if (isNull(value)) return undefined;
  if (value.kind !== "scalar")
    throw invalidFile(value.file, `${path} is a ${value.kind}, not a string`, { line: value.line });
  if (value.form === "text" || value.form === "decimal")
    return value.text.reveal() === "" ? undefined : { path, value };
  throw invalidFile(value.file, `${path} is not a YAML string, but a number, a date or similar`, {
    line: value.line,
    remedy:
      "Put it in quotes: OpenStack's clients would otherwise use another value than the written one.",
  });
}
