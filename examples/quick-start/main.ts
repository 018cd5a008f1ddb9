/** `npx cdktf deploy --auto-approve` at the root of the repository runs it: README.md here. */
import { App } from "cdktf";
import { QuickStartStack } from "./quick-start-stack";

const app = new App();
new QuickStartStack(app, "quick-start", {
  authUrl: process.env.QUICK_START_AUTH_URL ?? "http://127.0.0.1:35357",
  productApiUrl: process.env.QUICK_START_PRODUCT_API_URL,
});
app.synth();
