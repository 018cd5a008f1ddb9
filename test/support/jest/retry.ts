// In CI, a failed test above the unit level is tried once more: .ci/run names it as unstable.
if (process.env.IAM_TOKENS_RETRY === "1") jest.retryTimes(1, { logErrorsBeforeRetry: true });
