import { resolve } from "node:path";
import { BLOCK, defined, ofProcess, words } from "../../tokens";
import { isSecretArgument, PARTS, variableOfKey } from "../../tokens/ways";
import { type ProcessContext, variableOf, variablesGiving } from "../process/process-context";
import { assertSupported, givenIn, projectIn, type Settings, waysIn } from "./openstack-settings";
import { filesBy, type Source, type TlsFiles } from "./source";

const ENVIRONMENT = { kind: "variables", title: ofProcess("the environment") } as const;

/** The variables that give parts of a way of signing in. */
export function partVariables(context: ProcessContext): readonly string[] {
  return [...new Set(PARTS.flatMap((part) => variablesGiving(part, context)))];
}

/**
 * What the OS_ variables give.
 *
 * @param folder the folder of relative files
 * @throws ERR_CREDENTIALS_UNSUPPORTED
 */
export function environmentSource(context: ProcessContext, folder: string): Source {
  const text = (key: string) => variableOf(context, variableOfKey(key));
  const settings: Settings = {
    first: (keys) => keys.find((key) => text(key) !== undefined),
    text,
    nameOf: variableOfKey,
  };
  assertSupported(
    settings,
    "",
    words`Unset the named variables, or give all credentials in ${BLOCK}, which then ignores the environment.`,
  );
  return {
    ...ENVIRONMENT,
    source: "environment",
    given: givenIn(settings, (key, argument) => {
      const name = variableOfKey(key);
      return isSecretArgument(argument)
        ? { kind: "env", name, origin: ofProcess(name) }
        : (text(key) ?? null);
    }),
    files: filesIn(context, folder),
    ways: waysIn(settings),
    empty: Object.keys(context.variables).filter((name) => context.variables[name] === ""),
    ...defined({ project: projectIn(ENVIRONMENT, settings) }),
  };
}

/** OS_CACERT, OS_CERT and OS_KEY. */
export function filesIn(context: ProcessContext, folder: string): TlsFiles {
  return filesBy(ENVIRONMENT, (name) => {
    const path = variableOf(context, name);
    return path && resolve(folder, path);
  });
}
