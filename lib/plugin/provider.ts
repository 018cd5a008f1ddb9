import type { CtyObject, CtyType } from "./cty/value";

/**
 * A place in a configuration: attribute names, map keys and list indexes from the outside in.
 */
export type AttributePath = readonly (string | number)[];

/** A message that Terraform prints for the user. */
export interface Diagnostic {
  readonly severity: "error" | "warning";
  /** One line. */
  readonly summary: string;
  /** The rest of the message: the problem, the allowed values, the next step. */
  readonly detail: string;
  /**
   * The argument in question; Terraform then prints its source line. Path steps after the
   * argument's name are not sent. Without a path, Terraform prints the line on which the block
   * begins; with an empty path, it prints none: for a block that may contain a secret on that line.
   */
  readonly path?: AttributePath;
  /** The error that it reports; not sent. */
  readonly cause?: unknown;
}

/** A result with messages. */
export interface Diagnosed {
  readonly diagnostics?: readonly Diagnostic[] | undefined;
}

/** One argument or attribute of a block. */
export interface AttributeSchema {
  readonly type: CtyType;
  readonly description: string;
  readonly required?: boolean;
  readonly optional?: boolean;
  readonly computed?: boolean;
  readonly sensitive?: boolean;
  /** Terraform stores none: every plan and state of the resource must have null for it. */
  readonly writeOnly?: boolean;
}

/**
 * The schema of a provider, a resource or a data source, as plain data. Nested blocks are not
 * supported: nothing here needs one.
 */
export interface BlockSchema {
  readonly description: string;
  readonly attributes: Readonly<Record<string, AttributeSchema>>;
}

/** Levels of TF_LOG. */
export type LogLevel = "trace" | "debug" | "info" | "warn" | "error";

/** Writes a line that Terraform prints with TF_LOG. Fields must not contain a secret. */
export type Log = (
  level: LogLevel,
  message: string,
  fields?: Readonly<Record<string, string | number | boolean>>,
) => void;

/** Context of every operation. */
export interface OperationContext<Session> {
  /**
   * The result of `configure` for this connection: each provider instance of each Terraform process
   * has its own.
   */
  readonly session: Session;
  /**
   * Aborted by StopProvider of this session, by Ctrl-C, by the end of the session, and by
   * cancellation or deadline of the call. The answer does not wait for the operation to notice
   * this, but `release` does, for up to two seconds.
   */
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** Result of an ephemeral resource's `open`. */
interface Opened extends Diagnosed {
  /** As that of {@link DataSource.read}. Terraform keeps it in memory only. */
  readonly result?: CtyObject;
  /** When Terraform is to renew, in milliseconds since 1970; by default it does not. */
  readonly renewAt?: number;
  /**
   * Passed to `renew` and `close`. Terraform keeps it only in memory, but it leaves this process:
   * it must not contain a secret.
   */
  readonly private?: Uint8Array;
}

/** An `ephemeral` block type. */
export interface EphemeralResource<Session> {
  readonly schema: BlockSchema;
  /**
   * Checks the known part of the configuration; unknown values are UNKNOWN and must be skipped. No
   * I/O.
   */
  validate?(config: CtyObject): readonly Diagnostic[];
  /** Opens one. The configuration is completely known. Without a result, it needs an error. */
  open(config: CtyObject, context: OperationContext<Session>): Promise<Opened>;
  /** Renews once, at the time that `open` gave. The result stays as it is. */
  renew?(
    privateData: Uint8Array,
    context: OperationContext<Session>,
  ): Promise<readonly Diagnostic[]>;
  close?(
    privateData: Uint8Array,
    context: OperationContext<Session>,
  ): Promise<readonly Diagnostic[]>;
}

/** A `data` block type. */
export interface DataSource<Session> {
  readonly schema: BlockSchema;
  /** See {@link EphemeralResource}. */
  validate?(config: CtyObject): readonly Diagnostic[];
  /**
   * Reads it. The configuration is completely known. The state is as well: every argument as it was
   * given, null for one that was not, and a value or null for each computed attribute. Without a
   * state, it needs an error.
   */
  read(
    config: CtyObject,
    context: OperationContext<Session>,
  ): Promise<Diagnosed & { readonly state?: CtyObject }>;
}

/** An instance that exists. */
export interface StoredInstance {
  readonly state: CtyObject;
  readonly private: Uint8Array;
}

/** Result of a refresh. */
interface Refreshed extends Diagnosed {
  /** By default, the state stays as it is. */
  readonly state?: CtyObject;
  /** Private data that plan and apply get. */
  readonly private: Uint8Array;
}

/** A resource that is being planned. */
export interface PlannedChange {
  /** The resource's state; null if it is being created, including as a replacement. */
  readonly prior: CtyObject | null;
  /** The configuration. Unknown values are UNKNOWN. */
  readonly config: CtyObject;
  /** Private data of the prior state; empty if the resource is being created. */
  readonly private: Uint8Array;
}

/** Plan of a resource. */
export interface Plan extends Diagnosed {
  /**
   * The state after apply, as far as it is known; computed attributes that only apply knows are
   * UNKNOWN. Terraform plans again at apply, and every known value must then be the same.
   */
  readonly planned?: CtyObject;
}

/** A planned change during apply: all arguments are known. */
export interface AppliedChange {
  /**
   * As it is written: without the effect of `ignore_changes`. For write-only attributes, which are
   * in no plan.
   */
  readonly config: CtyObject;
  /** The plan, with all arguments known. Attributes that were UNKNOWN still are. */
  readonly planned: CtyObject;
  /** Private data of the plan: those of the prior state. */
  readonly private: Uint8Array;
}

/** Result of a change. */
export interface Applied extends Diagnosed {
  /**
   * The new state, completely known. If it is missing and there is an error, Terraform keeps the
   * prior state and its private data.
   */
  readonly state?: CtyObject;
  /**
   * Stored with the state; by default that of the prior state. The state contains it in clear text:
   * it must not contain a secret.
   */
  readonly private?: Uint8Array;
}

/** A `resource` block type. The state contains everything that is known of an instance. */
export interface ManagedResource<Session> {
  readonly schema: BlockSchema;
  /**
   * See {@link EphemeralResource}.
   *
   * @param knowsWriteOnly whether Terraform keeps write-only arguments out of plan and state
   */
  validate?(config: CtyObject, knowsWriteOnly: boolean): readonly Diagnostic[];
  /** Refreshes an instance; by default nothing is read. `-refresh=false` leaves it out. */
  read?(stored: StoredInstance, context: OperationContext<Session>): Promise<Refreshed>;
  plan(change: PlannedChange, context: OperationContext<Session>): Promise<Plan>;
  create(change: AppliedChange, context: OperationContext<Session>): Promise<Applied>;
  update(
    change: AppliedChange & { readonly prior: CtyObject },
    context: OperationContext<Session>,
  ): Promise<Applied>;
  /** Destroys the instance. After an error, the state stays. */
  destroy(
    stored: { readonly state: CtyObject },
    context: OperationContext<Session>,
  ): Promise<readonly Diagnostic[]>;
  /** Why an existing instance cannot be imported. */
  readonly notImported: Diagnostic;
}

/**
 * A Terraform provider for the plugin room: schemas as plain data, and the operations of each block
 * type. `Session` is the result of `configure` for one provider block, and is passed to every
 * operation of its connection.
 */
export interface Provider<Session> {
  readonly schema: BlockSchema;
  readonly resources?: Readonly<Record<string, ManagedResource<Session>>>;
  readonly ephemeralResources: Readonly<Record<string, EphemeralResource<Session>>>;
  readonly dataSources: Readonly<Record<string, DataSource<Session>>>;
  /** Checks a provider block. No I/O; unknown values are skipped. */
  validate?(config: CtyObject): readonly Diagnostic[];
  /** Creates the session of a provider block. At plan, the block may have unknown values. */
  configure(
    config: CtyObject,
    context: Omit<OperationContext<Session>, "session">,
  ): Promise<Diagnosed & { readonly session?: Session }>;
  /**
   * Releases everything that a session still holds: after StopProvider (the session may be used
   * again), after Shutdown and the end of its connection (it is not), and before another
   * configuration replaces it. May be called more than once; a caller waits at most ten seconds. An
   * exception is logged by its name.
   */
  release?(session: Session): Promise<void>;
}
