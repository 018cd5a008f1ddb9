import {
  type CloudMapping,
  type CloudScalar,
  type CloudValue,
  invalidFile,
  isNull,
  mappingOf,
} from "./cloud-value";

/** One setting in a cloud's entry. */
export interface Setting<Value = CloudValue> {
  /** Its key, with `_`. */
  readonly key: string;
  /** Its name in messages: `auth.username`. */
  readonly path: string;
  readonly inAuth: boolean;
  readonly value: Value;
}

/** A setting that is a string. */
export type TextSetting = Setting<CloudScalar>;

/**
 * The settings in the entry of a cloud, in openstacksdk's reading: settings of `auth` may also be
 * next to it, and `-` in a key is the same as `_`.
 */
export class CloudSettings {
  /** Those of `auth` first. */
  readonly all: readonly Setting[];

  /** @throws ERR_CLOUDS_FILE_INVALID */
  constructor(entry: CloudMapping) {
    const auth = entry.entries.get("auth");
    const inAuth = auth === undefined || isNull(auth) ? undefined : mappingOf(auth, "auth");
    this.all = [
      ...[...(inAuth?.entries ?? [])].map(([key, value]) => settingOf(key, value, true)),
      ...[...entry.entries].map(([key, value]) => settingOf(key, value, false)),
    ];
  }

  /** All settings with one of these keys, in `auth` and next to it. */
  with(...keys: readonly string[]): readonly Setting[] {
    return this.all.filter(({ key }) => keys.includes(key));
  }

  /** The same, but only next to `auth`. */
  besideAuth(...keys: readonly string[]): readonly Setting[] {
    return this.with(...keys).filter(({ inAuth }) => !inAuth);
  }

  /** The strings of these keys, in the order of the keys. @throws ERR_CLOUDS_FILE_INVALID */
  texts(keys: readonly string[]): readonly TextSetting[] {
    return keys.map((key) => this.text(key)).filter((each) => each !== undefined);
  }

  /**
   * The string of a setting; an empty or null one counts as missing. Which of two different values
   * wins depends on the client and its version, so they are refused.
   *
   * @throws ERR_CLOUDS_FILE_INVALID
   */
  text(key: string, settings: readonly Setting[] = this.with(key)): TextSetting | undefined {
    const [first, ...others] = settings.map(textSetting).filter((each) => each !== undefined);
    const other = others.find(({ value }) => value.text.reveal() !== first?.value.text.reveal());
    if (first === undefined || other === undefined) return first;
    const { file, line } = other.value;
    const problem = `${other.path} and ${first.path} give the same setting differently`;
    throw invalidFile(file, problem, { line });
  }
}

function settingOf(written: string, value: CloudValue, inAuth: boolean): Setting {
  const path = inAuth ? `auth.${written}` : written;
  return { key: written.replaceAll("-", "_"), path, inAuth, value };
}

function textSetting({ value, ...setting }: Setting): TextSetting | undefined {
  const { file, line } = value;
  if (value.kind !== "scalar")
    throw invalidFile(file, `${setting.path} is a ${value.kind}, not a string`, { line });
  if (isNull(value) || value.text.reveal() === "") return undefined;
  if (value.form === "text") return { ...setting, value };
  throw invalidFile(file, `${setting.path} is not a YAML string, but a number, a date or similar`, {
    line,
    remedy:
      "Put it in quotes: OpenStack's clients may otherwise use another value than the written one.",
  });
}
