import VENDORS from "ci-info/vendors.json";

/** What CI systems set that ci-info does not go by, or not alone. */
const MORE = ["CODEBUILD_BUILD_ID", "JENKINS_URL", "TEAMCITY_VERSION", "TFC_RUN_ID"];
/** As ci-info has them: set by several systems, so that they are not in its list. */
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
/** How ci-info says by what a system is known. */
type Sign = string | Readonly<Record<string, unknown>>;

/**
 * By what it is known that this is a CI system, as part of a sentence; undefined where it is none.
 * The list is that of npm's ci-info, which itself reads this process's variables only. Its way to
 * say no holds here too: `CI=false`, also `CI=0`.
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
