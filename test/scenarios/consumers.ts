import { serveAttached } from "../../lib/plugin/serve/serve-attached";
import { productProvider } from "./product/product-provider";
import { storeProvider } from "./store/store-provider";

/** The source address of a provider that the scenarios have of their own. */
export const sourceOf = (name: "product" | "store"): string => `npm.invalid/scenarios/${name}`;

/** The providers that use tokens in scenarios, served by the test itself. */
export interface Consumers {
  /** Makes Terraform attach to them: it neither installs nor starts any of them. */
  readonly env: { readonly TF_REATTACH_PROVIDERS: string };
  close(): Promise<void>;
}

export async function serveConsumers(): Promise<Consumers> {
  const [product, store] = await Promise.all([
    serveAttached(productProvider),
    serveAttached(storeProvider),
  ]);
  const reattach = {
    [sourceOf("product")]: product.reattach,
    [sourceOf("store")]: store.reattach,
  };
  return {
    env: { TF_REATTACH_PROVIDERS: JSON.stringify(reattach) },
    close: async () => void (await Promise.all([product.close(), store.close()])),
  };
}
