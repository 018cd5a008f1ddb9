import * as z from "zod";

const text = z.string();
const reference = z.object({ id: text.optional(), name: text.optional() });
const hasIdOrName = ({ id, name }: z.infer<typeof reference>) =>
  id !== undefined || name !== undefined;
const NAMELESS = "id or name must be present.";
const domain = reference.refine(hasIdOrName, NAMELESS);
const project = reference.extend({ domain: domain.optional() }).refine(hasIdOrName, NAMELESS);
const user = reference
  .extend({ password: text.optional(), domain: domain.optional() })
  .refine(hasIdOrName, NAMELESS);
const credential = reference.extend({ secret: text.optional(), user: user.optional() });

/** The `auth` member of a token request, as Keystone checks it before it looks for the user. */
export const authSchema = z.object({
  // Loose: a method's part is accepted even if the method is not known.
  identity: z.looseObject({
    methods: z.array(text),
    password: z.object({ user: user.optional() }).optional(),
    token: z.object({ id: text }).optional(),
    application_credential: credential.optional(),
  }),
  scope: z
    .union([
      text,
      z.object({
        project: project.optional(),
        domain: domain.optional(),
        "OS-TRUST:trust": z.object({ id: text.optional() }).optional(),
        system: z.object({ all: z.boolean().optional() }).optional(),
        unscoped: z.unknown().optional(),
      }),
    ])
    .optional(),
});

/** An account, by id or name. */
export type DomainMember = z.infer<typeof reference>;
/** A user, by id, or by name and account. */
export type UserMember = z.infer<typeof user>;
/** An application credential, by id, or by name and user. */
export type CredentialMember = z.infer<typeof credential>;
/** A project, by id, or by name and account. */
export type ProjectMember = z.infer<typeof project>;
