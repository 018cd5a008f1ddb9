import { signOfCi } from "../../lib/resolution/in-ci";

test.each([
  [{ CI: "true" }, "CI is set"],
  [{ CI: "1" }, "CI is set"],
  [{ TF_BUILD: "True" }, "this is Azure Pipelines"],
  [{ CODEBUILD_BUILD_ID: "x" }, "CODEBUILD_BUILD_ID is set"],
  [{ CODEBUILD_BUILD_ARN: "x" }, "this is AWS CodeBuild"],
  [{ TEAMCITY_VERSION: "2024" }, "TEAMCITY_VERSION is set"],
  [{ JENKINS_URL: "https://ci" }, "JENKINS_URL is set"],
  [{ GITHUB_ACTIONS: "true" }, "this is GitHub Actions"],
  [{ GITLAB_CI: "true" }, "this is GitLab CI"],
  [{ TFC_RUN_ID: "run-1" }, "TFC_RUN_ID is set"],
  [{ BUILD_NUMBER: "7" }, "BUILD_NUMBER is set"],
  // Each form in which ci-info says by what a system is known.
  [{ NODE: "/app/.heroku/node/bin/node" }, "this is Heroku"],
  [{ NOW_BUILDER: "1" }, "this is Vercel"],
  [{ TASK_ID: "1", RUN_ID: "2" }, "RUN_ID is set"],
])("%j: %s", (environment, sign) => {
  expect(signOfCi(environment)).toBe(sign);
});

test.each([
  [{}],
  [{ CI: "" }],
  [{ CI: "false", GITHUB_ACTIONS: "true" }],
  [{ CI: "0", TF_BUILD: "True" }],
  [{ NODE: "/usr/bin/node", HOME: "/root", TERM: "xterm" }],
])("%j is not a CI system", (environment) => {
  expect(signOfCi(environment)).toBeUndefined();
});
