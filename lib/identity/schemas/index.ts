export { type IssuedTokenBody, issueAnswerBodySchema } from "./issue-answer";
export { type IssueRequestBody, issueRequestBodySchema } from "./issue-request";
