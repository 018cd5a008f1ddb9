import { contractSuite } from "./contract";
import { startEmbeddedTwin } from "./embedded-twin";

describe("the embedded service", () => contractSuite(startEmbeddedTwin, { federation: true }));
