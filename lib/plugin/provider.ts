import type { CtyType } from "./cty/type";
import type { CtyObject } from "./cty/value";

/**
 * Where in a configuration something is: attribute names, map keys and list indexes from the
 * outside in.
 */
export type AttributePath = readonly (string | number)[];

/** What Terraform shows to the user. */
export interface Diagnostic {
  readonly severity: "error" | "warning";
  /** One line. */
  readonly summary: string;
  /** The whole story: what was wrong, what is allowed, the next step. */
  readonly detail: string;
  /**
   * The argument in question; Terraform then shows its source line. Without a path it shows the
   * line on which the block begins, with an empty one none: for a block that may hold a secret on
   * that very line.
   */
  readonly path?: AttributePath;
}

/** One argument or attribute of a block. */
export interface AttributeSchema {
  readonly type: CtyType;
  readonly description: string;
  readonly required?: boolean;
  readonly optional?: boolean;
  readonly computed?: boolean;
  readonly sensitive?: boolean;
  readonly writeOnly?: boolean;
  readonly deprecated?: boolean;
}

/**
 * The schema of a provider, a resource or a data source, as plain data. Nested blocks are not
 * supported: nothing here needs one.
 */
export interface BlockSchema {
  /** Of the state's layout; 0 when left out. */
  readonly version?: number;
  readonly description: string;
  readonly attributes: Readonly<Record<string, AttributeSchema>>;
}

/** Levels as TF_LOG knows them. */
export type LogLevel = "trace" | "debug" | "info" | "warn" | "error";

/** Writes a line that Terraform shows with TF_LOG. Fields must hold no secret. */
export type Log = (
  level: LogLevel,
  message: string,
  fields?: Readonly<Record<string, string | number | boolean>>,
) => void;

/** What every operation gets. */
export interface OperationContext<Session> {
  /**
   * What `configure` made for this HTTP/2 session: each provider instance of each Terraform process
   * has its own.
   */
  readonly session: Session;
  /**
   * Aborted by StopProvider of this session, by Ctrl-C, by the end of the session, and by
   * cancellation or deadline of the call. The answer does not wait for the operation to notice, but
   * `release` does, for up to two seconds.
   */
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** What an ephemeral resource's `open` gives back. */
export interface Opened {
  readonly result?: CtyObject;
  /** When Terraform is to call `renew`; never when left out. */
  readonly renewAt?: Date;
  /**
   * Handed to `renew` and `close`. Terraform holds it in memory only, but it crosses a process
   * boundary: no secret in it.
   */
  readonly private?: Uint8Array;
  readonly diagnostics?: readonly Diagnostic[];
}

/** An `ephemeral` block type. */
export interface EphemeralResource<Session> {
  readonly schema: BlockSchema;
  /**
   * Checks what is known of the configuration; unknown values are UNKNOWN and must be passed over.
   * No I/O.
   */
  validate?(config: CtyObject): readonly Diagnostic[];
  open(config: CtyObject, context: OperationContext<Session>): Promise<Opened>;
  renew?(
    privateData: Uint8Array,
    context: OperationContext<Session>,
  ): Promise<{
    readonly renewAt?: Date;
    readonly private?: Uint8Array;
    readonly diagnostics?: readonly Diagnostic[];
  }>;
  close?(
    privateData: Uint8Array,
    context: OperationContext<Session>,
  ): Promise<readonly Diagnostic[]>;
}

/** A `data` block type. */
export interface DataSource<Session> {
  readonly schema: BlockSchema;
  /** As that of {@link EphemeralResource}. */
  validate?(config: CtyObject): readonly Diagnostic[];
  read(
    config: CtyObject,
    context: OperationContext<Session>,
  ): Promise<{ readonly state?: CtyObject; readonly diagnostics?: readonly Diagnostic[] }>;
}

/** A resource that is being planned. */
export interface PlannedChange {
  /**
   * What stands in the state; null when it is created, also to replace another. Without write-only
   * attributes.
   */
  readonly prior: CtyObject | null;
  /**
   * The configuration; the only place where write-only attributes are. What is not known yet is
   * UNKNOWN.
   */
  readonly config: CtyObject;
  /**
   * Terraform's proposal: the arguments of the configuration, and the computed attributes of the
   * prior state.
   */
  readonly proposed: CtyObject;
  /** Private data of the prior state; empty when it is created. */
  readonly private: Uint8Array;
}

/** What is planned for a resource. */
export interface Plan {
  /**
   * The state after apply, as far as it is known; computed attributes that only apply can tell are
   * UNKNOWN. Terraform plans again at apply, and whatever was known must come out the same then.
   */
  readonly planned?: CtyObject;
  /**
   * Arguments whose change needs another instance. Terraform then plans once more, with a prior
   * state of null.
   */
  readonly requiresReplace?: readonly AttributePath[];
  /** Handed to apply; by default the private data of the prior state. */
  readonly private?: Uint8Array;
  readonly diagnostics?: readonly Diagnostic[];
}

/** A planned change that is carried out: all arguments are known. */
export interface AppliedChange {
  /**
   * As it is written: without what `ignore_changes` keeps as it was. For write-only attributes,
   * which no plan holds.
   */
  readonly config: CtyObject;
  /** What was planned, all arguments known. Attributes that were UNKNOWN still are. */
  readonly planned: CtyObject;
  /** Private data of the plan. */
  readonly private: Uint8Array;
}

/** What came of a change. */
export interface Applied {
  /**
   * The new state, all of it known. Left out together with an error, Terraform keeps the prior
   * state and its private data.
   */
  readonly state?: CtyObject;
  /**
   * Kept beside the state; by default the private data of the plan. It stands in the state in
   * clear: no secret in it.
   */
  readonly private?: Uint8Array;
  readonly diagnostics?: readonly Diagnostic[];
}

/** A resource as it is in the state. */
export interface Stored {
  readonly state: CtyObject;
  readonly private: Uint8Array;
}

/**
 * A `resource` block type. Write-only attributes are taken out of every state that it gives back.
 */
export interface ManagedResource<Session> {
  readonly schema: BlockSchema;
  /** As that of {@link EphemeralResource}. */
  validate?(config: CtyObject): readonly Diagnostic[];
  /**
   * Brings the attributes that an older version of the schema has written to the present one. What
   * it does not give is null. Without it, a state of another version is an error.
   */
  upgradeState?(
    stored: Readonly<Record<string, unknown>>,
    version: number,
  ): Readonly<Record<string, unknown>>;
  /**
   * The present state of the instance, null when it is gone. By default what stands in the state.
   */
  read?(
    stored: Stored,
    context: OperationContext<Session>,
  ): Promise<{
    readonly state?: CtyObject | null;
    readonly private?: Uint8Array;
    readonly diagnostics?: readonly Diagnostic[];
  }>;
  plan(change: PlannedChange, context: OperationContext<Session>): Promise<Plan>;
  create(change: AppliedChange, context: OperationContext<Session>): Promise<Applied>;
  update(
    change: AppliedChange & { readonly prior: CtyObject },
    context: OperationContext<Session>,
  ): Promise<Applied>;
  /** Destroys the instance. With an error the state stays. */
  destroy(stored: Stored, context: OperationContext<Session>): Promise<readonly Diagnostic[]>;
  /** The state of an instance that is there already. Without it, an import is an error. */
  import?(id: string, context: OperationContext<Session>): Promise<Applied>;
}

/**
 * A Terraform provider, as the plugin room serves it: schemas as plain data, and what each block
 * type does.
 * `Session` is what `configure` makes of one provider block, kept on the HTTP/2 session and handed
 * to every operation.
 */
export interface Provider<Session> {
  readonly schema: BlockSchema;
  readonly resources?: Readonly<Record<string, ManagedResource<Session>>>;
  readonly ephemeralResources: Readonly<Record<string, EphemeralResource<Session>>>;
  readonly dataSources: Readonly<Record<string, DataSource<Session>>>;
  /** Checks a provider block. No I/O; unknown values are passed over. */
  validate?(config: CtyObject): readonly Diagnostic[];
  /** Makes the session of a provider block. The block may have unknown values at plan. */
  configure(
    config: CtyObject,
    context: { readonly terraformVersion: string; readonly signal: AbortSignal; readonly log: Log },
  ): Promise<{ readonly session?: Session; readonly diagnostics?: readonly Diagnostic[] }>;
  /**
   * Gives back what a session still holds: after StopProvider (the session may be used again),
   * after Shutdown and the end of its connection (it is not), and when another configuration takes
   * its place. Called more than once, and waited for no longer than ten seconds. An exception is
   * logged by its name.
   */
  release?(session: Session): Promise<void>;
}
