import * as z from "zod";
import type { IdentityAnswer } from "./exchange";
import { errorAnswer } from "./keystone-answers";

const name = z.string().optional();
const domain = z.looseObject({ id: name, name }).optional();

/** The types of an authentication request, as Keystone checks them; which parts must be there is decided later. */
const authSchema = z.looseObject({
  identity: z.looseObject({
    methods: z.array(z.string()),
    password: z.looseObject({ user: z.looseObject({ id: name, name, password: name, domain }).optional() }).optional(),
  }),
  // A text passes: Keystone knows the scope "unscoped".
  scope: z
    .union([
      z.string(),
      z.looseObject({
        domain,
        project: z.looseObject({ id: name, name, domain }).optional(),
        system: z.unknown().optional(),
        unscoped: z.unknown().optional(),
      }),
    ])
    .optional(),
});

/** The `auth` member of a request, its types checked. */
export type AuthMember = z.infer<typeof authSchema>;

/** The checked member, or Keystone's 400, which repeats what it was given: passwords too. Clients must not print it. */
export function checkAuth(auth: unknown): AuthMember | IdentityAnswer {
  const parsed = authSchema.safeParse(auth);
  if (parsed.success) return parsed.data;
  return errorAnswer(400, describeIssue(innermost(parsed.error.issues), auth), { reason: "malformed_request" });
}

type Issue = z.core.$ZodIssue;

/** A union reports one list an alternative; the last alternative is the object form, which Keystone's message is about. */
function innermost(issues: readonly Issue[]): { path: PropertyKey[]; expected: string } {
  const issue = issues[0];
  if (issue?.code === "invalid_union") {
    const inner = innermost(issue.errors.at(-1) ?? []);
    return { ...inner, path: [...issue.path, ...inner.path] };
  }
  const expected = issue?.code === "invalid_type" ? issue.expected : "object";
  return { path: issue?.path ?? [], expected };
}

function describeIssue({ path, expected }: { path: PropertyKey[]; expected: string }, auth: unknown): string {
  const value = path.reduce<unknown>((at, key) => (isRecord(at) ? at[String(key)] : undefined), auth);
  const missing = value === undefined;
  const at = missing ? path.slice(0, -1) : path;
  const problem = missing
    ? `'${String(path.at(-1))}' is a required property`
    : `${toPython(value)} is not of type '${expected === "record" ? "object" : expected}'`;
  const schemaPath = at.map((key) => (typeof key === "number" ? "['items']" : `['properties']['${String(key)}']`)).join("");
  const instancePath = at.map((key) => (typeof key === "number" ? `[${key}]` : `['${String(key)}']`)).join("");
  const instance = missing ? at.reduce<unknown>((under, key) => (isRecord(under) ? under[String(key)] : undefined), auth) : value;
  return [
    at.length === 0 ? problem : `Invalid input for field '${at.map(String).join("/")}': ${problem}`,
    `Failed validating '${missing ? "required" : "type"}' in schema${schemaPath}`,
    `On instance${instancePath}:\n    ${toPython(instance)}`,
  ].join("\n\n");
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** How Python shows a JSON value. */
function toPython(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return value.includes("'") ? JSON.stringify(value) : `'${value}'`;
  if (Array.isArray(value)) return `[${value.map(toPython).join(", ")}]`;
  if (isRecord(value)) {
    return `{${Object.entries(value)
      .map(([key, member]) => `${toPython(key)}: ${toPython(member)}`)
      .join(", ")}}`;
  }
  return String(value);
}
