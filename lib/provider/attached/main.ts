/** What `iam-tokens run` starts: the provider `iam`, for all Terraform processes of a pipeline. */
import { attendPipeline } from "./attend-pipeline";
import type { AttachedSettings } from "./messages";

/** Put in by the build. */
declare const IAM_TOKENS_VERSION: string;

const [settings] = process.argv.slice(2);
if (settings === undefined || process.send === undefined) {
  console.error('This program is a part of "iam-tokens run", which starts it itself.');
  process.exit(1);
}
attendPipeline(JSON.parse(settings) as AttachedSettings, IAM_TOKENS_VERSION);
