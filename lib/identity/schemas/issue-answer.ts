import * as z from "zod/mini";

/**
 * Anything that is not of the form is as if it were not there: the spec does not show the body, so
 * nothing in it is owed.
 */
const lenient = <T extends z.core.$ZodType>(schema: T) => z.catch(z.optional(schema), undefined);

/**
 * A name; a number is read as its text, so that a service that forgets the quotes still names what
 * it names.
 */
const name = lenient(
  z.union([
    z.string(),
    z.pipe(
      z.number(),
      z.transform((value) => String(value)),
    ),
  ]),
);

const domain = lenient(z.object({ name }));

/**
 * What is read of the body of a successful answer. Each member is lenient by itself, so that an
 * unreadable time cannot hide a scope that names another project.
 *
 * @see spec, "Issue an IAM token", rule 5 (the body is not shown)
 */
export const issueAnswerBodySchema = z.object({
  token: z.object({
    expires_at: lenient(z.string()),
    issued_at: lenient(z.string()),
    user: lenient(z.object({ domain })),
    domain,
    project: lenient(z.object({ name, domain })),
    system: lenient(z.looseObject({})),
  }),
});

/** The `token` member of an answer's body. */
export type IssuedTokenBody = z.infer<typeof issueAnswerBodySchema>["token"];
