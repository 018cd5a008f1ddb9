import type { CtyObject, CtyType } from "./cty/value";

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
   * The argument in question; Terraform then shows its source line. What follows the argument's
   * name is not sent. Without a path Terraform shows the line on which the block begins, with an
   * empty one none: for a block that may hold a secret on that very line.
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
}

/**
 * The schema of a provider, a resource or a data source, as plain data. Nested blocks are not
 * supported: nothing here needs one.
 */
export interface BlockSchema {
  /**
   * Of the state's layout; 0 when left out. A state of an older one is read by the names of its
   * attributes: what it lacks is null. One of a newer one is an error.
   */
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
interface Opened {
  readonly result?: CtyObject;
  /**
   * Handed to `close`. Terraform holds it in memory only, but it crosses a process
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
}

/** What came of a change. */
export interface Applied {
  /**
   * The new state, all of it known. Left out together with an error, Terraform keeps the prior
   * state and its private data.
   */
  readonly state?: CtyObject;
  /**
   * Kept beside the state; by default that of the prior state. It stands in the state in clear: no
   * secret in it.
   */
  readonly private?: Uint8Array;
  readonly diagnostics?: readonly Diagnostic[];
}

/**
 * A `resource` block type. What stands in the state is all that is known of an instance: nothing is
 * read anew. Write-only attributes are taken out of every state that it gives back.
 */
export interface ManagedResource<Session> {
  readonly schema: BlockSchema;
  /** As that of {@link EphemeralResource}. */
  validate?(config: CtyObject): readonly Diagnostic[];
  plan(change: PlannedChange, context: OperationContext<Session>): Promise<Plan>;
  create(change: AppliedChange, context: OperationContext<Session>): Promise<Applied>;
  update(
    change: AppliedChange & { readonly prior: CtyObject },
    context: OperationContext<Session>,
  ): Promise<Applied>;
  /** Destroys the instance. With an error the state stays. */
  destroy(
    stored: { readonly state: CtyObject },
    context: OperationContext<Session>,
  ): Promise<readonly Diagnostic[]>;
  /** Says why an instance that is there already cannot be taken over. */
  import?(
    id: string,
    context: OperationContext<Session>,
  ): Promise<{ readonly diagnostics: readonly Diagnostic[] }>;
}

/**
 * A Terraform provider, as the plugin room serves it: schemas as plain data, and what each block
 * type does. `Session` is what `configure` makes of one provider block, kept on the HTTP/2 session
 * and handed to every operation.
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
    context: { readonly signal: AbortSignal; readonly log: Log },
  ): Promise<{ readonly session?: Session; readonly diagnostics?: readonly Diagnostic[] }>;
  /**
   * Gives back what a session still holds: after StopProvider (the session may be used again),
   * after Shutdown and the end of its connection (it is not), and when another configuration takes
   * its place. Called more than once, and waited for no longer than ten seconds. An exception is
   * logged by its name.
   */
  release?(session: Session): Promise<void>;
}
