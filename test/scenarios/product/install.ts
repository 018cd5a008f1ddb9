import { installLocalProvider } from "../local-provider";

/** Puts the scenarios' consumer beside a stack. */
export function installProductProvider(stackFolder: string): void {
  installLocalProvider("product", stackFolder);
}
