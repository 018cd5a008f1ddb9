export {
  cleanEnvironment,
  type LauncherOptions,
  launcherScript,
  mainScript,
} from "./launcher-script";
