export { type LauncherOptions, launcherScript, mainScript } from "./launcher-script";
