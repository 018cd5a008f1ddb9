/** Runs a function while Node.js reports another machine. */
export function onPlatform<T>(platform: NodeJS.Platform, run: () => T, arch = process.arch): T {
  const { platform: own, arch: ownArch } = process;
  const report = (value: NodeJS.Platform, ofArch: NodeJS.Architecture) => {
    Object.defineProperty(process, "platform", { value });
    Object.defineProperty(process, "arch", { value: ofArch });
  };
  const settle = () => report(own, ownArch);
  report(platform, arch);
  let result: T;
  try {
    result = run();
  } catch (error) {
    settle();
    throw error;
  }
  if (result instanceof Promise) void result.then(settle, settle);
  else settle();
  return result;
}
