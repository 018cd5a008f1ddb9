import type {
  AnswerFault,
  DeliveryFault,
  FaultEntry,
  FaultScript,
  FaultsConfig,
  IdentityFault,
  TlsFault,
} from "./fault";
import { randomFaultEntries } from "./random-faults";

/** What a request meets. */
export type RequestFault = AnswerFault | DeliveryFault;

/** Gives each request its faults, in the order of arrival. Pure but for the counting. */
export class FaultPlan {
  readonly #entryAt: (index: number) => FaultEntry;
  #next = 0;

  constructor(config: FaultsConfig, options: { readonly tls: boolean }) {
    this.#entryAt = entriesOf(config, options);
  }

  /** The next connection's fault, when it is its turn. */
  takeForConnection(): TlsFault | undefined {
    const fault = this.#nextTls();
    if (fault !== undefined) this.#next++;
    return fault;
  }

  /**
   * The next request's faults. A fault of TLS stays for the next connection: this request has one
   * already.
   */
  takeForRequest(): readonly RequestFault[] {
    if (this.#nextTls() !== undefined) return [];
    return toList(this.#entryAt(this.#next++)).filter((fault) => fault.kind !== "tls");
  }

  /**
   * Whether the next fault is one of TLS, so that the client has to be made to open a new
   * connection.
   */
  wantsNewConnection(): boolean {
    return this.#nextTls() !== undefined;
  }

  #nextTls(): TlsFault | undefined {
    const [fault] = toList(this.#entryAt(this.#next));
    return fault?.kind === "tls" ? fault : undefined;
  }
}

/** Whether a configuration has faults of TLS. */
export function hasTlsFaults(config: FaultsConfig): boolean {
  const script = scriptOf(config);
  return script?.script.some((entry) => toList(entry).some(({ kind }) => kind === "tls")) ?? false;
}

function entriesOf(
  config: FaultsConfig,
  options: { readonly tls: boolean },
): (index: number) => FaultEntry {
  const known = scriptOf(config);
  if (known !== undefined) {
    const { script, afterwards = "none" } = known;
    return (index) => {
      if (index < script.length || afterwards === "none") return script[index] ?? null;
      return script[afterwards === "last" ? script.length - 1 : index % script.length] ?? null;
    };
  }
  if (!("seed" in config)) return () => null;
  const drawn: FaultEntry[] = [];
  const entries = randomFaultEntries({ ...config, share: config.share ?? 0.5, tls: options.tls });
  return (index) => {
    while (drawn.length <= index) drawn.push(entries.next().value);
    return drawn[index] ?? null;
  };
}

function scriptOf(config: FaultsConfig): FaultScript | undefined {
  if (isList(config)) return { script: config };
  return "script" in config ? config : undefined;
}

// Array.isArray does not narrow lists that are read-only.
function isList<Item, Other>(value: readonly Item[] | Other): value is readonly Item[] {
  return Array.isArray(value);
}

function toList(entry: FaultEntry): readonly IdentityFault[] {
  if (entry === null) return [];
  return isList<IdentityFault, IdentityFault>(entry) ? entry : [entry];
}
