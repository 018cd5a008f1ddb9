import { IAM_ROTATION, IAM_TOKEN } from "../../provider/names";
import { HOOK_COMMAND } from "../rotation/hook-script";

/** Classifies the places of a configuration. */
export type PlaceKind =
  | "address"
  | "argument"
  | "command-line"
  | "condition-message"
  | "count"
  | "data-argument"
  | "destroy-provisioner"
  | "dynamic"
  | "for_each"
  | "free"
  | "hook-command"
  | "import-id"
  | "local"
  | "module-input"
  | "output"
  | "provider"
  | "replace_triggered_by"
  | "static"
  | "stored-argument";

/** The place of a value in a stack's configuration. */
export interface Place {
  readonly kind: PlaceKind;
  /** Names on the way to an argument, without indices: `["settings", "token_wo"]`. */
  readonly names: readonly string[];
  /** The kind of resource, data source or ephemeral resource; empty elsewhere. */
  readonly type: string;
  /** Of the block: the resource, the local value, the module. */
  readonly block: string;
  /**
   * Name, for messages, of a place that takes no sensitive value; undefined if it does, or if that
   * is uncertain.
   */
  readonly closedToSensitive?: string | undefined;
}

/**
 * The place of a path from the top of `cdk.tf.json`; undefined for comments, which are not
 * configuration.
 */
export function placeAt(path: readonly string[]): Place | undefined {
  const [top = "", first = "", second = "", ...rest] = path;
  if (path.includes("//")) return undefined;
  const body = path.slice(2);
  switch (top) {
    case "resource":
    case "data":
    case "ephemeral": {
      const { kind, names } = inBlock(top, first, rest);
      return { kind, names, type: first, block: second };
    }
    case "module":
      return { ...inModule(body), type: "", block: first };
    case "output":
      return { kind: inOutput(body), names: namesOf(body), type: "", block: first };
    case "locals":
      return { kind: "local", names: [], type: "", block: first };
    case "provider":
      return { kind: "provider", names: namesOf(body), type: "", block: first };
    case "variable":
      return { kind: inVariable(body), names: namesOf(path.slice(1)), type: "", block: top };
    case "check":
      return { kind: inCheck(body), names: namesOf(body), type: "", block: first };
    case "moved":
    case "removed":
      return { kind: "address", names: namesOf(path), type: "", block: top };
    case "terraform":
      return { kind: "static", names: namesOf(path.slice(1)), type: "", block: top };
    case "import":
      return { kind: inImport(path), names: namesOf(path.slice(1)), type: "", block: top };
    default:
      return { kind: "free", names: [], type: "", block: top };
  }
}

type Inner = Pick<Place, "kind" | "names">;

function inBlock(
  top: "resource" | "data" | "ephemeral",
  type: string,
  path: readonly string[],
): Inner {
  const [head] = path;
  const names = namesOf(path);
  switch (head) {
    case "count":
    case "for_each":
      return { kind: head, names: [] };
    case "depends_on":
    case "provider":
    case "connection":
      return { kind: "free", names };
    case "provisioner":
      return { kind: inProvisioner(names), names };
    case "lifecycle":
      return { kind: inLifecycle(path), names };
    default:
      return isDynamic(path)
        ? { kind: "dynamic", names }
        : { kind: argumentOf(top, type, head), names };
  }
}

/** `dynamic.BLOCK.for_each`, including that in a block or in the content of another one. */
function isDynamic(path: readonly string[]): boolean {
  const names = withoutIndices(path);
  return names.some((name, at) => name === "dynamic" && names[at + 2] === "for_each");
}

/** The strings that become a process's arguments, which every user of the machine can list. */
function inProvisioner(names: readonly string[]): PlaceKind {
  const [, type, argument] = names;
  if (names.at(-1) === HOOK_COMMAND) return "hook-command";
  return type === "local-exec" && (argument === "command" || argument === "interpreter")
    ? "command-line"
    : "free";
}

/** Terraform takes ephemeral values in conditions, but not in the message of a failed one. */
function inConditions(path: readonly string[]): PlaceKind {
  return path.includes("error_message") ? "condition-message" : "free";
}

function inLifecycle(path: readonly string[]): PlaceKind {
  return path.includes("replace_triggered_by") ? "replace_triggered_by" : inConditions(path);
}

function inOutput(path: readonly string[]): PlaceKind {
  const [head] = path;
  if (head === "precondition") return inConditions(path);
  return head === "depends_on" ? "free" : "output";
}

function inVariable(path: readonly string[]): PlaceKind {
  return path[0] === "validation" ? inConditions(path) : "static";
}

function inCheck(path: readonly string[]): PlaceKind {
  return path[0] === "data" ? "data-argument" : inConditions(path);
}

function inImport(path: readonly string[]): PlaceKind {
  if (path.includes("for_each")) return "for_each";
  return path.includes("id") || path.includes("identity") ? "import-id" : "free";
}

function argumentOf(
  top: "resource" | "data" | "ephemeral",
  type: string,
  name: string | undefined,
): PlaceKind {
  if (top === "ephemeral") return "free";
  if (top === "data") return "data-argument";
  const stored =
    name === "triggers" ||
    name === "triggers_replace" ||
    (type === "terraform_data" && name === "input") ||
    ((type === IAM_TOKEN || type === IAM_ROTATION) && name === "keepers");
  return stored ? "stored-argument" : "argument";
}

function inModule(path: readonly string[]): Inner {
  const [head] = path;
  const names = namesOf(path);
  switch (head) {
    case "count":
    case "for_each":
      return { kind: head, names: [] };
    case "depends_on":
    case "providers":
      return { kind: "free", names };
    case "source":
    case "version":
      return { kind: "static", names };
    default:
      return { kind: "module-input", names };
  }
}

/**
 * Without indices, and without the wrapper of a dynamic block's content. A key that is an
 * expression has no name.
 */
function namesOf(path: readonly string[]): string[] {
  const dynamic = path.includes("dynamic");
  return withoutIndices(path)
    .filter((name) => !(dynamic && (name === "dynamic" || name === "content")))
    .map((name) => (name.includes("${") ? "(key)" : name));
}

function withoutIndices(path: readonly string[]): string[] {
  return path.filter((name) => !/^\d+$/.test(name));
}
