import { resolve } from "node:path";
import { ofProcess } from "../../tokens";
import { isSecretArgument, PARTS, variableOfKey } from "../../tokens/ways";
import { type ProcessContext, variableOf } from "../process/process-context";
import { rememberSecret } from "../secrets/known-secrets";
import { sourceOf } from "./openstack-settings";
import { filesBy, type Source, type TlsFiles } from "./source";

const ENVIRONMENT = {
  kind: "variables",
  title: ofProcess("the environment"),
  givenBy: "environment",
} as const;

/** Registers the secrets in OpenStack's variables, before anything is said of other arguments. */
export function rememberSecretsIn(context: ProcessContext): void {
  for (const { argument, keys } of PARTS)
    if (isSecretArgument(argument))
      for (const key of keys) rememberSecret(variableOf(context, variableOfKey(key)) ?? "");
}

/** The variables that give parts of a way of signing in. */
export function partVariables(context: ProcessContext): readonly string[] {
  const names = new Set(PARTS.flatMap(({ keys }) => keys.map(variableOfKey)));
  return [...names].filter((name) => variableOf(context, name) !== undefined);
}

/**
 * What the OS_ variables give.
 *
 * @param folder the folder of relative files
 * @throws ERR_CREDENTIALS_UNSUPPORTED
 */
export function environmentSource(context: ProcessContext, folder: string): Source {
  const settings = Object.entries(context.variables).flatMap(([name, text = ""]) => {
    const key = name.replace(/^OS_/, "").toLowerCase();
    const isSetting = variableOfKey(key) === name && text !== "";
    return isSetting ? [{ key, name, value: text, text: () => text }] : [];
  });
  return sourceOf(
    ENVIRONMENT,
    settings,
    ({ name }) => ({ kind: "env", place: name, origin: ofProcess(name) }),
    (path) => resolve(folder, path),
  );
}

/** OS_CACERT, OS_CERT and OS_KEY. */
export function filesIn(context: ProcessContext, folder: string): TlsFiles {
  return filesBy(ENVIRONMENT, (key) => {
    const path = variableOf(context, variableOfKey(key));
    return path && resolve(folder, path);
  });
}
