import type { IssuedTokenBody } from "../schemas";
import { issueAnswerBodySchema } from "../schemas";
import type { Answer } from "../transport/transport";

/**
 * The `token` of the answer's body; undefined when the body is missing, cut off or not Keystone's.
 * The spec does not show it.
 */
export function bodyOf(answer: Answer): IssuedTokenBody | undefined {
  if (answer.end !== "complete" || answer.body.length === 0) return undefined;
  try {
    const parsed = issueAnswerBodySchema.safeParse(
      JSON.parse(new TextDecoder().decode(answer.body)),
    );
    return parsed.success ? parsed.data.token : undefined;
  } catch {
    return undefined;
  }
}
