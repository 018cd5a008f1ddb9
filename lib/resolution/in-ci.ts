import VENDORS from "ci-info/vendors.json";

/** Variables of CI systems that ci-info does not use, or not alone. */
const MORE = ["CODEBUILD_BUILD_ID", "JENKINS_URL", "TEAMCITY_VERSION", "TFC_RUN_ID"];
/** Variables of ci-info that several systems set, and that are therefore not in its list. */
const SHARED = [
  "CI",
  "CONTINUOUS_INTEGRATION",
  "BUILD_ID",
  "BUILD_NUMBER",
  "RUN_ID",
  "CI_APP_ID",
  "CI_BUILD_ID",
  "CI_BUILD_NUMBER",
  "CI_NAME",
];

type Environment = Readonly<Record<string, string | undefined>>;
/** ci-info's description of the sign of a system. */
type Sign = string | Readonly<Record<string, unknown>>;

/**
 * The sign of a CI system, as part of a sentence; undefined without one. The list is that of npm's
 * ci-info, which itself reads only this process's variables. Its way to say no works here as well:
 * `CI=false`, or `CI=0`.
 */
export function signOfCi(environment: Environment): string | undefined {
  const { CI: ci } = environment;
  if (ci === "false" || ci === "0") return undefined;
  const isSet = (name: string): boolean => !!environment[name];
  const variable = [...SHARED, ...MORE].find(isSet);
  if (variable !== undefined) return `${variable} is set`;
  const vendor = VENDORS.find(({ env }) =>
    ([env].flat() as readonly Sign[]).every((sign) => holds(sign, environment)),
  );
  return vendor && `this is ${vendor.name}`;
}

function holds(sign: Sign, environment: Environment): boolean {
  if (typeof sign === "string") return !!environment[sign];
  const { env, includes, any, ...values } = sign;
  if (Array.isArray(any)) return any.some((name) => !!environment[String(name)]);
  if (includes !== undefined) return environment[String(env)]?.includes(String(includes)) === true;
  return Object.entries(values).every(([name, value]) => environment[name] === value);
}
