import * as z from "zod";
import { Refusal } from "./http";

// The body of a sign-in; further members are ignored.

const text = z.string().optional();
const domain = z
  .object({ id: text, name: text })
  .refine(({ id, name }) => (id ?? name) !== undefined);
const parts = { id: text, name: text, domain: domain.optional() };
/** A name needs a domain, even next to an id. */
const isWhole = ({ id, name, domain }: Partial<Record<keyof typeof parts, unknown>>) =>
  (name === undefined ? id : domain) !== undefined;
const reference = z.object(parts).refine(isWhole);
const secret = z.string();

const applicationCredential = z.union([
  z.object({ id: z.string(), secret }),
  z.object({ name: z.string(), user: reference, secret }),
]);

const identity = z.union([
  z.object({
    methods: z.tuple([z.literal("password")]),
    password: z.object({ user: z.object({ ...parts, password: secret }).refine(isWhole) }),
  }),
  z.object({
    methods: z.tuple([z.literal("application_credential")]),
    application_credential: applicationCredential,
  }),
  z.object({
    methods: z.tuple([z.literal("token")]),
    token: z.object({ id: z.string() }),
  }),
]);

const scope = z.union([
  z.strictObject({ domain }),
  z.strictObject({ project: reference }),
  z.literal("unscoped"),
]);

const authRequest = z.object({
  auth: z.object({ identity, scope: scope.default("unscoped") }),
});

/** A domain, by its id, its name, or both. */
export type AskedDomain = z.infer<typeof domain>;
/** A user or a project: a name has a domain. */
export type AskedReference = z.infer<typeof reference>;
export type AskedScope = z.infer<typeof scope>;
export type AskedCredential = z.infer<typeof applicationCredential>;
export type AskedIdentity = z.infer<typeof identity>;

const methods = z.object({
  auth: z.object({ identity: z.object({ methods: z.array(z.string()) }) }),
});
const METHODS = ["password", "application_credential", "token"];

/** @throws Refusal */
export function parseAuthRequest(body: string) {
  let given: unknown;
  try {
    given = JSON.parse(body);
    return authRequest.parse(given).auth;
  } catch {
    const asked = methods.safeParse(given).data?.auth.identity.methods;
    if (asked === undefined || asked.every((method) => METHODS.includes(method)))
      throw new Refusal("malformed_request", 400);
    const message = "Attempted to authenticate with an unsupported method.";
    throw new Refusal("method_unsupported", 401, { message });
  }
}
