export { type CloudRequest, describeCloud } from "./describe-cloud";
