import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  App,
  type AppConfig,
  LocalBackend,
  TerraformBackend,
  type TerraformElement,
  TerraformStack,
} from "cdktf";

/** An element with these arguments. Bindings have them from a generator. */
export const having = <Element extends TerraformElement>(element: Element, values: object) =>
  Object.assign(element, { synthesizeAttributes: () => ({ ...values }) });

/** The files of an app's synthesis. */
export interface SynthesizedApp {
  /** The folder in which Terraform runs for a stack. */
  stackFolder(stack: string): string;
  remove(): void;
}

/**
 * Builds and synthesizes an app in this process, with validations and delivered files. A stack
 * without a backend keeps its state in its own folder instead of the tests' working folder.
 */
export function synthApp(build: (app: App) => void, config: AppConfig = {}): SynthesizedApp {
  const outdir = config.outdir ?? realpathSync(mkdtempSync(join(tmpdir(), "iam-out-")));
  const remove = () => rmSync(outdir, { recursive: true, force: true });
  try {
    const app = new App({ ...config, outdir });
    build(app);
    for (const stack of app.node.findAll().filter(TerraformStack.isStack)) {
      if (!stack.node.findAll().some((child) => TerraformBackend.isBackend(child))) {
        new LocalBackend(stack, { path: "terraform.tfstate" });
      }
    }
    app.synth();
  } catch (error) {
    if (config.outdir === undefined) remove();
    throw error;
  }
  return {
    stackFolder: (stack) => join(outdir, "stacks", stack),
    remove,
  };
}
