import { IamTokensError } from "../../lib/tokens";
import { BLOCK, contextOf, textOf } from "./fixtures";
import { ACCOUNT, providerWith } from "./objects/prepared";

/** Sessions of a provider, and whether an open in one lists the possible causes. */
function prepare(attached: boolean) {
  const { identity, provider, context } = providerWith({ attached });
  identity.onIssue = () =>
    Promise.reject(
      new IamTokensError("ERR_CREDENTIALS_REJECTED", "401.", { causes: [{ text: "The name." }] }),
    );
  const configure = async () => {
    const { session } = await provider.configure(BLOCK, context);
    if (session === undefined) throw new Error("not configured");
    const isFull = async () => {
      const read = await provider.dataSources.iam_token?.read(ACCOUNT, contextOf(session));
      return textOf(read?.diagnostics).includes("Possible causes:");
    };
    return { isFull };
  };
  return configure;
}

test.each([false, true])(
  "the possible causes are listed once for a Terraform; under run (%p), where several run at once, for each configuration",
  async (attached) => {
    const configure = prepare(attached);
    const [one, two] = [await configure(), await configure()];
    expect([await one.isFull(), await one.isFull(), await two.isFull()]).toEqual([
      true,
      false,
      attached,
    ]);
  },
);
