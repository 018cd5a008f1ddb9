/** Runs a function while Node.js reports another machine. */
export function onPlatform<T>(platform: NodeJS.Platform, run: () => T, arch = process.arch): T {
  const own = Object.getOwnPropertyDescriptors(process);
  const settle = (): void => {
    Object.defineProperty(process, "platform", own.platform);
    Object.defineProperty(process, "arch", own.arch);
  };
  Object.defineProperty(process, "platform", { ...own.platform, value: platform });
  Object.defineProperty(process, "arch", { ...own.arch, value: arch });
  let result: T;
  try {
    result = run();
  } catch (error) {
    settle();
    throw error;
  }
  if (!(result instanceof Promise)) settle();
  else void result.then(settle, settle);
  return result;
}
