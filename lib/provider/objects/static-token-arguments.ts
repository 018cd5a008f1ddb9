import type { CtyObject } from "../../plugin/cty/value";
import { UNKNOWN } from "../../plugin/cty/value";
import type { Diagnostic } from "../../plugin/provider";
import { IamTokensError, Secret } from "../../tokens";
import { isKnown, textArgument } from "../argument";
import { pathTo } from "../argument-path";
import { check, toDiagnostic } from "../diagnostics";
import { assertHeaderSafe } from "../secrets/header-safe";
import {
  assertFilePath,
  assertVariableName,
  type SecretReference,
} from "../secrets/secret-reference";
import { secretOfText } from "../secrets/secret-text";
import { list } from "../wording";
import { ownBaseUrl, validateBaseUrl, validateDestinations } from "./destinations";

const SOURCES = ["env", "file", "value"] as const;

/**
 * The mistakes in the arguments of a static token, each on its path. Passes over what is unknown.
 */
export function validateStaticToken(config: CtyObject): readonly Diagnostic[] {
  const [env, file, value] = SOURCES.map((name) => textArgument(config, name));
  return [
    ...exactlyOneSource(config),
    ...(typeof env === "string"
      ? check(pathTo("env", env), () => assertVariableName("env", env))
      : []),
    ...(typeof file === "string" ? check(["file"], () => assertFilePath("file", file)) : []),
    ...(typeof value === "string" ? check(pathTo("value", value), () => assertValue(value)) : []),
    ...validateBaseUrl(config),
    ...validateDestinations(config, ownBaseUrl(config)),
  ];
}

/** Where the token of a block without mistakes is. */
export function toSecretReference(config: CtyObject): SecretReference {
  const [env, file, value] = SOURCES.map((name) => textArgument(config, name));
  if (typeof env === "string") return { kind: "env", name: env, origin: "env" };
  if (typeof file === "string") return { kind: "file", path: file, origin: "file" };
  if (typeof value === "string") return { kind: "value", value: Secret.of(value), origin: "value" };
  throw new IamTokensError("ERR_STATIC_SOURCE_INVALID", "None of env, file and value is known.");
}

function exactlyOneSource(config: CtyObject): readonly Diagnostic[] {
  const known = SOURCES.filter((name) => isKnown(textArgument(config, name)));
  if (known.length > 1) {
    const path =
      known.map((name) => pathTo(name, config[name])).findLast((each) => each.length > 0) ?? [];
    return [
      toDiagnostic(
        new IamTokensError("ERR_STATIC_SOURCE_INVALID", `${list(known)} are given.`),
        path,
      ),
    ];
  }
  // What is unknown now may turn out to be the one source, or null.
  const open = SOURCES.some((name) => textArgument(config, name) === UNKNOWN);
  return known.length === 1 || open
    ? []
    : [
        toDiagnostic(
          new IamTokensError("ERR_STATIC_SOURCE_INVALID", "None of env, file and value is given."),
        ),
      ];
}

function assertValue(value: string): void {
  secretOfText("value", value);
  assertHeaderSafe("value", Secret.of(value));
}
